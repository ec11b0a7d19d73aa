#if AllTests
import Foundation
import HTTPChainAuth
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import SignInServer
import Testing

@testable import HTTPChainOAuth

@Suite("Signing in on another device", .timeLimit(.minutes(10)))
struct DeviceSignInTests {
    private let clock = VirtualClock(isAutomatic: true)

    private func signIn(
        at server: AuthorizationServer,
        over transport: InMemoryTransport,
        whenPolled: @escaping @Sendable (Int) -> Void
    ) async throws -> AccessToken {
        let metadata = try await AuthorizationServerMetadata.discover(server.issuer, over: transport)
        return try await DeviceSignIn(metadata, client: server.client, scope: ["read"])
            .token(over: transport, environment: .virtual(clock)) { code in
                #expect(code.userCode == "WDJB-MJHT" && code.verificationURI == "https://auth.example/device")
                #expect(code.completeVerificationURI?.contains("WDJB-MJHT") == true)
                #expect(!"\(code)".contains("WDJB-MJHT"))
                whenPolled(0)
            }
    }

    /// A transport that tells how often the token endpoint was asked before it passes the question on.
    private func transport(
        to server: AuthorizationServer,
        _ whenPolled: @escaping @Sendable (Int) throws -> Void
    ) -> InMemoryTransport {
        let count = Locked(0)
        return InMemoryTransport { request in
            if request.head.path == "/token" {
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                try whenPolled(number)
            }
            return try await server.handle(request)
        }
    }

    @Test("The token endpoint is asked at the interval until the user says yes")
    func success() async throws {
        let server = AuthorizationServer()
        let transport = transport(to: server) { if $0 == 3 { server.answer(with: .allow) } }
        let token = try await signIn(at: server, over: transport) { _ in }
        #expect(token.refreshToken != nil)
        #expect(clock.sleeps == [.seconds(5), .seconds(5), .seconds(5)])
    }

    @Test("The user may say no, or nothing until the code has expired")
    func refused() async throws {
        let server = AuthorizationServer()
        let denied = await #expect(throws: SignInError.self) {
            try await signIn(at: server, over: server.transport) { _ in server.answer(with: .deny) }
        }
        #expect(denied?.problem == .refused(.accessDenied, detail: nil))
        let silent = AuthorizationServer()
        let expired = await #expect(throws: SignInError.self) {
            try await signIn(at: silent, over: silent.transport) { _ in }
        }
        #expect(expired?.problem == .expired)
    }

    @Test("A network that fails and a server that is overloaded slow it down, and end nothing")
    func faults() async throws {
        let server = AuthorizationServer()
        let transport = transport(to: server) { number in
            if number == 1 { throw TransportError(.timedOut, sent: .maybe, stage: "test") }
            server.answer(with: .allow)
        }
        _ = try await signIn(at: server, over: transport) { _ in }
        #expect(clock.sleeps == [.seconds(5), .seconds(10)])
    }

    @Test("Each answer has its consequence (RFC 8628 §3.5)")
    func polling() {
        var polling = DevicePolling(interval: .seconds(5))
        func refusal(_ code: OAuthError.Code) -> OAuthError { OAuthError(.refused(code, detail: nil)) }
        #expect(polling.failure(after: refusal(.authorizationPending)) == nil && polling.interval == .seconds(5))
        #expect(polling.failure(after: refusal(.slowDown)) == nil && polling.interval == .seconds(10))
        #expect(polling.failure(after: OAuthError(.unexpectedStatus(503))) == nil && polling.interval == .seconds(20))
        #expect((polling.failure(after: refusal(.expiredToken)) as? SignInError)?.problem == .expired)
        #expect((polling.failure(after: refusal(.invalidClient)) as? OAuthError)?.code == .invalidClient)
    }

    @Test("It can be cancelled between two questions")
    func cancelled() async throws {
        let clock = VirtualClock()
        let server = AuthorizationServer()
        let metadata = try await AuthorizationServerMetadata.discover(server.issuer, over: server.transport)
        let signIn = try DeviceSignIn(metadata, client: server.client)
        let task = Task {
            try await signIn.token(over: server.transport, environment: .virtual(clock)) { _ in }
        }
        try await clock.waitForSleepers()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test(
        "A reply without what is needed is none",
        arguments: [
            "", "[]", "{}", #"{"device_code": "a", "user_code": "b"}"#,
            #"{"device_code": "a", "user_code": "b", "verification_uri": "not a url"}"#,
            #"{"device_code": "", "user_code": "b", "verification_uri": "https://a.example"}"#,
        ]
    )
    func malformed(text: String) {
        #expect(DeviceCode(Data(text.utf8), now: Date()) == nil)
    }
}
#endif
