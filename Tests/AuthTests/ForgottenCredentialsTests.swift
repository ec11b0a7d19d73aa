#if AllTests
import Foundation
import HTTPChainAuth
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

private let challenge = "Basic realm=\"docs\""

@Suite("Credentials that are forgotten", .timeLimit(.minutes(10)))
struct ForgottenCredentialsTests {
    enum Store: CaseIterable, Sendable {
        case memory, file
    }

    private func withStore(
        _ kind: Store,
        _ body: (_ one: any CredentialStore, _ same: any CredentialStore) async throws -> Void
    ) async throws {
        let scratch = try ScratchDirectory.created()
        let file = scratch.file("credentials.json")
        switch kind {
        case .memory:
            let store = InMemoryCredentialStore()
            try await body(store, store)
        case .file: try await body(FileCredentialStore(at: file), FileCredentialStore(at: file))
        }
    }

    private func authorizations(_ stage: BasicAuthMiddleware) async -> [String?] {
        await StageHarness(stage).send(.get(url), answering: .challenge(challenge), .ok).authorizations
    }

    @Test("After a change of the store the new credential is sent, and after a removal none", arguments: Store.allCases)
    func changedStore(kind: Store) async throws {
        try await withStore(kind) { store, same in
            try await store.set(ada, for: "docs")
            let stage = BasicAuthMiddleware(StoredCredentialProvider(store, for: url, service: "docs"))
            #expect(await authorizations(stage) == [nil, adaField])
            #expect(await StageHarness(stage).send(.get(url), answering: .ok).authorizations == [adaField])
            try await same.set(grace, for: "docs")
            #expect(!stage.isSessionOpen)
            #expect(await authorizations(stage) == [nil, graceField])
            try await same.removeCredential(for: "docs")
            #expect(await authorizations(stage) == [nil])
        }
    }

    @Test("A credential that is sent with the first request is the store's present one", arguments: Store.allCases)
    func changedStorePreemptively(kind: Store) async throws {
        try await withStore(kind) { store, same in
            try await store.set(ada, for: "docs")
            let provider = StoredCredentialProvider(store, for: url, service: "docs")
            let stage = BasicAuthMiddleware(provider, sending: .preemptively)
            for (credential, field) in [(ada, adaField), (grace, graceField)] {
                try await same.set(credential, for: "docs")
                #expect(await StageHarness(stage).send(.get(url), answering: .ok).authorizations == [field])
            }
            try await same.removeCredential(for: "docs")
            #expect(await StageHarness(stage).send(.get(url), answering: .ok).authorizations == [nil])
        }
    }

    @Test("That a provider stores its own answer isn't a change", arguments: Store.allCases)
    func ownChange(kind: Store) async throws {
        try await withStore(kind) { store, _ in
            let prompt = ListedCredentials([ada, grace])
            let stage = BasicAuthMiddleware(StoredCredentialProvider(store, for: url, asking: prompt))
            #expect(await authorizations(stage) == [nil, adaField])
            #expect(await StageHarness(stage).send(.get(url), answering: .ok).authorizations == [adaField])
            #expect(prompt.questions.count == 1)
        }
    }

    @Test("A change of the store of a provider's fallback is a change")
    func changedFallback() async throws {
        let (outer, inner) = (InMemoryCredentialStore(), InMemoryCredentialStore(["docs": ada]))
        let fallback = StoredCredentialProvider(inner, for: url, service: "docs")
        let stage = BasicAuthMiddleware(StoredCredentialProvider(outer, for: url, service: "docs", asking: fallback))
        #expect(await authorizations(stage) == [nil, adaField])
        #expect(await StageHarness(stage).send(.get(url), answering: .ok).authorizations == [adaField])
        inner.set(grace, for: "docs")
        #expect(!stage.isSessionOpen)
    }

    @Test("Forgetting has the provider asked again", arguments: [BasicSending.whenChallenged, .preemptively])
    func forget(sending: BasicSending) async {
        let provider = ListedCredentials([ada, grace])
        let stage = BasicAuthMiddleware(provider, sending: sending)
        let first: [String?] = sending == .preemptively ? [] : [nil]
        for field in [adaField, graceField] {
            let answers: [StageHarness.Answer] = sending == .preemptively ? [.ok] : [.challenge(challenge), .ok]
            #expect(await StageHarness(stage).send(.get(url), answering: answers).authorizations == first + [field])
            #expect(await StageHarness(stage).send(.get(url), answering: .ok).authorizations == [field])
            stage.forgetCredentials()
            #expect(!stage.isSessionOpen)
        }
        #expect(provider.questions.map(\.rejected) == [nil, nil])
    }

    @Test("A call in flight doesn't put a forgotten credential back, and later calls don't share it")
    func inFlight() async throws {
        let gate = Rendezvous()
        let provider = ListedCredentials([ada, grace], after: gate)
        let stage = BasicAuthMiddleware(provider, sending: .preemptively)
        let sent = Locked<[String?]>([])
        let transport = InMemoryTransport { request in
            sent.withLock { $0.append(request.authorization) }
            return Response(.ok)
        }
        let chain = try Chain([stage], transport: transport)
        let first = Task { try await chain.send(.get(url)) }
        try await until("the provider to be asked") { !provider.questions.isEmpty }
        stage.forgetCredentials()
        let second = Task { try await chain.send(.get(url)) }
        gate.reach()
        _ = try await (first.value, second.value)
        #expect(Set(sent.withLock { $0 }) == [adaField, graceField])
        _ = try await chain.send(.get(url))
        #expect(sent.withLock { $0.last } == graceField)
        #expect(provider.questions.count == 2)
    }

    @Test("A request that was rejected after a change isn't sent again as another user")
    func rejectedAfterChange() async throws {
        let store = InMemoryCredentialStore(["docs": ada])
        let provider = StoredCredentialProvider(store, for: url, service: "docs")
        let stage = BasicAuthMiddleware(provider, sending: .preemptively)
        let sent = Locked<[String?]>([])
        let transport = InMemoryTransport { request in
            sent.withLock { $0.append(request.authorization) }
            guard request.authorization == adaField else { return Response(.ok) }
            store.set(grace, for: "docs")
            return Response(.unauthorized, headers: [.wwwAuthenticate: challenge])
        }
        let chain = try Chain([stage], transport: transport)
        let response = try await chain.send(.post(url, body: "ada's"))
        #expect(response.status == .unauthorized && sent.withLock { $0 } == [adaField])
        #expect(try await chain.send(.get(url)).status == .ok)
        #expect(sent.withLock { $0 } == [adaField, graceField])
    }

    @Test("A user's new password is sent after the old one was rejected")
    func newPassword() async throws {
        let store = InMemoryCredentialStore(["docs": ada])
        let provider = StoredCredentialProvider(store, for: url, service: "docs")
        let transport = InMemoryTransport { request in
            guard request.authorization == adaField else { return Response(.ok) }
            store.set(Credential(user: "ada", password: "byron"), for: "docs")
            return Response(.unauthorized, headers: [.wwwAuthenticate: challenge])
        }
        let chain = try Chain([BasicAuthMiddleware(provider, sending: .preemptively)], transport: transport)
        #expect(try await chain.send(.post(url, body: "ada's")).status == .ok)
    }

    @Test("A second request of a call isn't sent as a user who logged in after the first", arguments: [true, false])
    func secondRequest(isSameUser: Bool) async throws {
        let store = InMemoryCredentialStore()
        store.set(ada, for: "docs")
        let stage = BasicAuthMiddleware(
            StoredCredentialProvider(store, for: url, service: "docs"),
            sending: .preemptively
        )
        let sent = Locked<[String?]>([])
        let transport = InMemoryTransport { request in
            sent.withLock { $0.append(request.headers[.authorization]) }
            if !isSameUser { store.set(grace, for: "docs") }
            return Response(.serviceUnavailable)
        }
        let chain = try Chain(transport: transport) {
            ClosureMiddleware("Again") { request, next in
                _ = try await next(request)
                return try await next(request)
            }
            stage
        }
        if isSameUser {
            #expect(try await chain.send(.post(url, body: "x")).status == .serviceUnavailable)
            #expect(sent.withLock { $0 } == [adaField, adaField])
        } else {
            let error = await #expect(throws: UserChangedError.self) { try await chain.send(.post(url, body: "x")) }
            #expect(error?.stage == "BasicAuthMiddleware" && sent.withLock { $0 } == [adaField])
            _ = try? await chain.send(.get(url))
            #expect(sent.withLock { $0 }.dropFirst() == [graceField])
        }
    }
}
#endif
