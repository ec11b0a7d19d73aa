#if AllTests
import Foundation
import HTTPChainAuth
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import Testing

import HTTPChainAuthDigest

private let base = "https://plants.example"
private let ada = Credential(user: "ada", password: "lovelace")
private let grace = Credential(user: "grace", password: "hopper")

@Suite("Digest credentials that are forgotten", .timeLimit(.minutes(10)))
struct ForgottenCredentialsTests {
    private func server(repeatsNonce: Bool = false) -> DigestServer {
        DigestServer {
            $0.users = ["ada": "lovelace", "grace": "hopper"]
            $0.repeatsNonce = repeatsNonce
        }
    }

    private func stored(_ store: InMemoryCredentialStore) -> DigestAuthMiddleware {
        DigestAuthMiddleware(StoredCredentialProvider(store, for: base, service: "plants"))
    }

    @Test("After a change of the store the new user is authenticated, and after a removal none")
    func changedStore() async throws {
        let (server, store) = (server(), InMemoryCredentialStore(["plants": ada]))
        let chain = try server.chain(stored(store))
        for _ in 0..<2 { _ = try await chain.send(.get("\(base)/a")) }
        store.set(grace, for: "plants")
        for _ in 0..<2 { _ = try await chain.send(.get("\(base)/a")) }
        #expect(server.accepted.map(\.user) == ["ada", "ada", "grace", "grace"])
        #expect(server.unanswered == 2 && server.refused.isEmpty)
        store.removeCredential(for: "plants")
        #expect(try await chain.send(.get("\(base)/a")).status == .unauthorized)
        #expect(server.accepted.count == 4)
    }

    @Test("Forgetting has the provider asked again, and counts of a nonce go on", arguments: [false, true])
    func forget(repeatsNonce: Bool) async throws {
        let user = Locked(ada)
        let provider = ClosureCredentialProvider(for: base) { _, rejected in
            rejected == nil ? user.withLock { $0 } : nil
        }
        let server = server(repeatsNonce: repeatsNonce)
        let stage = DigestAuthMiddleware(provider)
        let chain = try server.chain(stage)
        for _ in 0..<2 { #expect(try await chain.send(.get("\(base)/a")).status == .ok) }
        user.withLock { $0 = grace }
        stage.forgetCredentials()
        for _ in 0..<2 { #expect(try await chain.send(.get("\(base)/a")).status == .ok) }
        #expect(server.accepted.map(\.user) == ["ada", "ada", "grace", "grace"] && server.refused.isEmpty)
    }

    @Test("A call in flight that needs another nonce keeps its user, and doesn't put the credential back")
    func staleNonceInFlight() async throws {
        let server = server()
        let store = InMemoryCredentialStore(["plants": ada])
        let isSwitching = Locked(false)
        let transport = InMemoryTransport { request in
            if isSwitching.withLock({ $0 }) {
                isSwitching.withLock { $0 = false }
                store.set(grace, for: "plants")
                server.restart()
            }
            return try await server.handle(request)
        }
        let chain = try Chain(transport: transport) { stored(store) }
        _ = try await chain.send(.get("\(base)/a"))
        isSwitching.withLock { $0 = true }
        #expect(try await chain.send(.post("\(base)/a", body: "ada's")).status == .ok)
        #expect(try await chain.send(.get("\(base)/a")).status == .ok)
        #expect(server.accepted.map(\.user) == ["ada", "ada", "grace"])
    }

    @Test("A request that was rejected after a change isn't sent again as another user")
    func rejectedAfterChange() async throws {
        let server = server()
        let store = InMemoryCredentialStore(["plants": ada])
        let isSwitching = Locked(false)
        let transport = InMemoryTransport { request in
            if isSwitching.withLock({ $0 }) {
                store.set(grace, for: "plants")
                server.set { $0.users["ada"] = nil }
            }
            return try await server.handle(request)
        }
        let chain = try Chain(transport: transport) { stored(store) }
        _ = try await chain.send(.get("\(base)/a"))
        isSwitching.withLock { $0 = true }
        #expect(try await chain.send(.post("\(base)/a", body: "ada's")).status == .unauthorized)
        #expect(server.accepted.map(\.user) == ["ada"])
    }
}
#endif
