import Foundation
import HTTPChain
import ServerNames
import Testing

import struct HTTPChain.ByteCount

// A file of a server that is a client too: both modules have Request, Response and Middleware. Their module says which
// is meant, or an import of one declaration does.

private struct ForwardingMiddleware: HTTPChain.Middleware {
    let incoming: ServerNames.Request

    func intercept(
        _ request: consuming HTTPChain.Request,
        next: Next
    ) async throws -> HTTPChain.Response {
        request.head.path = incoming.path
        return try await next(request)
    }
}

private struct EchoTransport: Transport {
    var capabilities: TransportCapabilities { [] }
    func send(_ request: consuming HTTPChain.Request) async throws -> HTTPChain.Response {
        HTTPChain.Response(.ok, body: HTTPBody(request.head.path ?? ""))
    }
}

@Suite("Names in a server")
struct ServerNamesTests {
    @Test("Names in a server are told apart by their module, or by the import of one of them")
    func qualified() async throws {
        let chain = try Chain(transport: EchoTransport()) {
            ForwardingMiddleware(incoming: ServerNames.Request(path: "/plants"))
        }
        let response = try await chain.send(HTTPChain.Request.get("https://example.com"))
        let answer = ServerNames.Response(status: response.status.code)
        #expect(answer.status == 200)
        let limit: ByteCount = .kibibytes(1)
        #expect(try await response.body.collect(upTo: limit) == Data("/plants".utf8))
    }
}
