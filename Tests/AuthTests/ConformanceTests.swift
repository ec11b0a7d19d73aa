import HTTPChainAuth
import HTTPChainCore
import HTTPChainTesting
import Testing

@Suite("The rules of every stage")
struct ConformanceTests {
    private static let origin: OriginSet = "https://conformance.example"

    @Test("Basic, when asked", .timeLimit(.minutes(1)), arguments: StageConformance.Check.allCases)
    func whenAsked(check: StageConformance.Check) async throws {
        try await StageConformance(calls: .any) {
            BasicAuthMiddleware(user: "ada", password: "lovelace", for: Self.origin)
        }.verify(check)
    }

    @Test("Basic, ahead", .timeLimit(.minutes(1)), arguments: StageConformance.Check.allCases)
    func ahead(check: StageConformance.Check) async throws {
        try await StageConformance(calls: .any) {
            BasicAuthMiddleware(user: "ada", password: "lovelace", for: Self.origin, sending: .ahead)
        }.verify(check)
    }

    @Test("Several schemes", .timeLimit(.minutes(1)), arguments: StageConformance.Check.allCases)
    func several(check: StageConformance.Check) async throws {
        try await StageConformance(calls: .any) {
            AuthenticationMiddleware([
                WordAuthenticator("Basic", .password, words: ["1", "2", "3"]),
                WordAuthenticator("Strong", .proof, words: ["1", "2", "3"], sendsUnasked: true),
            ])
        }.verify(check)
    }

    @Test("Routes", .timeLimit(.minutes(1)), arguments: StageConformance.Check.allCases)
    func routes(check: StageConformance.Check) async throws {
        try await StageConformance(calls: .any) {
            RoutedAuthMiddleware([
                AuthRoute(with: BasicAuthMiddleware(user: "ada", password: "lovelace", for: Self.origin))
            ])
        }.verify(check)
    }
}
