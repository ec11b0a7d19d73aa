import HTTPChainCore
import HTTPChainInMemory
import HTTPChainRequestProcessor
import HTTPTypes
import Testing

@Suite("Where processors run")
struct PhaseTests {
    /// Stands for gzip: it changes the content.
    private struct Encoding: Middleware {
        var phase: Phase { .compress }
        func intercept(_ request: consuming Request, next: Next) async throws -> Response {
            request.body = "encoded"
            return try await next(request)
        }
    }

    @Test("A signature at .digest is of what is sent, one at .build is not")
    func digest() async throws {
        for (phase, expected) in [(Phase.build, "plain"), (.digest, "encoded")] {
            let transport = InMemoryTransport()
            transport.enqueue(ScriptedReply(.ok))
            let sign = RequestProcessorMiddleware("signature", at: phase) { request in
                request.headers[.via] = try await request.body.text()
            }
            #expect(sign.phase == phase)
            let stages: [any Middleware] = phase == .build ? [sign, Encoding()] : [Encoding(), sign]
            _ = try await Chain(stages, transport: transport).send(.post("http://h/", body: "plain"))
            #expect(transport.requests.first?.headers[.via] == expected)
        }
    }

    @Test("A place that does not fit the phase is refused")
    func order() {
        #expect(throws: ChainOrderError.self) {
            try Chain(transport: InMemoryTransport()) {
                RequestProcessorMiddleware("signature", at: .digest) { _ in }
                Encoding()
            }
        }
    }
}
