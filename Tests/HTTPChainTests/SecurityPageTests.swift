import Foundation
import Testing

@Suite("The page about security")
struct SecurityPageTests {
    @Test("names a suite of tests that exists for each promise")
    func suites() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../..").standardizedFileURL
        let page = root.appendingPathComponent("Sources/HTTPChain/HTTPChain.docc/Security.md")
        let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("| ") }
            .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
            .filter { $0.count == 2 && $0[0] != "The kit promises" && !$0[0].hasPrefix("--") }
        #expect(rows.count > 20)
        let suites = try Self.suites(below: root.appendingPathComponent("Tests"))
        for row in rows {
            let names = row[1].components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
            #expect(!names.isEmpty, "\(row[0]): no test")
            for name in names where !name.hasSuffix("*") {
                #expect(suites.contains(name), "\(row[0]): there is no suite \(name)")
            }
        }
    }

    /// The names of all suites, with and without the folder of their target.
    private static func suites(below tests: URL) throws -> Set<String> {
        var names: Set<String> = []
        for folder in try FileManager.default.contentsOfDirectory(atPath: tests.path) where folder.hasSuffix("Tests") {
            let target = tests.appendingPathComponent(folder)
            let paths = FileManager.default.enumerator(atPath: target.path)
            while let path = paths?.nextObject() as? String {
                guard path.hasSuffix(".swift") else { continue }
                let text = try String(contentsOf: target.appendingPathComponent(path), encoding: .utf8)
                for line in text.split(separator: "\n") where line.hasPrefix("struct ") {
                    let name = line.dropFirst("struct ".count).prefix { $0.isLetter || $0.isNumber }
                    names.formUnion(["\(name)", "\(folder)/\(name)"])
                }
            }
        }
        return names
    }
}
