import FlyingFox
import FlyingSocks
import Foundation

/// Runs a small server on a free port of the loopback interface for as long as `body` takes.
func withBinServer(_ body: (_ base: String) async throws -> Void) async throws {
    let server = HTTPServer(address: try .inet(ip4: "127.0.0.1", port: 0), logger: .disabled)
    let visits = Visits()
    await server.appendRoute("GET /json") { _ in
        json(.ok, #"{"slideshow":{"title":"Sample Slide Show","author":"Yours Truly"}}"#)
    }
    await server.appendRoute("GET /basic-auth") { request in
        // "ada:lovelace"
        guard request.headers[.authorization] == "Basic YWRhOmxvdmVsYWNl" else {
            var refusal = json(.unauthorized, "{}")
            refusal.headers[HTTPHeader("WWW-Authenticate")] = #"Basic realm="bin""#
            return refusal
        }
        return json(.ok, #"{"user":"ada"}"#)
    }
    for path in ["POST /upload", "POST /gzip"] {
        await server.appendRoute(HTTPRoute(path)) { request in
            let bytes = try await request.bodyData.count
            let coding = request.headers[HTTPHeader("Content-Encoding")] ?? "as it is"
            return json(.ok, #"{"bytes":\#(bytes),"coding":"\#(coding)"}"#)
        }
    }
    await server.appendRoute("GET /flaky") { _ in
        await visits.next() % 3 == 0 ? json(.ok, "{}") : json(.serviceUnavailable, "{}")
    }
    await server.appendRoute("GET /status/503") { _ in
        var answer = json(.serviceUnavailable, #"{"title":"Down for maintenance","status":503}"#)
        answer.headers[.contentType] = "application/problem+json"
        return answer
    }
    await server.appendRoute("GET /slow") { _ in
        try await Task.sleep(for: .seconds(5))
        return json(.ok, "{}")
    }
    await server.appendRoute("GET /cached") { _ in
        var answer = json(.ok, "\"answer \(await visits.next())\"")
        answer.headers[HTTPHeader("Cache-Control")] = "max-age=60"
        return answer
    }
    await server.appendRoute("POST /logs") { _ in HTTPResponse(statusCode: .noContent) }

    let running = Task { try await server.run() }
    defer { running.cancel() }
    try await server.waitUntilListening(timeout: 120)
    guard case .ip4(_, let port) = await server.listeningAddress else { throw BinServerError() }
    try await body("http://127.0.0.1:\(port)")
}

/// The error if the server didn't get a port on the loopback interface.
private struct BinServerError: Error {}

private actor Visits {
    private var count = 0

    func next() -> Int {
        count += 1
        return count
    }
}

private func json(_ status: HTTPStatusCode, _ text: String) -> HTTPResponse {
    HTTPResponse(statusCode: status, headers: [.contentType: "application/json"], body: Data(text.utf8))
}
