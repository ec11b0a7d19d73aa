import HTTPChainCore
import HTTPChainRetry
import HTTPChainTesting
import HTTPTypes
import Testing

@Suite("The rules for every stage", .timeLimit(.minutes(10)))
struct ConformanceTests {
    @Test("A stage that retries keeps them", arguments: StageConformance.Check.allCases)
    func retries(check: StageConformance.Check) async throws {
        try await StageConformance(
            calls: .any,
            recoversFromErrors: true,
            request: { Request(.put, url, headers: [.contentType: "text/plain"], body: "what is asked") },
            stage: { RetryMiddleware(plainPolicy(), budget: RetryBudget()) { _ in } }
        ).verify(check)
    }

    @Test(
        "A stage that retries keeps them with a request that must not be repeated",
        arguments: StageConformance.Check.allCases
    )
    func posts(check: StageConformance.Check) async throws {
        try await StageConformance(calls: .any, stage: { RetryMiddleware() }).verify(check)
    }

    @Test("A download that can be resumed keeps them", arguments: StageConformance.Check.allCases)
    func downloads(check: StageConformance.Check) async throws {
        try await StageConformance(
            calls: .any,
            request: { .get(url) },
            answers: { [.status(.ok, headers: [.eTag: "\"1\""], body: "what is answered, in several pieces")] },
            stage: { RetryMiddleware(plainPolicy()) }
        ).verify(check)
    }

    @Test("A stage that never retries sends once", arguments: StageConformance.Check.allCases)
    func never(check: StageConformance.Check) async throws {
        try await StageConformance { RetryMiddleware(.never) }.verify(check)
    }
}
