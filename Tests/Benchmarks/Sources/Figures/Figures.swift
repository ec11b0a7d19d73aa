import Foundation
import MallocCounter
import Scenarios

/// Prints the figures of the suites named on the command line, or of all; with `--check`, compares them with the
/// thresholds.
@main
struct Figures {
    static func main() async {
        do {
            if CommandLine.arguments.contains(LoopbackServer.argument) { return try await LoopbackServer.serve() }
            if CommandLine.arguments.dropFirst().first == "call" { return try await call(CommandLine.arguments) }
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            note("error: \(error)")
            exit(error is UsageError ? 2 : 1)
        }
    }

    /// Where this program is, to start it once more.
    static var program: URL? {
        FileManager.default.fileExists(atPath: "/proc/self/exe")
            ? URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath() : Bundle.main.executableURL
    }

    private static func run(_ arguments: [String]) async throws {
        let names = arguments.filter { $0 != "--check" }
        let unknown = names.filter { name in !Suite.all.contains { $0.name == name } }
        guard unknown.isEmpty else { throw UsageError(unknown: unknown) }
        if !malloc_counter_is_available() {
            note("allocations cannot be counted on this platform; their figures are left out")
        }
        let thresholds = arguments.contains("--check") ? try Thresholds(contentsOf: Thresholds.file) : nil
        if thresholds != nil { try Thresholds.prove() }
        let chosen = Suite.all.filter { names.isEmpty ? !$0.isByHand : names.contains($0.name) }
        var figures: [Figure] = []
        for suite in chosen {
            let measured = names.count == 1 ? try await suite.run() : try figuresOfAProcess(measuring: suite)
            for figure in measured { print(figure.line) }
            figures += measured
        }
        guard let thresholds else { return }
        for exception in thresholds.exceptions(in: figures) { note("NOT JUDGED on this machine: \(exception)") }
        let failures = thresholds.failures(
            in: figures,
            of: chosen,
            countsAllocations: malloc_counter_is_available()
        )
        guard failures.isEmpty else { throw CheckFailure(lines: failures) }
        note("every figure is within its threshold")
    }

    /// Makes a number of calls of the README's chain and nothing else, for a profiler or a simulator of caches:
    /// `Figures call SCENARIO COUNT`, with `cold` behind it to touch 2 MiB before each.
    private static func call(_ arguments: [String]) async throws {
        let scenarios = try await ReadmeScenarios.inMemory()
        let nothing = Scenario(name: "nothing") { _ in }
        guard arguments.count >= 4, let count = Int(arguments[3]),
            let scenario = (scenarios + [nothing]).first(where: { $0.name == arguments[2] })
        else { throw UsageError(unknown: Array(arguments.dropFirst(2))) }
        guard arguments.last == "cold" else { return try await scenario.run(count) }
        var memory = ColdCalls(after: 2 << 20, named: "2m")
        for _ in 0..<count {
            memory.touch()
            try await scenario.run(1)
        }
    }

    /// Runs a suite in a process of its own: what others have allocated and started would be in its figures.
    private static func figuresOfAProcess(measuring suite: Suite) throws -> [Figure] {
        let process = Process()
        let output = Pipe()
        process.executableURL = program
        process.arguments = [suite.name]
        process.standardOutput = output
        try process.run()
        let printed = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw SuiteFailure(name: suite.name) }
        return String(decoding: printed, as: UTF8.self).split(separator: "\n").compactMap { Figure(line: $0) }
    }

    private static func note(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }
}

/// The command line names a suite that there is not.
struct UsageError: Error, CustomStringConvertible {
    let unknown: [String]

    var description: String {
        let known = Suite.all.map(\.name).joined(separator: "|")
        return "there is no suite \(unknown.joined(separator: ", ")); usage: Figures [\(known)] [--check]"
    }
}

/// A suite ended before it had measured everything; it said why on standard error.
struct SuiteFailure: Error, CustomStringConvertible {
    let name: String

    var description: String { "the suite \(name) ended early" }
}

/// Figures are beyond their thresholds or missing.
struct CheckFailure: Error, CustomStringConvertible {
    let lines: [String]

    var description: String { lines.map { "threshold: \($0)" }.joined(separator: "\n") }
}
