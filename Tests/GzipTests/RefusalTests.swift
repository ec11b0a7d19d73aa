#if AllTests
import Foundation
import HTTPChainConcurrencyLimit
import HTTPChainCore
import HTTPChainGzip
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

/// A server that takes no gzip.
private final class Refusing: Transport {
    let codings = Locked<[String]>([])
    private let acceptEncoding: String?
    private let refusesAll: Bool

    init(naming acceptEncoding: String? = nil, all refusesAll: Bool = false) {
        self.acceptEncoding = acceptEncoding
        self.refusesAll = refusesAll
    }

    var capabilities: TransportCapabilities { [] }

    func send(_ request: consuming Request) async throws -> Response {
        let coding = request.headers[.contentEncoding] ?? "identity"
        let length = try await request.body.collect().count
        codings.withLock { $0.append(coding) }
        guard coding == "identity", !refusesAll else {
            var response = Response(.unsupportedMediaType)
            response.headers[.acceptEncoding] = acceptEncoding
            return response
        }
        return Response(.ok, body: HTTPBody("\(length)"))
    }
}

@Suite("A server that takes no compressed requests", .timeLimit(.minutes(10)))
struct RefusalTests {
    private func request(_ host: String = "a") -> Request {
        .post("https://\(host).example.com/", body: HTTPBody(Samples.json(5000)))
    }

    @Test(
        "A server is sent the request once more as it was, and from then on nothing else",
        arguments: [nil, "identity, br", "gzip;q=0"]
    )
    func fallsBack(acceptEncoding: String?) async throws {
        let server = Refusing(naming: acceptEncoding)
        let chain = try Chain(transport: server) { GzipMiddleware(requests: .standard) }
        #expect(try await chain.send(request()).body.text() == "5000")
        #expect(try await chain.send(request()).status == .ok)
        #expect(server.codings.withLock { $0 } == ["gzip", "identity", "identity"])
        _ = try await chain.send(request("b"))
        #expect(server.codings.withLock { $0 }.suffix(2) == ["gzip", "identity"])
    }

    @Test(
        "A server leaves its place under a limit of one to the request that is sent once more",
        arguments: [10, 1_000_000]
    )
    func limitOfOne(length: Int) async throws {
        let server = ClosureTransport { request in
            let isPlain = request.headers[.contentEncoding] == nil
            let text = String(repeating: "a", count: length)
            return Response(isPlain ? .ok : .unsupportedMediaType, body: .chunks([text]))
        }
        let chain = try Chain(transport: server) {
            GzipMiddleware(requests: .standard)
            ConcurrencyLimitMiddleware(.fixed(1))
        }
        let response = try await chain.send(request())
        #expect(response.status == .ok)
        #expect(try await response.body.collect().count == length)
    }

    @Test("A server that takes gzip has refused something else", arguments: ["gzip", "br, GZIP;q=0.5", "*"])
    func otherReason(acceptEncoding: String) async throws {
        let server = Refusing(naming: acceptEncoding)
        let chain = try Chain(transport: server) { GzipMiddleware(requests: .standard) }
        #expect(try await chain.send(request()).status == .unsupportedMediaType)
        #expect(server.codings.withLock { $0 } == ["gzip"])
    }

    @Test("A server and refuses the plain request too, is not remembered")
    func refusedAgain() async throws {
        let server = Refusing(all: true)
        let chain = try Chain(transport: server) { GzipMiddleware(requests: .standard) }
        #expect(try await chain.send(request()).status == .unsupportedMediaType)
        _ = try await chain.send(request())
        #expect(server.codings.withLock { $0 } == ["gzip", "identity", "gzip", "identity"])
    }

    private func readOnce() -> Request {
        let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
        continuation.yield(Samples.json(5000))
        continuation.finish()
        return .post("https://a.example.com/", body: .once(chunks: stream))
    }

    @Test(
        "A server gets no second request whose body can be read once, and from then on nothing compressed",
        arguments: [nil, "identity, br", "gzip;q=0"]
    )
    func once(acceptEncoding: String?) async throws {
        let server = Refusing(naming: acceptEncoding)
        let chain = try Chain(transport: server) { GzipMiddleware(requests: .standard) }
        let response = try await chain.send(readOnce())
        #expect(response.status == .unsupportedMediaType)
        #expect(server.codings.withLock { $0 } == ["gzip"])
        #expect(try await chain.send(readOnce()).body.text() == "5000")
        #expect(try await chain.send(request()).status == .ok)
        #expect(server.codings.withLock { $0 } == ["gzip", "identity", "identity"])
    }

    @Test(
        "A server that takes gzip has refused something else of a body that can be read once",
        arguments: ["gzip", "*"]
    )
    func onceForAnotherReason(acceptEncoding: String) async throws {
        let server = Refusing(naming: acceptEncoding)
        let chain = try Chain(transport: server) { GzipMiddleware(requests: .standard) }
        #expect(try await chain.send(readOnce()).status == .unsupportedMediaType)
        #expect(try await chain.send(readOnce()).status == .unsupportedMediaType)
        #expect(server.codings.withLock { $0 } == ["gzip", "gzip"])
    }

    @Test("A server in one coding may take them in another")
    func otherCoding() async throws {
        let server = Refusing()
        let other = ContentCoding(
            "x-other",
            decoder: { throw ContentCodingError.Problem.outOfMemory },
            encoder: { EmptyEncoder() }
        )
        let chain = try Chain(transport: server) { GzipMiddleware(requests: .standard) }
        _ = try await chain.send(request())
        _ = try await chain.send(request())
        _ = try await chain.send(request().compression(CompressionSettings(coding: other)))
        _ = try await chain.send(request().compression(CompressionSettings(coding: other)))
        #expect(server.codings.withLock { $0 } == ["gzip", "identity", "identity", "x-other", "identity", "identity"])
    }
}

/// Encodes everything to one byte.
private struct EmptyEncoder: ContentEncoder {
    mutating func encode(_ buffers: inout CodingBuffers, isLast: Bool) throws(ContentCodingError.Problem) -> Bool {
        buffers.consumed = buffers.input.count
        buffers.produced = isLast ? 1 : 0
        return isLast
    }
}
#endif
