import Foundation
import MallocCounter

/// Prints the figures of the suites named on the command line, or of all; with `--check`, compares them with the
/// thresholds.
@main
struct Figures {
    static func main() async {
        do {
            if CommandLine.arguments.contains(LoopbackServer.argument) { return try await LoopbackServer.serve() }
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            note("\(error)")
            exit(error is UsageError ? 2 : 1)
        }
    }

    private static func run(_ arguments: [String]) async throws {
        let names = arguments.filter { $0 != "--check" }
        let unknown = names.filter { name in !Suite.all.contains { $0.name == name } }
        guard unknown.isEmpty else { throw UsageError(unknown: unknown) }
        if !malloc_counter_is_available() {
            note("allocations cannot be counted on this platform; their figures are left out")
        }
        let chosen = Suite.all.filter { names.isEmpty || names.contains($0.name) }
        var figures: [Figure] = []
        for suite in chosen {
            let measured = try await suite.run()
            for figure in measured { print(figure.line) }
            figures += measured
        }
        guard arguments.contains("--check") else { return }
        let failures = try Thresholds(contentsOf: Thresholds.file).failures(
            in: figures,
            of: chosen,
            countsAllocations: malloc_counter_is_available()
        )
        guard failures.isEmpty else { throw CheckFailure(lines: failures) }
        note("every figure is within its threshold")
    }

    private static func note(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }
}

/// The command line names a suite that there is not.
struct UsageError: Error, CustomStringConvertible {
    let unknown: [String]

    var description: String {
        let names = Suite.all.map(\.name)
        let known = names.indices.filter { names.firstIndex(of: names[$0]) == $0 }.map { names[$0] }
            .joined(separator: "|")
        return "there is no suite \(unknown.joined(separator: ", ")); usage: Figures [\(known)] [--check]"
    }
}

/// Figures are over their thresholds or missing.
struct CheckFailure: Error, CustomStringConvertible {
    let lines: [String]

    var description: String { lines.map { "threshold: \($0)" }.joined(separator: "\n") }
}
