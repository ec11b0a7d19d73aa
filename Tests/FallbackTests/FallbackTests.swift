#if AllTests
import HTTPChainCache
import HTTPChainCore
import HTTPChainFallback
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

private let url = "https://api.example.com/plants"

@Suite("Fallbacks", .timeLimit(.minutes(10)))
struct FallbackTests {
    struct Refused: RefusalError {
        var stage: String { "test" }
        var reason: String { "refused" }
        var retryAfter: Duration? { nil }
    }

    struct Other: Error {}

    static func lost(_ sent: TransportError.Sent) -> TransportError {
        TransportError(.connectionLost, sent: sent, stage: "test")
    }

    static let rows: [(name: String, method: HTTPRequest.Method, answer: StageHarness.Answer, isAnswered: Bool)] = [
        ("200", .get, .ok, false), ("404", .get, .status(.notFound), false),
        ("503", .get, .status(.serviceUnavailable), true),
        ("503 to POST", .post, .status(.serviceUnavailable), false), ("501", .get, .status(.notImplemented), false),
        ("lost", .get, .failure(lost(.maybe)), true), ("lost POST", .post, .failure(lost(.maybe)), false),
        ("not sent", .get, .failure(lost(.nothing)), true), ("refused", .get, .failure(Refused()), true),
        ("POST that was not sent", .post, .failure(lost(.nothing)), false),
        ("refused POST", .post, .failure(Refused()), false),
        ("another error", .get, .failure(Other()), false), ("cancelled", .get, .failure(CancellationError()), false),
    ]

    @Test("Answer what may be answered from elsewhere, and nothing else", arguments: 0..<rows.count)
    func standard(index: Int) async {
        let row = Self.rows[index]
        let stage = FallbackMiddleware(.response(Response(.ok, body: "canned")))
        let outcome = await StageHarness(stage).send(Request(row.method, url), answering: row.answer)
        let response = try? outcome.response()
        #expect((response?.fallback != nil) == row.isAnswered, "\(row.name)")
        if row.isAnswered { #expect(response?.body.bytes.map { String(decoding: $0, as: UTF8.self) } == "canned") }
    }

    /// As status validation throws it.
    struct Invalid: HTTPChainError {
        let exchange: ExchangeSnapshot?
        var stage: String { "test" }
        var reason: String { "status" }
    }

    @Test("A status that a stage inside has made an error of counts as the status", arguments: [503, 404])
    func statusError(code: Int) async throws {
        let chain = try Chain(transport: ClosureTransport { _ in Response(HTTPResponse.Status(code: code)) }) {
            FallbackMiddleware(.response(Response(.ok, body: "canned")))
            ClosureMiddleware("Validation") { request, next in
                let sent = request.head
                let response = try await next(request)
                throw Invalid(exchange: ExchangeSnapshot(sent, response: response.head))
            }
        }
        if code == 503 {
            let response = try await chain.send(.get(url))
            #expect(response.status == .ok && response.fallback != nil)
        } else {
            await #expect(throws: Invalid.self) { try await chain.send(.get(url)) }
        }
    }

    @Test("One after the other, and when none has an answer the failure stays")
    func combined() async throws {
        let asked = Events<String>()
        func fallback(_ name: String, _ result: Result<Response?, any Error>) -> Fallback {
            .perform(name) { _, _ in
                asked.add(name)
                return try result.get()
            }
        }
        let none = fallback("none", .success(nil)).or(fallback("broken", .failure(Other())))
        var outcome = await StageHarness(FallbackMiddleware(none)).send(.get(url), answering: .status(.badGateway))
        #expect(try outcome.response().status == .badGateway)
        #expect(try outcome.response().fallback == nil)
        outcome = await StageHarness(FallbackMiddleware(none)).send(.get(url), answering: .failure(Self.lost(.maybe)))
        #expect(outcome.error is TransportError)
        #expect(asked.all == ["none", "broken", "none", "broken"])
        let some = none.or(fallback("good", .success(Response(.accepted)))).or(
            fallback("late", .success(Response(.ok)))
        )
        outcome = await StageHarness(FallbackMiddleware(some)).send(.get(url), answering: .status(.badGateway))
        #expect(try outcome.response().status == .accepted)
        #expect(asked.all.last == "good")
    }

    @Test("Another chain gets the request as it was, unless its body was used up")
    func chain() async throws {
        let mirror = ClosureTransport { request in Response(.ok, body: HTTPBody("mirror of \(request.url)")) }
        let stage = FallbackMiddleware(.chain(mirror))
        var outcome = await StageHarness(stage).send(.get(url), answering: .status(.badGateway))
        #expect(try await outcome.response().body.text() == "mirror of \(url)")
        let upload = Request(.get, url, body: .chunks(["once"]))
        outcome = await StageHarness(stage).send(upload, answering: .status(.badGateway))
        #expect(try outcome.response().status == .badGateway)
    }

    @Test("What a fallback wrote is seen by a cache outside it, and not by one inside", arguments: [true, false])
    func writesBesideCache(isCacheOutside: Bool) async throws {
        let version = Locked(1)
        let server = ClosureTransport { request in
            if request.method == .put { version.withLock { $0 += 1 } }
            return Response(.ok, headers: [.cacheControl: "max-age=60"], body: HTTPBody("\(version.withLock { $0 })"))
        }
        let cache = CacheMiddleware(store: .memory(limit: .mebibytes(1)), partition: .shared)
        let fallback = FallbackMiddleware(.chain(server)) { request, failure in
            if case .failure(is any RefusalError) = failure { true } else { false }
        }
        let chain = try Chain(transport: server) {
            isCacheOutside ? [cache, fallback] : [fallback, cache]
            ClosureMiddleware { request, next in
                if request.method == .put { throw Refused() }
                return try await next(request)
            }
        }
        #expect(try await chain.send(.get(url)).body.text() == "1")
        #expect(try await chain.send(.put(url, body: "2")).fallback != nil)
        #expect(try await chain.send(.get(url)).body.text() == (isCacheOutside ? "2" : "1"))
    }

    @Test("The last answer is given to the same group alone, and only when it was read to its end and is not too large")
    func lastAnswer() async throws {
        let stage = FallbackMiddleware(.lastAnswer(by: .by("user") { $0.head.headerFields[.from] }, count: 2, upTo: 10))
        let harness = StageHarness(stage)
        func get(_ path: String, _ user: String?) -> Request {
            Request.get("https://api.example.com/\(path)", headers: user.map { [.from: $0] } ?? [:])
        }
        func answer(_ path: String, _ user: String?) async throws -> String? {
            let response = try await harness.send(get(path, user), answering: .status(.badGateway)).response()
            return response.fallback == nil ? nil : try await response.body.text()
        }
        let read = try await harness.send(get("a", "ada"), answering: .ok(.chunks(["12345", "67890"]))).response()
        #expect(try await answer("a", "ada") == nil)
        _ = try await read.body.collect()
        #expect(try await answer("a", "ada") == "1234567890")
        #expect(try await answer("a", "bob") == nil)
        #expect(try await answer("a", nil) == nil)
        #expect(try await answer("b", "ada") == nil)
        let large = try await harness.send(get("b", "ada"), answering: .ok(.chunks(["12345", "678901"]))).response()
        _ = try await large.body.collect()
        #expect(try await answer("b", "ada") == nil)
        _ = try await harness.send(get("c", "ada"), answering: .ok("short")).response()
        #expect(try await answer("c", "ada") == "short")
        _ = try await harness.send(get("d", "ada"), answering: .ok("more")).response()
        #expect(try await answer("a", "ada") == nil)
        #expect(try await answer("d", "ada") == "more")
    }

    @Test("The rules for every stage", arguments: StageConformance.Check.allCases)
    func conforms(check: StageConformance.Check) async throws {
        let canned = Fallback.response(Response(.ok))
        try await StageConformance(recoversFromErrors: true) {
            FallbackMiddleware(canned) { _, _ in false }
        }.verify(check)
    }
}
#endif
