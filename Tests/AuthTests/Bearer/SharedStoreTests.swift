#if AllTests
import Foundation
import HTTPChainAuth
import HTTPChainCore
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

private let origin: OriginSet = "https://api.example.com"
private let plantsURL = "https://api.example.com/plants"

/// A store that replaces tokens in the way of a test, and records what is saved.
private final class SharedStore: TokenStore {
    typealias Fetch = @Sendable (AccessToken?) async throws -> AccessToken
    typealias Replace = @Sendable (AccessToken?, Fetch) async throws -> RefreshedToken?

    private let saved = Locked<[Secret]>([])
    private let replace: Replace

    init(_ replace: @escaping Replace) {
        self.replace = replace
    }

    var savedTokens: [Secret] { saved.withLock { $0 } }

    func token() -> AccessToken? { nil }
    func save(_ token: AccessToken) { saved.withLock { $0.append(token.value) } }
    func removeToken() {}

    func refresh(
        replacing old: AccessToken?,
        in environment: ChainEnvironment,
        by fetch: @Sendable (AccessToken?) async throws -> AccessToken
    ) async throws -> RefreshedToken? {
        try await withoutActuallyEscaping(fetch) { try await replace(old, $0) }
    }
}

/// A source of tokens that records those it was to discard.
private final class DiscardingSource: AccessTokenProvider {
    private let discarded = Locked<[Secret]>([])

    var discardedTokens: [Secret] { discarded.withLock { $0 } }

    func accessToken(replacing old: AccessToken?, in context: RefreshContext) -> AccessToken { AccessToken("fetched") }
    func discard(_ token: AccessToken, in context: RefreshContext) { discarded.withLock { $0.append(token.value) } }
}

@Suite("A store that other processes share", .timeLimit(.minutes(10)))
struct SharedStoreTests {
    @Test("A token that another process saved is used without fetching or saving one")
    func adopted() async throws {
        let source = TokenSource()
        let olds = Locked<[AccessToken?]>([])
        let store = SharedStore { old, _ in
            olds.withLock { $0.append(old) }
            return RefreshedToken(AccessToken("theirs"), isSaved: true)
        }
        let stage = BearerAuthMiddleware(source, for: origin, token: AccessToken("old"), saving: store)
        let outcome = await StageHarness(stage).send(.get(plantsURL), answering: [.unauthorized(), .status(.ok)])
        #expect(outcome.requests.map(\.token) == ["old", "theirs"])
        #expect(olds.withLock { $0.map(\.?.value) } == ["old"])
        #expect(source.count == 0)
        #expect(store.savedTokens.isEmpty)
    }

    @Test("A store chooses the token that is replaced, and a token that it has not saved is saved")
    func chosen() async throws {
        let source = TokenSource()
        let store = SharedStore { _, fetch in
            RefreshedToken(try await fetch(AccessToken("stored")), isSaved: false)
        }
        let stage = BearerAuthMiddleware(source, for: origin, token: AccessToken("old"), saving: store)
        let outcome = await StageHarness(stage).send(.get(plantsURL), answering: [.unauthorized(), .status(.ok)])
        #expect(outcome.requests.map(\.token) == ["old", "token-1"])
        #expect(source.olds.map(\.?.value) == ["stored"])
        #expect(store.savedTokens == ["token-1"])
    }

    @Test("A call whose token of another process is rejected, too, gets another one")
    func rejectedAgain() async throws {
        let count = Counter()
        let store = SharedStore { _, _ in
            RefreshedToken(AccessToken(Secret("theirs-\(count.add())")), isSaved: true)
        }
        let stage = BearerAuthMiddleware(TokenSource(), for: origin, token: AccessToken("old"), saving: store)
        let outcome = await StageHarness(stage).send(
            .get(plantsURL),
            answering: [.unauthorized(), .unauthorized(nil), .status(.ok)]
        )
        #expect(outcome.requests.map(\.token) == ["old", "theirs-1", "theirs-2"])
    }

    @Test("A token that was fetched while another process signed out is discarded, and the call says so")
    func signedOut() async throws {
        let source = DiscardingSource()
        let store = SharedStore { old, fetch in
            _ = try await fetch(old)
            return nil
        }
        let stage = BearerAuthMiddleware(source, for: origin, saving: store)
        let outcome = await StageHarness(stage).send(.get(plantsURL), answering: [])
        #expect((outcome.error as? AuthenticationError)?.problem == .signedOut)
        #expect(source.discardedTokens == ["fetched"])
        #expect(store.savedTokens.isEmpty)
    }

    @Test("A token that the store has isn't discarded when the application replaces it meanwhile")
    func replacedMeanwhile() async throws {
        let source = DiscardingSource()
        let (began, goesOn) = (Rendezvous(), Rendezvous())
        let store = SharedStore { _, _ in
            began.reach()
            try await goesOn.wait()
            return RefreshedToken(AccessToken("theirs"), isSaved: true)
        }
        let stage = BearerAuthMiddleware(source, for: origin, saving: store)
        async let call = StageHarness(stage).send(.get(plantsURL))
        try await began.wait()
        stage.replaceToken(with: AccessToken("ben"))
        goesOn.reach()
        #expect(await call.requests.map(\.token) == ["ben"])
        #expect(source.discardedTokens.isEmpty)
    }

    @Test("A token of a store that can't be sent fails the call")
    func malformed() async throws {
        let store = SharedStore { _, _ in RefreshedToken(AccessToken("a b"), isSaved: true) }
        let stage = BearerAuthMiddleware(TokenSource(), for: origin, saving: store)
        let outcome = await StageHarness(stage).send(.get(plantsURL), answering: [])
        #expect((outcome.error as? AuthenticationError)?.problem == .malformedToken)
    }
}
#endif
