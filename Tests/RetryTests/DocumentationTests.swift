import HTTPChainCore
import HTTPChainInMemory
import HTTPChainRetry
import HTTPChainTesting
import HTTPTypes
import Testing

/// The code of the documentation pages, which compiles here.
private enum Page {
    static func use(_ transport: some Transport) async throws -> Response {
        // begin
        let chain = try Chain(transport: transport) {
            RetryMiddleware(RetryPolicy(maximumAttempts: 4, totalTime: .seconds(30)))
        }
        let response = try await chain.send(.get("https://api.example.com/plants"))
        if let retries = response.retries { print(retries) }  // each attempt, its wait, and why there was not another
        // end
        return response
    }

    static var policy: RetryPolicy {
        // begin
        var policy = RetryPolicy(maximumAttempts: 5, backoff: Backoff(base: .seconds(1)))
        policy.statuses = policy.statuses.subtracting([500])
        policy.verdict = { candidate in
            if case .success(let head) = candidate.result, head.status == .accepted { .retry } else { .standard }
        }
        // end
        return policy
    }

    static func health(_ chain: Chain) async throws -> Response {
        // begin
        let response = try await chain.send(.get("https://api.example.com/health").retry(.never))
        // end
        return response
    }
}

@Suite("The documentation page", .timeLimit(.minutes(10)))
struct DocumentationTests {
    @Test("The stage passes a success on")
    func stage() async throws {
        let response = try await Page.use(InMemoryTransport { _ in Response(.ok, body: "plants") })
        #expect(response.retries == nil)
        #expect(try await response.body.text() == "plants")
    }

    @Test("The policy waits for what was accepted, and leaves 500 alone")
    func policy() async throws {
        let harness = StageHarness(RetryMiddleware(Page.policy))
        let outcome = await harness.send(.get(url), answering: .status(.accepted), .status(.internalServerError))
        #expect(try outcome.response().status == .internalServerError)
    }

    @Test("The health check is sent once")
    func health() async throws {
        let transport = InMemoryTransport { _ in Response(.serviceUnavailable) }
        let chain = try Chain(transport: transport) { RetryMiddleware() }
        #expect(try await Page.health(chain).status == .serviceUnavailable)
        #expect(transport.requestCount == 1)
    }
}
