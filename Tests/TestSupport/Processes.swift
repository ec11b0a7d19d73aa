package import Foundation

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

/// A program that the tests need if it is there.
package enum Programs {
    /// Whether a test whose program is not installed fails, and is not skipped: with `CI` in the environment.
    package static let areRequired = ProcessInfo.processInfo.environment["CI"] != nil

    /// Where a program is, looked for in `PATH`; `nil` when it is not installed.
    package static func find(_ name: String) -> URL? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
        return path.split(separator: ":").map { URL(fileURLWithPath: "\($0)/\(name)") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }
}
