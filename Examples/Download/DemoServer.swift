import FlyingFox
import FlyingSocks
import Foundation

/// Runs a small HTTP server on a free port of the loopback interface for as long as `body` takes.
func withDemoServer(_ body: (_ baseURL: String) async throws -> Void) async throws {
    let server = HTTPServer(address: try .inet(ip4: "127.0.0.1", port: 0), logger: .disabled)
    await server.appendRoute("GET /map.bin") { _ in
        let bytes = PacedBytes(count: 20_000_000, perSecond: 8_000_000)
        let body = HTTPBodySequence(from: bytes, count: bytes.count, suggestedBufferSize: 65_536)
        return HTTPResponse(statusCode: .ok, body: body)
    }
    let running = Task { try await server.run() }
    defer { running.cancel() }
    try await server.waitUntilListening(timeout: 120)
    guard case .ip4(_, let port) = await server.listeningAddress else {
        throw DemoServerError(description: "The demo server did not get a port on the loopback interface.")
    }
    try await body("http://127.0.0.1:\(port)")
}

private struct DemoServerError: Error, CustomStringConvertible {
    var description: String
}

/// Zeros that arrive as slowly as over a network.
private struct PacedBytes: AsyncBufferedSequence, Sendable {
    typealias Element = UInt8

    let count: Int
    let perSecond: Int

    func makeAsyncIterator() -> Iterator {
        Iterator(rest: count, perSecond: perSecond)
    }

    struct Iterator: AsyncBufferedIteratorProtocol {
        var rest: Int
        let perSecond: Int

        mutating func next() async throws -> UInt8? {
            try await nextBuffer(suggested: 1)?.first
        }

        mutating func nextBuffer(suggested count: Int) async throws -> [UInt8]? {
            let size = Swift.min(rest, count)
            guard size > 0 else { return nil }
            rest -= size
            try await Task.sleep(for: .seconds(Double(size) / Double(perSecond)))
            return [UInt8](repeating: 0, count: size)
        }
    }
}
