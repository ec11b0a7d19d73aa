#if AllTests
import HTTPChain
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@Suite("Writes of which nothing was sent")
struct UnsentWriteTests {
    enum Answer: Sendable {
        case status(Int)
        case redirect(Int)
        case failure(TransportError.Sent)

        func response() throws -> Response {
            switch self {
            case .status(let code): Response(HTTPResponse.Status(code: code))
            case .redirect(let code):
                Response(HTTPResponse.Status(code: code), headers: [.location: "/there"])
            case .failure(let sent): throw TransportError(.connectionLost, sent: sent, stage: "test")
            }
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let answers: [Answer]
        /// The number of requests after which the rate limit refuses.
        var limit = 10
        var isIdempotent = false
        let isDoneElsewhere: Bool

        var testDescription: String { name }
    }

    static let rows = [
        Row(name: "refused at once", answers: [.status(200)], limit: 0, isDoneElsewhere: true),
        Row(name: "no connection", answers: [.failure(.nothing), .failure(.nothing)], isDoneElsewhere: true),
        Row(name: "the connection was lost", answers: [.failure(.maybe)], isDoneElsewhere: false),
        Row(name: "503", answers: [.status(503)], isDoneElsewhere: false),
        Row(
            name: "lost, then refused",
            answers: [.failure(.maybe)],
            limit: 1,
            isIdempotent: true,
            isDoneElsewhere: false
        ),
        Row(
            name: "lost, then no connection",
            answers: [.failure(.maybe), .failure(.nothing)],
            isIdempotent: true,
            isDoneElsewhere: false
        ),
        Row(
            name: "done, then no connection to the page of the result",
            answers: [.redirect(303), .failure(.nothing), .failure(.nothing)],
            isDoneElsewhere: false
        ),
        Row(
            name: "done, then the page of the result is refused",
            answers: [.redirect(303)],
            limit: 1,
            isDoneElsewhere: false
        ),
        Row(
            name: "sent elsewhere by the server, and refused",
            answers: [.redirect(307)],
            limit: 1,
            isDoneElsewhere: true
        ),
    ]

    @Test("They are done elsewhere; one that a server may have done is not", arguments: rows)
    func doneElsewhere(row: Row) async throws {
        let clock = VirtualClock()
        let sent = Locked(0)
        let transport = ClosureTransport { _ in
            let index = sent.withLock { count in
                defer { count += 1 }
                return count
            }
            return try row.answers[min(index, row.answers.count - 1)].response()
        }
        let limit = RateLimit(max(row.limit, 1), per: .seconds(3600))
        let limiter = RateLimiter([limit], by: .all, excess: .refuse)
        let chain = try Chain(transport: transport, environment: .virtual(clock)) {
            FallbackMiddleware(.response(Response(.created)), when: FallbackMiddleware.standardOrUnsent)
            RedirectMiddleware()
            RetryMiddleware(RetryPolicy(maximumAttempts: 2, backoff: .none))
            RateLimitMiddleware(limiter)
        }
        if row.limit == 0 { _ = try? await chain.send(.get("https://a.example.com/")) }
        sent.withLock { $0 = 0 }
        let request = Request.post("https://a.example.com/", body: "x").idempotent(row.isIdempotent)
        do {
            let response = try await chain.send(request)
            #expect((response.fallback != nil) == row.isDoneElsewhere)
        } catch {
            #expect(!row.isDoneElsewhere)
            let isRefusal = error is RateLimitExceededError
            #expect(!isRefusal || "\(error)".contains("an earlier request of this call may have reached the server"))
        }
    }
}
#endif
