#if AllTests
import Foundation
import HTTPChainAuth
import HTTPChainAuthDigest
import HTTPChainContentDigest
import HTTPChainCore
import HTTPChainGzip
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import Testing

private let url = "https://plants.example/a"

/// A server that demands `auth-int` and a `Content-Digest`, both of the content as it was sent, and answers in the same
/// way: gzip, a digest of that, and a proof that covers it.
private final class StrictServer: Sendable {
    struct Received: Sendable, Hashable {
        var coding: String?
        var size: Int
        var content: Data
    }

    private let digest = DigestServer {
        $0.qop = "auth-int"
        $0.proof = .right
    }
    private let seen = Locked<[Received]>([])

    var received: [Received] { seen.withLock { $0 } }
    var refused: [String] { digest.refused }
    var unanswered: Int { digest.unanswered }

    init(answering content: Data) async throws {
        let encoded = try await HTTPBody(content).encoded(with: .gzip).collect(upTo: .mebibytes(8))
        digest.set { $0.body = HTTPBody(encoded) }
    }

    /// RFC 9530 §2, with the hash that the tests of `auth-int` use too.
    private static func contentDigest(_ bytes: Data) -> String {
        let hex = Array(DigestContent.hash(bytes, .sha256))
        let hash = stride(from: 0, to: hex.count, by: 2).compactMap { UInt8(String(hex[$0...$0 + 1]), radix: 16) }
        return "sha-256=:\(Data(hash).base64EncodedString()):"
    }

    func handle(_ request: Request) async throws -> Response {
        let name = try #require(HTTPField.Name("Content-Digest"))
        let bytes = try await request.body.collect(upTo: .mebibytes(8))
        guard request.headers[name] == Self.contentDigest(bytes) else { return Response(.badRequest) }
        var plain = request
        plain.body = HTTPBody(bytes)
        var response = try await digest.handle(plain)
        guard response.status == .ok, let body = response.body.bytes else { return response }
        let coding = request.headers[.contentEncoding]
        let content = try await HTTPBody(bytes).decoded(from: coding == "gzip" ? [.gzip] : []).collect()
        seen.withLock { $0.append(Received(coding: coding, size: bytes.count, content: content)) }
        response.headers[.contentEncoding] = "gzip"
        response.headers[name] = Self.contentDigest(body)
        return response
    }
}

@Suite("auth-int, Content-Digest and gzip in one chain", .timeLimit(.minutes(10)))
struct EncodedContentTests {
    private static let content = Data(String(repeating: "a plant among plants, ", count: 40_000).utf8)

    private var stages: [any Middleware] {
        [
            GzipMiddleware(requests: .standard), ContentDigestMiddleware(responses: .required),
            DigestAuthMiddleware(
                DigestAuthenticator(
                    .fixed(user: "ada", password: "lovelace", for: "https://plants.example"),
                    protecting: [.authInt],
                    serverProof: .required
                )
            ),
            // One that says nothing of its place.
            ClosureMiddleware("Other", phase: .anywhere) { request, next in try await next(request) },
        ]
    }

    private func permutations(_ rest: [Int]) -> [[Int]] {
        guard !rest.isEmpty else { return [[]] }
        return rest.indices.flatMap { index in
            var others = rest
            let first = others.remove(at: index)
            return permutations(others).map { [first] + $0 }
        }
    }

    @Test("Each covers the content as it is sent, in every order that a chain allows")
    func orders() async throws {
        var legal = 0
        for order in permutations(Array(0..<4)) {
            // Anew, so that none knows a nonce of the server before.
            let all = stages
            let stages = order.map { all[$0] }
            let names = stages.map { "\(type(of: $0))" }.joined(separator: ", ")
            let server = try await StrictServer(answering: Self.content)
            let transport = InMemoryTransport { try await server.handle($0) }
            guard let chain = try? Chain(stages, transport: transport) else {
                #expect(throws: ChainOrderError.self, "\(names)") { try Chain(stages, transport: transport) }
                continue
            }
            legal += 1
            // At once and as it is sent; twice, so that the second is authenticated preemptively.
            for content in [Self.content.prefix(100_000), Self.content, Self.content] {
                let response = try await chain.send(.post(url, body: HTTPBody(Data(content))))
                #expect(response.status == .ok, "\(names)")
                #expect(response.digestVerification == .verifiedWhileRead([.contentDigest(.sha256)]))
                #expect(response.serverProof == .verifiedWhileRead)
                #expect(try await response.body.collect() == Self.content)
                #expect(server.received.last?.coding == "gzip")
                #expect(server.received.last?.content == content)
                #expect((server.received.last?.size ?? .max) < content.count / 10)
            }
            #expect(server.refused.isEmpty)
            #expect(server.unanswered == 1)
        }
        // The three in their one order, and the fourth before, between and behind them.
        #expect(legal == 4)
    }

    @Test("The content that is covered is the plain one where nothing is compressed")
    func uncompressed() async throws {
        let server = try await StrictServer(answering: Self.content)
        let chain = try Chain(stages, transport: InMemoryTransport { try await server.handle($0) })
        let response = try await chain.send(.post(url, body: "short"))
        #expect(try await response.body.collect() == Self.content)
        #expect(server.received == [.init(coding: nil, size: 5, content: Data("short".utf8))])
    }
}
#endif
