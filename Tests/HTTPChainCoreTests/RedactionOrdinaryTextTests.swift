import Foundation
import HTTPChainCore
import TestSupport
import Testing

@Suite("Redaction of ordinary text", .timeLimit(.minutes(10)))
struct RedactionOrdinaryTextTests {
    /// Prose about secrets, which holds none: the documentation of this package, without its examples of code.
    private static func documentation() throws -> [String] {
        let root = Repository.root
        var lines: [String] = []
        for folder in ["Sources", "Middleware", "Examples"] {
            // The build folders of examples are hidden. The package itself may be in one, as CI's clone is.
            let files = FileManager.default.enumerator(
                at: root.appendingPathComponent(folder),
                includingPropertiesForKeys: nil,
                options: .skipsHiddenFiles
            )
            while let file = files?.nextObject() as? URL {
                guard ["md", "swift"].contains(file.pathExtension) else { continue }
                var isCode = false
                for line in try String(contentsOf: file, encoding: .utf8).split(whereSeparator: \.isNewline) {
                    var text = line.drop { $0 == " " }
                    if file.pathExtension == "swift" {
                        guard text.hasPrefix("///") else { continue }
                        text = text.dropFirst(3).drop { $0 == " " }
                    }
                    if text.hasPrefix("```") {
                        isCode.toggle()
                    } else if !isCode, !text.isEmpty {
                        lines.append(String(text))
                    }
                }
            }
        }
        return lines
    }

    @Test("Redaction changes fewer than one line in a hundred of what is written about secrets")
    func falsePositives() throws {
        let lines = try Self.documentation()
        #expect(lines.count > 5000)
        let changed = lines.filter { Redaction.standard.text($0) != $0 }
        print("redaction: \(changed.count) of \(lines.count) lines of documentation were changed")
        #expect(changed.count * 100 < lines.count, "\(changed.joined(separator: "\n"))")
    }
}
