import FlyingFox
import FlyingSocks
import Foundation

/// Runs a small HTTP server on a free port of the loopback interface for as long as `body` takes.
func withDemoServer(_ body: (_ baseURL: String) async throws -> Void) async throws {
    let server = HTTPServer(address: try .inet(ip4: "127.0.0.1", port: 0), logger: .disabled)
    await server.appendRoute("GET /users/42") { _ in json(.ok, #"{"id":42,"name":"Ada"}"#) }
    await server.appendRoute("POST /users") { request in
        let sent = try JSONSerialization.jsonObject(with: await request.bodyData) as? [String: Any]
        let name = sent?["name"] as? String ?? ""
        return json(.created, #"{"id":43,"name":"\#(name)"}"#)
    }
    await server.appendRoute("/users/*") { _ in json(.notFound, #"{"error":"there is no such user"}"#) }

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

private func json(_ status: HTTPStatusCode, _ text: String) -> HTTPResponse {
    HTTPResponse(statusCode: status, headers: [.contentType: "application/json"], body: Data(text.utf8))
}
