#if AllTests
import HTTPChainAuth
import HTTPChainCore
import HTTPChainTesting
import Testing

@Suite("The rules of every stage")
struct ConformanceTests {
    private static let origin: OriginSet = "https://conformance.example"

    @Test(
        "Basic keeps the rules when it is asked",
        .timeLimit(.minutes(10)),
        arguments: StageConformance.Check.allCases
    )
    func whenChallenged(check: StageConformance.Check) async throws {
        try await StageConformance(calls: .any) {
            BasicAuthMiddleware(user: "ada", password: "lovelace", for: Self.origin)
        }.verify(check)
    }

    @Test(
        "Basic keeps the rules when it is sent preemptively",
        .timeLimit(.minutes(10)),
        arguments: StageConformance.Check.allCases
    )
    func preemptive(check: StageConformance.Check) async throws {
        try await StageConformance(calls: .any) {
            BasicAuthMiddleware(user: "ada", password: "lovelace", for: Self.origin, sending: .preemptively)
        }.verify(check)
    }

    @Test("Several schemes keep the rules", .timeLimit(.minutes(10)), arguments: StageConformance.Check.allCases)
    func several(check: StageConformance.Check) async throws {
        try await StageConformance(calls: .any) {
            AuthenticationMiddleware([
                WordAuthenticator("Basic", .password, words: ["1", "2", "3"]),
                WordAuthenticator("Strong", .proof, words: ["1", "2", "3"], sendsPreemptively: true),
            ])
        }.verify(check)
    }

    @Test("Routes keep the rules of every stage", .timeLimit(.minutes(10)), arguments: StageConformance.Check.allCases)
    func routes(check: StageConformance.Check) async throws {
        try await StageConformance(calls: .any) {
            RoutedAuthMiddleware([
                AuthRoute(with: BasicAuthMiddleware(user: "ada", password: "lovelace", for: Self.origin))
            ])
        }.verify(check)
    }
}
#endif
