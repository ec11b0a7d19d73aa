#if AllTests
import Foundation
import HTTPChainAuth
import HTTPChainCore
import HTTPChainInMemory
@testable import HTTPChainOAuth
import HTTPChainTesting
import HTTPTypes
import SignInServer
import Testing

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
        #expect(denied?.problem == .refused("access_denied", detail: nil))
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
        func refusal(_ code: String) -> OAuthError { OAuthError(.refused(code, detail: nil)) }
        #expect(polling.failure(after: refusal("authorization_pending")) == nil && polling.interval == .seconds(5))
        #expect(polling.failure(after: refusal("slow_down")) == nil && polling.interval == .seconds(10))
        #expect(polling.failure(after: OAuthError(.unexpectedStatus(503))) == nil && polling.interval == .seconds(20))
        #expect((polling.failure(after: refusal("expired_token")) as? SignInError)?.problem == .expired)
        #expect((polling.failure(after: refusal("invalid_client")) as? OAuthError)?.code == "invalid_client")
    }

    @Test(
        "A temporary failure slows it down and ends nothing, also with an error of OAuth in its body",
        arguments: [408, 425, 429, 500, 502, 503],
        ["", "<html>", #"{"error": "temporarily_unavailable"}"#, #"{"error": "invalid_request"}"#]
    )
    func temporary(code: Int, text: String) async throws {
        try await signIn(first: Response(.init(code: code), body: HTTPBody(text)), waiting: [5, 10])
    }

    @Test(
        "Retry-After of the token endpoint is kept, once, if it asks for more than the interval",
        arguments: [
            (503, "", "30", [5, 30, 10]), (429, #"{"error": "slow_down"}"#, "60", [5, 60, 10]),
            (400, #"{"error": "authorization_pending"}"#, "20", [5, 20, 5]), (503, "", "1", [5, 10, 10]),
            (503, "", "Sun, 06 Nov 1994 08:50:37 GMT", [5, 55, 10]), (503, "", "soon", [5, 10, 10]),
        ]
    )
    func retryAfter(code: Int, text: String, field: String, waits: [Int]) async throws {
        let response = Response(.init(code: code), headers: [.retryAfter: field], body: HTTPBody(text))
        try await signIn(first: response, pending: 1, waiting: waits)
    }

    @Test("Retry-After beyond the code's life ends the sign-in without another request")
    func retryAfterTooLong() async throws {
        let response = Response(.serviceUnavailable, headers: [.retryAfter: "99999999999999999999"])
        let error = await #expect(throws: SignInError.self) { try await signIn(first: response, waiting: []) }
        #expect(error?.problem == .expired)
        #expect(clock.sleeps == [.seconds(5)])
    }

    /// Signs in at a server whose first reply to a poll is given, and which then lets the user in.
    private func signIn(first: Response, pending: Int = 0, waiting seconds: [Int]) async throws {
        let server = AuthorizationServer()
        let count = Locked(0)
        let transport = InMemoryTransport { request in
            guard request.head.path == "/token" else { return try await server.handle(request) }
            let number = count.withLock { count in
                count += 1
                return count
            }
            if number == 1 { return first }
            if number > 1 + pending { server.answer(with: .allow) }
            return try await server.handle(request)
        }
        _ = try await signIn(at: server, over: transport) { _ in }
        #expect(clock.sleeps == seconds.map { Duration.seconds($0) })
    }

    @Test(
        "Numbers of a reply may be texts, and members that are not needed may be of any type",
        arguments: [
            (#""expires_in": "900", "interval": "7""#, 900, 7), (#""expires_in": 900, "interval": 7"#, 900, 7),
            (#""expires_in": "900.0", "interval": "7.0""#, 900, 7), (#""expires_in": "soon", "interval": []"#, 600, 5),
            (#""expires_in": null, "interval": null"#, 600, 5), (#""expires_in": {}, "interval": true"#, 600, 5),
            (#""expires_in": "nan", "interval": "inf""#, 600, 5),
            (#""expires_in": 1e300, "interval": "1e300""#, 86400, 300),
            (#""expires_in": "-1", "interval": "-1""#, 0, 1), (#""verification_uri_complete": 5"#, 600, 5),
            (#""message": {}, "verification_url": 7"#, 600, 5),
        ]
    )
    func numbers(members: String, life: Int, interval: Int) throws {
        let text = #"{"device_code": "a", "user_code": "b", "verification_uri": "https://a.example", \#(members)}"#
        let now = Date(timeIntervalSince1970: 0)
        let code = try #require(DeviceCode(Data(text.utf8), now: now))
        #expect(code.expiration == now.addingTimeInterval(Double(life)) && code.interval == .seconds(interval))
        #expect(code.completeVerificationURI == nil)
    }

    @Test("The address under its older name counts if the other is empty")
    func olderName() {
        let text =
            #"{"device_code": "a", "user_code": "b", "verification_uri": "", "verification_url": "https://a.example"}"#
        #expect(DeviceCode(Data(text.utf8), now: Date())?.verificationURI == "https://a.example")
    }

    @Test("Signing in can be cancelled between two polls")
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
