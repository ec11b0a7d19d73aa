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
    /// A missing program is reported, and a failure where all programs are required.
    func run(_ input: Data) async throws -> Data? {
        guard let program = Programs.find(name) else {
            Programs.notRun("apt install \(name)")
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
