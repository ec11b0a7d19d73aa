import FlyingFox
import FlyingSocks
import Foundation
import NIOCore

/// An HTTP server on a free port of the loopback interface, in a process of its own, for as long as this one keeps its
/// standard input open.
struct LoopbackServer {
    /// The argument with which this program is such a server.
    static let argument = "--loopback-server"

    /// Where it listens.
    let url: String
    /// Where it answers with content: see ``ContentServer``.
    let contentURL: String
    private let process: Process
    private let input: Pipe

    /// Starts the server and waits until it listens.
    init() throws {
        process = Process()
        input = Pipe()
        let output = Pipe()
        process.executableURL = Figures.program
        process.arguments = [Self.argument]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let ports = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            .split(whereSeparator: \.isWhitespace).compactMap { UInt16($0) }
        guard ports.count == 2 else {
            process.terminate()
            throw ServerDidNotStart()
        }
        url = "http://127.0.0.1:\(ports[0])"
        contentURL = "http://127.0.0.1:\(ports[1])"
    }

    /// Ends the server.
    func stop() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Serves until standard input ends; for the process that is the server.
    static func serve() async throws {
        let server = HTTPServer(address: try .inet(ip4: "127.0.0.1", port: 0), logger: .disabled)
        // No content: the server sends head and body apart, and between two small packets of one connection the
        // network waits 40 ms (Nagle's algorithm against delayed acknowledgement), which would be all one measures.
        await server.appendRoute("GET /users/42") { _ in
            HTTPResponse(statusCode: .ok, headers: [.init("Cache-Control"): "no-store"])
        }
        await server.appendRoute("POST /logs") { request in
            // As a receiver would: it has the records before it says so.
            _ = try await request.bodyData
            return HTTPResponse(statusCode: .ok)
        }
        let content = try await ContentServer.start()
        defer { content.close(promise: nil) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            try await server.waitUntilListening(timeout: 120)
            guard case .ip4(_, let port) = await server.listeningAddress, let contentPort = content.localAddress?.port
            else { throw ServerDidNotStart() }
            FileHandle.standardOutput.write(Data("\(port) \(contentPort)\n".utf8))
            for try await _ in AsyncStream<Void>(unfolding: {
                FileHandle.standardInput.availableData.isEmpty ? nil : ()
            }) {}
            group.cancelAll()
        }
    }
}

/// The loopback server ended before it said where it listens.
struct ServerDidNotStart: Error {}
