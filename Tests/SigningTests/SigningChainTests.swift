#if AllTests
import Foundation
import HTTPChainAuth
import HTTPChainContentDigest
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainRedirect
import HTTPChainRetry
import HTTPChainSigning
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

/// With retries, redirects, digests of content and a token that is refreshed.
@Suite("Signing in a chain", .timeLimit(.minutes(10)))
struct SigningChainTests {
    private let verifier = MessageVerifier(
        keys: [.shared(id: "a")],
        requiring: [.method, .targetURI, .field(.authorization)],
        nonces: NonceMemory()
    )
    private let clock = VirtualClock(start: SignatureVectors.created, isAutomatic: true)

    private func chain(_ transport: InMemoryTransport) throws -> Chain {
        let tokens = Counter()
        return try Chain(transport: transport, environment: .virtual(clock)) {
            RedirectMiddleware()
            ContentDigestMiddleware()
            RetryMiddleware()
            BearerAuthMiddleware(
                .asking { _, _ in AccessToken(Secret("token-\(tokens.add())")) },
                for: "https://api.example.com"
            )
            SigningMiddleware(
                .messageSignature(
                    .shared(id: "a"),
                    covering: [.method, .targetURI, .contentDigest, .field(.authorization)],
                    hasNonce: true
                ),
                for: "https://api.example.com"
            )
        }
    }

    @Test("Each attempt is signed anew: its time, its nonce, and the token that was refreshed")
    func attempts() async throws {
        let transport = InMemoryTransport()
        transport.enqueue([
            .init(.serviceUnavailable),
            .init(.unauthorized, headers: [.wwwAuthenticate: #"Bearer error="invalid_token""#]), .init(.ok),
        ])
        let response = try await chain(transport).send(.put("https://api.example.com/plants", body: "content"))
        #expect(response.status == .ok)
        let requests = transport.requests
        #expect(requests.count == 3)
        for request in requests {
            // Each counts, and none twice: the nonces differ.
            let verified = try await verifier.verify(SignedMessage(request.head), at: clock.date)
            #expect(verified?.parameters.components.contains(.contentDigest) == true)
        }
        #expect(Set(requests.compactMap { $0.headers[.authorization] }).count == 2)
    }

    @Test("Each hop within the origins is signed for its own URL, and one to another origin is sent without")
    func hops() async throws {
        let transport = InMemoryTransport()
        transport.enqueue([
            .init(.temporaryRedirect, headers: [.location: "/moved"]),
            .init(.temporaryRedirect, headers: [.location: "https://other.example.com/away"]), .init(.ok),
        ])
        let response = try await chain(transport).send(.get("https://api.example.com/plants"))
        #expect(response.status == .ok)
        let requests = transport.requests
        #expect(requests.map(\.url).last == "https://other.example.com/away")
        for request in requests.dropLast() {
            _ = try await verifier.verify(SignedMessage(request.head), at: clock.date)
        }
        let last = try #require(requests.last)
        for name in ["Signature", "Signature-Input", "Authorization"] {
            #expect(!last.headers.contains(try #require(HTTPField.Name(name))))
        }
    }
}
#endif
