import Foundation
import Testing

/// A program that was not written here, to compress and decode with.
struct Tool: Sendable, CustomStringConvertible {
    let name: String
    let arguments: [String]

    init(_ name: String, _ arguments: String...) {
        self.name = name
        self.arguments = arguments
    }

    var description: String { ([name] + arguments.map { $0.count > 40 ? "…" : $0 }).joined(separator: " ") }

    /// Where the program is, or `nil` when the machine does not have it.
    var path: String? {
        let directories = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
        return directories.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// What the program writes when it is given some bytes to read.
    ///
    /// On a machine of continuous integration a missing program is a failure; elsewhere the test says that it did not
    /// run.
    func run(_ input: Data) async throws -> Data? {
        guard let path else {
            if ProcessInfo.processInfo.environment["CI"] != nil {
                Issue.record("\(name) is not installed, so that nothing was tested against it")
            } else {
                print("NOT TESTED: \(name) is not installed; install it to test against it")
            }
            return nil
        }
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("gzip-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let source = directory.appendingPathComponent("input")
        let result = directory.appendingPathComponent("output")
        try input.write(to: source)
        try Data().write(to: result)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments.map { $0 == "{}" ? source.path : $0 }
        process.standardInput = try FileHandle(forReadingFrom: source)
        process.standardOutput = try FileHandle(forWritingTo: result)
        let status = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Int32, any Error>) in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
        guard status == 0 else { throw Failure(tool: "\(self)", status: status) }
        return try Data(contentsOf: result)
    }

    struct Failure: Error {
        let tool: String
        let status: Int32
    }

    /// A program in Python's own words, from standard input to standard output.
    static func python(_ expression: String) -> Tool {
        Tool("python3", "-c", "import sys,zlib,gzip;d=sys.stdin.buffer.read();sys.stdout.buffer.write(\(expression))")
    }
}
