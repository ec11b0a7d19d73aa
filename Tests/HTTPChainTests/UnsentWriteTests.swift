#if AllTests
import HTTPChain
import HTTPChainResumableUpload
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

    @Test(
        "Writes of which nothing was sent are done elsewhere; one that a server may have done is not",
        arguments: rows
    )
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
        let request = Request.post("https://a.example.com/", body: "x").retry(idempotencyKey: row.isIdempotent)
        do {
            let response = try await chain.send(request)
            #expect((response.fallback != nil) == row.isDoneElsewhere)
        } catch {
            #expect(!row.isDoneElsewhere)
            let isRefusal = error is RateLimitExceededError
            #expect(!isRefusal || "\(error)".contains("an earlier request of this call may have reached the server"))
        }
    }

    /// A server of tus that loses its response to the content, and can't be asked afterwards.
    private func uploadServer(isReachable: Bool, unreachable kind: TransportError.Kind, _ writes: Counter)
        -> any Transport
    {
        ClosureTransport { request in
            switch request.method {
            case .post where isReachable: return Response(.created, headers: [.location: "/uploads/1"])
            case .patch:
                writes.add()
                throw TransportError(.connectionLost, sent: .maybe, stage: "test")
            default: throw TransportError(kind, sent: .nothing, stage: "test")
            }
        }
    }

    @Test(
        "An upload that the server may have is not done elsewhere, nor by a later call that resumes it",
        arguments: [true, false],
        [TransportError.Kind.cannotConnect, .secureConnectionFailed]
    )
    func uploads(isReachable: Bool, kind: TransportError.Kind) async throws {
        let (writes, mirrored) = (Counter(), Counter())
        let mirror = ClosureTransport { _ in
            mirrored.add()
            return Response(.created)
        }
        let options = ResumableUploadOptions(maximumAttempts: 1)
        let server = uploadServer(isReachable: isReachable, unreachable: kind, writes)
        let chain = try Chain(transport: server, environment: .virtual(.automatic())) {
            FallbackMiddleware(.chain(mirror), when: FallbackMiddleware.standardOrUnsent)
            ResumableUploadMiddleware(.tus, partition: .shared, options: options)
        }
        let request = Request.post("https://a.example.com/files", body: "content").resumableUpload()
        if isReachable {
            for _ in 1...2 {
                let error = await #expect(throws: (any Error).self) { try await chain.send(request) }
                #expect(error?.isBeforeSending == false)
            }
            #expect(writes.value == 1 && mirrored.value == 0)
        } else {
            #expect(try await chain.send(request).fallback != nil)
            #expect(writes.value == 0 && mirrored.value == 1)
        }
    }

    @Test("A write that a fallback may have done is not done by the next, nor by a retry", arguments: [true, false])
    func fallbacks(isNested: Bool) async throws {
        func failing(_ sent: TransportError.Sent, _ count: Counter) -> ClosureTransport {
            ClosureTransport { _ in
                count.add()
                throw TransportError(.connectionLost, sent: sent, stage: "test")
            }
        }
        let (server, mirror, last) = (Counter(), Counter(), Counter())
        let (first, second) = (failing(.maybe, mirror), failing(.nothing, last))
        let condition = FallbackMiddleware.standardOrUnsent
        let chain = try Chain(transport: failing(.nothing, server), environment: .virtual(.automatic())) {
            if isNested { FallbackMiddleware(.chain(second), when: condition) }
            FallbackMiddleware(isNested ? .chain(first) : .chain(first).or(.chain(second)), when: condition)
        }
        let outer = try Chain(transport: chain, environment: .virtual(.automatic())) { RetryMiddleware() }
        let error = await #expect(throws: TransportError.self) {
            try await outer.send(.post("https://a.example.com/", body: "x"))
        }
        #expect(error?.sent == .maybe)
        #expect([server.value, mirror.value, last.value] == [1, 1, 0])
    }

    @Test("A write that no fallback has received is done by the next")
    func unsentFallback() async throws {
        func unsent(_ name: String) -> ClosureTransport {
            ClosureTransport { _ in throw TransportError(.cannotConnect, sent: .nothing, stage: name) }
        }
        let last = ClosureTransport { _ in Response(.created) }
        let chain = try Chain(transport: unsent("server")) {
            FallbackMiddleware(.chain(unsent("mirror")).or(.chain(last)), when: FallbackMiddleware.standardOrUnsent)
        }
        let response = try await chain.send(.post("https://a.example.com/", body: "x"))
        #expect(response.status == .created && response.fallback != nil)
    }
}
#endif
