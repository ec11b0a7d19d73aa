#if AllTests
import Foundation
import TestSupport
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

    /// What the program writes when it is given some bytes to read.
    ///
    /// On a machine of continuous integration a missing program is a failure; elsewhere the test says that it did not
    /// run.
    func run(_ input: Data) async throws -> Data? {
        guard let program = Programs.find(name) else {
            if ProcessInfo.processInfo.environment["CI"] != nil {
                Issue.record("\(name) is not installed, so that nothing was tested against it")
            } else {
                print("NOT TESTED: \(name) is not installed; install it to test against it")
            }
            return nil
        }
        let directory = try ScratchDirectory.created()
        let source = try directory.file("input", input)
        let outcome = try await runProgram(program, arguments.map { $0 == "{}" ? source.path : $0 }, input: input)
        withExtendedLifetime(directory) {}
        guard outcome.status == 0 else { throw Failure(tool: "\(self)", status: outcome.status) }
        return outcome.standardOutput
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
#endif
