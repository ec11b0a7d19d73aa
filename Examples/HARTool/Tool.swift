import Foundation
import HTTPChainCore
import HTTPChainHAR

/// The commands of the tool.
struct Tool {
    private let arguments: [String]

    init(_ arguments: [String]) {
        self.arguments = arguments
    }

    /// Runs the command and returns the exit status.
    func run() async -> Int32 {
        do {
            return try await perform()
        } catch {
            printError("\(error)")
            return 1
        }
    }

    private func perform() async throws -> Int32 {
        let command = arguments.first ?? ""
        switch "\(command) \(arguments.count)" {
        case "show 2":
            Show(try await archive(1)).list()
            return 0
        case "show 3":
            let show = Show(try await archive(1))
            return show.entry(Int(arguments[2]) ?? 0) ? 0 : 1
        case "redact 2":
            FileHandle.standardOutput.write(try await archive(1).redacted().data)
            return 0
        case "redact 3":
            try await archive(1).redacted().write(to: URL(fileURLWithPath: arguments[2]))
            return 0
        case "diff 3":
            let old = try await archive(1)
            let differences = Comparison(old: old, new: try await archive(2)).lines
            for line in differences { print(line) }
            return differences.isEmpty ? 0 : 1
        case "stats 2":
            for line in Statistics(try await archive(1)).lines { print(line) }
            return 0
        default:
            printError("usage: har show FILE [NUMBER] | redact FILE [OUT] | diff FILE OTHER | stats FILE")
            return 2
        }
    }

    /// Reads the archive that an argument names.
    ///
    /// If it is truncated, reads only the complete entries.
    private func archive(_ index: Int) async throws -> HARArchive {
        let file = URL(fileURLWithPath: arguments[index])
        do {
            return try await HARArchive.read(from: file)
        } catch {
            guard error.problem == .cut else { throw error }
            printError("\(error.reason); its whole entries are shown")
        }
        return try await HARArchive.read(from: file, salvaging: true)
    }
}

func printError(_ words: String) {
    FileHandle.standardError.write(Data((words + "\n").utf8))
}
