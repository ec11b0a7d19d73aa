import DrillSupport
import Foundation
import HTTPChainCore
import HTTPChainHAR
import HTTPTypes

// Records exchanges to an archive, so many or until it is killed:
// HARKillDrill <file> <name> <journal> [<count>]
//
// Several of them share the file; the exchanges of each have its name and a number in their URLs. When an exchange is
// written, its number goes into the journal, and a dot to standard output.

/// Answers with content that follows from the URL, so that an entry that was damaged shows.
struct Echo: Transport {
    var capabilities: TransportCapabilities { [] }

    func send(_ request: consuming Request) async throws -> Response {
        let number = request.url.split(separator: "-").last.flatMap { Int($0) } ?? 0
        let text = request.url + " " + String(repeating: "x", count: number * 397 % 9000)
        return Response(.ok, headers: [.contentType: "text/plain"], body: HTTPBody(text))
    }
}

@main
enum Drill {
    static func main() async {
        Parent.endWithIt()
        let arguments = CommandLine.arguments
        guard arguments.count == 4 || arguments.count == 5,
            let count = arguments.count == 4 ? Int.max : Int(arguments[4]),
            FileManager.default.createFile(atPath: arguments[3], contents: nil),
            let journal = FileHandle(forWritingAtPath: arguments[3])
        else {
            print("usage: HARKillDrill <file> <name> <journal> [<count>]")
            exit(2)
        }
        do {
            let recorder = HARRecorder(file: URL(fileURLWithPath: arguments[1]))
            let chain = try Chain([RecordingMiddleware(recorder)], transport: Echo())
            FileHandle.standardOutput.write(Data("ready\n".utf8))
            for number in 0..<count {
                _ = try await chain.send(.get("https://a.example/\(arguments[2])-\(number)")).body.collect()
                try await recorder.flush()
                // Goes to the system at once, where it survives this process.
                try journal.write(contentsOf: Data("\(number)\n".utf8))
                FileHandle.standardOutput.write(Data(".".utf8))
            }
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(3)
        }
    }
}
