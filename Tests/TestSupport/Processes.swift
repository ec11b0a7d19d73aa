package import Foundation
package import Testing

/// Does what blocks its thread on a thread of its own, because the tests share a pool with as many threads as the
/// machine has cores.
package func offThePool<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result(catching: work)) }
    }
}

/// What came of a program that a test ran.
package struct ProgramOutcome: Sendable {
    /// The exit status, or the number of the signal that ended it.
    package let status: Int32
    package let standardOutput: Data
    package let standardError: Data

    package var text: String { String(decoding: standardOutput, as: UTF8.self) }
    package var errorText: String { String(decoding: standardError, as: UTF8.self) }
}

/// Runs a program to its end, off the pool.
///
/// - Parameters:
///   - executable: The program.
///   - arguments: Its arguments.
///   - input: What it reads from its standard input; nothing by default.
///   - environment: Its environment; that of this process by default.
///   - directory: Its working directory; that of this process by default.
package func runProgram(
    _ executable: URL,
    _ arguments: [String] = [],
    input: Data = Data(),
    environment: [String: String]? = nil,
    directory: URL? = nil
) async throws -> ProgramOutcome {
    try await offThePool {
        let scratch = try ScratchDirectory.created()
        // Files, not pipes: a pipe that nobody reads holds the program up.
        let files = try ["in", "out", "err"].map { try scratch.file($0, $0 == "in" ? input : Data()) }
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        if let environment { process.environment = environment }
        if let directory { process.currentDirectoryURL = directory }
        process.standardInput = try FileHandle(forReadingFrom: files[0])
        process.standardOutput = try FileHandle(forWritingTo: files[1])
        process.standardError = try FileHandle(forWritingTo: files[2])
        try process.run()
        process.waitUntilExit()
        return ProgramOutcome(
            status: process.terminationStatus,
            standardOutput: try Data(contentsOf: files[1]),
            standardError: try Data(contentsOf: files[2])
        )
    }
}

/// Runs a program that tells its steps until it has made some, however long that takes, and kills it a little later.
///
/// It writes "ready" and a line break to its standard output when it begins, and one byte for each step. Call it off the
/// pool.
///
/// - Parameters:
///   - program: The program.
///   - arguments: Its arguments.
///   - steps: How many steps it makes at least.
///   - delay: How much longer it runs, in microseconds.
package func runAndKill(
    _ program: URL,
    _ arguments: [String],
    after steps: Int,
    _ delay: UInt32
) throws -> Process.TerminationReason {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    var awaited = "ready\n".utf8.count + steps
    while awaited > 0 {
        let data = output.fileHandleForReading.readData(ofLength: awaited)
        if data.isEmpty { break }
        awaited -= data.count
    }
    usleep(delay)
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    return process.terminationReason
}

/// A program that the tests need if it is there.
package enum Programs {
    /// Whether a test whose program is not installed fails, and is not skipped: with `CI` in the environment.
    package static let areRequired = ProcessInfo.processInfo.environment["CI"] != nil

    /// A program of this package, which stands beside the tests; `nil` when it was not built.
    package static func beside(_ name: String) -> URL? {
        [CommandLine.arguments[0], Bundle.main.bundlePath, Bundle.main.executablePath ?? ""]
            .map { URL(fileURLWithPath: $0).deletingLastPathComponent().appendingPathComponent(name) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    /// Says that a test did not run, loudly: a warning, and a failure where all programs are required.
    ///
    /// - Parameters:
    ///   - reason: What is missing, and how to get it.
    ///   - mayBeMissing: Whether it is no failure even where everything must be there: it comes from a place that cannot
    ///     be reached from everywhere.
    ///   - sourceLocation: The test.
    package static func notRun(
        _ reason: String,
        mayBeMissing: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let text = "NOT RUN: \(Test.current?.name ?? "a test"): \(reason)"
        if areRequired, !mayBeMissing {
            Issue.record("\(text)", sourceLocation: sourceLocation)
            return
        }
        #if compiler(>=6.3)
        Issue.record("\(text)", severity: .warning, sourceLocation: sourceLocation)
        #else
        print(text)
        #endif
    }

    /// Where a program is, looked for in `PATH`; `nil` when it is not installed.
    package static func find(_ name: String) -> URL? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
        return path.split(separator: ":").map { URL(fileURLWithPath: "\($0)/\(name)") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }
}
