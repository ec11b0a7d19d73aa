#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainRemoteLogging
import HTTPChainTesting
import HTTPTypes
import Logging
import TestSupport
import Testing

@Suite("The record of an exchange", .timeLimit(.minutes(10)))
struct ExchangeRecordTests {
    private let clock = VirtualClock()
    private let keeper = ExchangeKeeper()
    private let sink = ExchangeCapture()

    private func harness(
        each unit: ExchangeUnit = .call,
        detail: ExchangeDetail = .summary,
        bodyLimit: ByteCount = .kibibytes(32)
    ) -> StageHarness {
        StageHarness(
            RemoteLoggingMiddleware(sink, each: unit, detail: detail, bodyLimit: bodyLimit, filter: keeper.filter),
            clock: clock
        )
    }

    private func answer(
        after head: Duration,
        _ status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:],
        body: HTTPBody = .empty
    ) -> StageHarness.Answer {
        .perform { [clock] _ in
            clock.advance(by: head)
            return Response(status, headers: headers, body: body)
        }
    }

    @Test("The record is written when the body has been read, with the times of the head and of all")
    func times() async throws {
        let response = try await harness().send(
            .get("https://a.example:8443/x"),
            answering: answer(after: .milliseconds(30), body: .chunks(["abc", "de"], length: 5))
        ).response()
        #expect(sink.records.isEmpty)
        clock.advance(by: .milliseconds(12))
        _ = try await response.body.collect()
        let exchange = try keeper.exchange()
        #expect(exchange.start == exchangeStart)
        #expect(exchange.timeToHead == .milliseconds(30))
        #expect(exchange.duration == .milliseconds(42))
        #expect(exchange.responseSize == .init(declared: 5, counted: 5))
        #expect(exchange.bodyEnd == .complete)
        #expect(exchange.status == .ok && exchange.outcome == .success && exchange.error == nil)
        #expect(exchange.origin == Origin("https://a.example:8443"))
        let record = try sink.record()
        #expect(record.date == exchangeStart.addingTimeInterval(0.042))
        #expect(record.level == .info && record.component == "http.client")
        #expect(record.message == "GET https://a.example:8443/x → 200 OK in 42 ms")
    }

    @Test("A body that is there with the head is not waited for, and stays what it is")
    func bytes() async throws {
        let response = try await harness().send(
            .get("https://a.example/"),
            answering: .ok("hello")
        ).response()
        #expect(try keeper.exchange().responseSize == .init(declared: 5, counted: 5))
        #expect(response.body.bytes == Data("hello".utf8))
    }

    @Test("A body that nobody reads is told of when it is dropped")
    func dropped() async throws {
        var outcome: StageHarness.Outcome? = await harness().send(
            .get("https://a.example/"),
            answering: answer(after: .zero, body: .chunks(["abc"]))
        )
        #expect(try outcome?.response().status == .ok)
        #expect(keeper.exchanges.isEmpty)
        outcome = nil
        let exchange = try keeper.exchange()
        #expect(exchange.bodyEnd == .dropped)
        #expect(exchange.outcome == .success)
        #expect(exchange.responseSize == .init(declared: nil, counted: 0))
    }

    @Test("A body that is dropped on the way is told of as far as it was read", arguments: [nil, 9] as [Int64?])
    func droppedOnTheWay(length: Int64?) async throws {
        let response = try await harness().send(
            .get("https://a.example/"),
            answering: answer(after: .zero, body: .chunks(["abc", "def", "ghi"], length: length))
        ).response()
        do {
            let reader = response.body.makeAsyncIterator()
            var iterator = reader
            _ = try await iterator.next()
        }
        // Its reader is gone; that somebody still has the response does not matter.
        let exchange = try keeper.exchange()
        #expect(exchange.bodyEnd == .dropped)
        #expect(exchange.responseSize == .init(declared: length, counted: 3))
        withExtendedLifetime(response) {}
    }

    @Test("A reader that outlives its response is followed to the end")
    func readerAlone() async throws {
        func reader() async throws -> HTTPBody.AsyncIterator {
            try await harness().send(
                .get("https://a.example/"),
                answering: answer(after: .zero, body: .chunks(["abc", "def"]))
            ).response().body.makeAsyncIterator()
        }
        var reader = try await reader()
        #expect(try await reader.next() == Data("abc".utf8))
        #expect(keeper.exchanges.isEmpty)
        #expect(try await reader.next() == Data("def".utf8))
        #expect(try await reader.next() == nil)
        let exchange = try keeper.exchange()
        #expect(exchange.bodyEnd == .complete)
        #expect(exchange.responseSize.counted == 6)
    }

    @Test("A body of which every declared byte was read is complete without its end being asked for")
    func completeWithoutEnd() async throws {
        let response = try await harness().send(
            .get("https://a.example/"),
            answering: answer(after: .zero, body: .chunks(["abc"], length: 3))
        ).response()
        do {
            var iterator = response.body.makeAsyncIterator()
            _ = try await iterator.next()
        }
        #expect(try keeper.exchange().bodyEnd == .complete)
        withExtendedLifetime(response) {}
    }

    @Test("A body that breaks is a failure, with its status and what broke it")
    func broken() async throws {
        let lost = TransportError(.connectionLost, sent: .answered, stage: "test")
        let response = try await harness().send(
            .get("https://a.example/"),
            answering: answer(after: .milliseconds(5), body: .chunks(["abc"], failing: lost))
        ).response()
        await #expect(throws: TransportError.self) { try await response.body.collect() }
        let exchange = try keeper.exchange()
        #expect(exchange.bodyEnd == .broken && exchange.outcome == .failure)
        #expect(exchange.error?.type == "connectionLost")
        #expect(exchange.responseSize.counted == 3)
        #expect(try sink.record().level == .error)
        #expect(try sink.record().message.hasPrefix("GET https://a.example/ → 200 OK, broken off after 5 ms: "))
    }

    @Test("A body that can be read again is told of once")
    func replayable() async throws {
        let response = try await harness().send(
            .get("https://a.example/"),
            answering: answer(after: .zero, body: .chunks(["abc"], replayable: true))
        ).response()
        for _ in 0..<3 { #expect(try await response.body.collect() == Data("abc".utf8)) }
        #expect(try keeper.exchange().responseSize.counted == 3)
    }

    @Test("An error is a failure")
    func failure() async throws {
        let outcome = await harness().send(.get("https://a.example/"), answering: .failure(ExchangeProvoked()))
        #expect(outcome.error is ExchangeProvoked)
        let exchange = try keeper.exchange()
        #expect(exchange.outcome == .failure && exchange.status == nil && exchange.timeToHead == nil)
        #expect(exchange.error == LoggedError(type: "ExchangeProvoked", reason: "provoked"))
        #expect(try sink.record().message == "GET https://a.example/ failed after 0 ms: provoked")
    }

    @Test("Cancellation is called so, whatever error it comes with")
    func cancelled() async throws {
        _ = await harness().send(.get("https://a.example/"), answering: .failure(CancellationError()))
        let exchange = try keeper.exchange()
        #expect(exchange.outcome == .cancelled)
        #expect(exchange.error?.type == "CancellationError")
        #expect(try sink.record().level == .info)
        #expect(try sink.record().message == "GET https://a.example/ cancelled after 0 ms")
        #expect(try sink.record().attributes["error.type"] == nil)
    }

    struct Other: Error {}

    static let errors: [(error: any Error, type: String?)] = [
        (TransportError(.connectionLost, sent: .maybe, stage: "test"), "connectionLost"),
        (TransportError(.timedOut, sent: .maybe, stage: "test"), "timeout"), (Other(), "Other"),
        (CancellationError(), nil),
    ]

    @Test("What was thrown has the type that metrics and spans tell", arguments: 0..<errors.count)
    func thrown(index: Int) async throws {
        let (error, type) = Self.errors[index]
        _ = await harness().send(.get("https://a.example/"), answering: .failure(error))
        #expect(try sink.record().attributes["error.type"]?.string == type)
        #expect(HTTPSemantics.errorType(of: error) == type)
    }

    @Test("What is cancelled because the call's time is up has timed out, and before that it was cancelled")
    func deadline() async throws {
        var request = Request.get("https://a.example/")
        request.options[DeadlineNote.self] = DeadlineNote.Mark(clock.elapsed + .seconds(5))
        let wait: (Duration) -> StageHarness.Answer = { [clock] duration in
            .perform { _ in
                clock.advance(by: duration)
                throw CancellationError()
            }
        }
        _ = await harness().send(copy request, answering: wait(.seconds(4)))
        #expect(try sink.record().attributes["error.type"] == nil)
        #expect(try keeper.exchange().outcome == .cancelled)
        _ = await harness().send(request, answering: wait(.seconds(1)))
        #expect(sink.records.last?.attributes["error.type"] == "timeout")
    }

    @Test("A call that is cancelled while it waits is told of once")
    func cancelledInNext() async throws {
        try await harness().drive(.get("https://a.example/")) { run in
            let call = try await run.nextCall()
            call.hold()
        }
        #expect(try keeper.exchange().outcome == .cancelled)
    }

    @Test("A cancelled reading is a cancelled call")
    func cancelledReading() async throws {
        let response = try await harness().send(
            .get("https://a.example/"),
            answering: answer(after: .zero, body: .chunks(["abc"], failing: CancellationError()))
        ).response()
        await #expect(throws: CancellationError.self) { try await response.body.collect() }
        let exchange = try keeper.exchange()
        #expect(exchange.outcome == .cancelled && exchange.bodyEnd == .broken)
    }

    @Test("An error that carries a response is as severe as its status", arguments: [404, 503])
    func responseError(code: Int) async throws {
        struct Refusal: ResponseError {
            var response: Response
            var stage: String { "test" }
            var reason: String { "refused" }
        }
        let refusal = Refusal(response: Response(.init(code: code), headers: [.contentLength: "7"], body: "{}"))
        _ = await harness(detail: .headers).send(.get("https://a.example/"), answering: .failure(refusal))
        let exchange = try keeper.exchange()
        #expect(exchange.outcome == (code == 404 ? .clientError : .serverError))
        #expect(exchange.status?.code == code)
        #expect(exchange.error == LoggedError(type: String(code), reason: "refused"))
        #expect(exchange.responseSize == .init(declared: 7, counted: nil))
        #expect(exchange.responseFields?[.contentLength] == "7")
    }

    @Test("What a decoder says of a body does not quote it")
    func decoding() async throws {
        let failure = DecodingFailure(
            Int.self,
            from: Data("hunter2".utf8),
            head: HTTPResponse(status: .ok),
            detail: "no number",
            request: HTTPRequest(url: URL(string: "https://a.example/")!)
        )
        _ = await harness().send(.get("users"), answering: .failure(failure))
        let exchange = try keeper.exchange()
        #expect(exchange.error?.reason == "the body is not a value of type Int: no number")
        #expect(exchange.status == .ok && exchange.outcome == .failure)
        #expect(exchange.url == "https://a.example/")
    }

    @Test("An error's text is cut")
    func longError() async throws {
        let error = ExchangeProvoked(description: String(repeating: "x", count: 1_000_000))
        _ = await harness().send(.get("https://a.example/"), answering: .failure(error))
        #expect(try keeper.exchange().error?.reason.count == 2048)
    }

    @Test(
        "A request's body is counted where it is a stream, and shown as it was read",
        arguments: [true, false]
    )
    func requestStream(isReplayable: Bool) async throws {
        let body = HTTPBody.chunks([#"{"pass"#, #"word":"hunter2"}"#], replayable: isReplayable)
        let outcome = await harness(detail: .bodies).send(
            .post("https://a.example/", headers: [.contentType: "application/json"], body: body)
        )
        if isReplayable { #expect(outcome.requests.first?.body.isReplayable == true) }
        let exchange = try keeper.exchange()
        #expect(exchange.requestSize == .init(declared: nil, counted: 22))
        #expect(exchange.requestBody == LoggedBody(.text, #"{"password":"<redacted>"}"#))
    }

    @Test("A stream keeps its length and whether it can be read again", arguments: [true, false])
    func streamsStayStreams(isReplayable: Bool) async throws {
        let seen = Locked<HTTPBody?>(nil)
        let stage = RemoteLoggingMiddleware(sink, detail: .bodies)
        let transport = ClosureTransport { request in
            let body = request.body
            seen.withLock { $0 = body }
            return Response(.ok)
        }
        let chain = try Chain(transport: transport) { stage }
        _ = try await chain.send(
            .put("https://a.example/", body: .chunks(["abc"], length: 3, replayable: isReplayable))
        )
        let body = try #require(seen.withLock { $0 })
        #expect(body.isReplayable == isReplayable && body.length == 3)
        #expect(try await body.collect() == Data("abc".utf8))
        if !isReplayable { await #expect(throws: BodyError.self) { try await body.collect() } }
    }

    @Test("Bytes stay bytes and a file stays a file; of both the beginning is shown")
    func bytesAndFiles() async throws {
        let scratch = try ScratchDirectory.created()
        let file = try scratch.file("file", Data("hello file".utf8))
        for body in [HTTPBody("hello file"), .file(file)] {
            let keeper = ExchangeKeeper()
            let stage = RemoteLoggingMiddleware(sink, detail: .bodies, bodyLimit: 5, filter: keeper.filter)
            let outcome = await StageHarness(stage).send(
                .post("https://a.example/", headers: [.contentType: "text/plain"], body: body)
            )
            let sent = try #require(outcome.requests.first?.body)
            #expect(sent.bytes == body.bytes && sent.file?.url == body.file?.url)
            let exchange = try keeper.exchange()
            #expect(exchange.requestSize == .init(declared: 10, counted: nil))
            #expect(exchange.requestBody == LoggedBody(.text, "hello", isTruncated: true))
        }
    }

    @Test("A file that cannot be read is the transport's to complain of")
    func missingFile() async throws {
        let outcome = await harness(detail: .bodies).send(
            .post("https://a.example/", body: .file(URL(fileURLWithPath: "/nowhere/at/all")))
        )
        #expect(outcome.error is BodyError)
        #expect(try keeper.exchange().requestBody == nil)
    }

    @Test("A typed value is shown by its type")
    func value() async throws {
        _ = await harness(detail: .bodies).send(.post("https://a.example/", body: .value(["token": "hunter2"])))
        #expect(try keeper.exchange().requestBody?.text == "value of type Dictionary<String, String>")
    }

    @Test("A response's body is shown up to the limit, and counted whole")
    func limit() async throws {
        let response = try await harness(detail: .bodies, bodyLimit: 4).send(
            .get("https://a.example/"),
            answering: answer(
                after: .zero,
                headers: [.contentType: "text/plain"],
                body: .chunks(["abc", "def", "ghi"])
            )
        ).response()
        #expect(try await response.body.text() == "abcdefghi")
        let exchange = try keeper.exchange()
        #expect(exchange.responseBody == LoggedBody(.text, "abcd", isTruncated: true))
        #expect(exchange.responseSize.counted == 9)
    }

    @Test(
        "The caches' word is read from the field, that nearest to the caller last",
        arguments: [
            ("ExampleCache; hit; ttl=30", true),
            ("Origin; hit, \"HTTP Chain\"; fwd=stale; fwd-status=304", false),
            ("Origin; fwd=uri-miss, Edge; hit", true),
            ("Origin; hit=?0", false),
            (";;;", nil),
        ] as [(String, Bool?)]
    )
    func cache(field: String, isHit: Bool?) async throws {
        _ = await harness().send(
            .get("https://a.example/"),
            answering: .status(.ok, headers: [.init("Cache-Status")!: field])
        )
        #expect(try keeper.exchange().cache == LoggedCacheStatus(text: field, isHit: isHit))
        #expect(try sink.record().message.contains("(cache)") == (isHit == true))
    }

    @Test("A call tells how many attempts it took, an attempt which it is")
    func attempts() async throws {
        _ = await harness().send(
            .get("https://a.example/"),
            answering: .perform { _ in
                var response = Response(.ok)
                response.attempts = 3
                return response
            }
        )
        #expect(try keeper.exchange().attempts == 3)
        let other = ExchangeKeeper()
        var request = Request.get("https://a.example/")
        request.attempt = 2
        let stage = RemoteLoggingMiddleware(sink, each: .attempt, filter: other.filter)
        _ = await StageHarness(stage).send(request)
        #expect(try other.exchange().attempt == 2)
        #expect(try other.exchange().attempts == nil)
        #expect(sink.records.last?.attributes["http.request.resend_count"] == 1)
        #expect(sink.records.first?.attributes["http.request.resend_count"] == 2)
    }

    @Test("A call that failed tells how many attempts were made, where the error says so")
    func attemptsOfFailure() async throws {
        struct History: AttemptCounting, CustomStringConvertible {
            let attemptCount = 4
            let description = "four times"
        }
        enum Note: ErrorNote { typealias Value = History }
        var error = TransportError(.timedOut, sent: .maybe, stage: "test")
        error.notes[Note.self] = History()
        _ = await harness().send(.get("https://a.example/"), answering: .failure(error))
        #expect(try keeper.exchange().attempts == 4)
        #expect(try sink.record().attributes["http.request.resend_count"] == 3)
    }

    @Test("A call that failed with an error that is its own cause is logged")
    func loopingCause() async throws {
        final class Looping: HTTPChainError {
            let stage = "test"
            let reason = "it loops"
            var underlyingError: (any Error)? { self }
        }
        _ = await harness().send(.get("https://a.example/"), answering: .failure(Looping()))
        #expect(try keeper.exchange().attempts == 1)
        #expect(try sink.record().message.contains("it loops"))
    }

    @Test("A call has the URL that was asked for, completed by what was sent, and tells where it ended")
    func urls() async throws {
        let rows: [(asked: String, sent: String?, url: String, final: String?)] = [
            ("users/7", "https://a.example/users/7?token=hunter2", "https://a.example/users/7?token=<redacted>", nil),
            ("users/7", nil, "users/7", nil),
            ("https://a.example/old", "https://b.example/new", "https://a.example/old", "https://b.example/new"),
            ("https://a.example/", "https://a.example/", "https://a.example/", nil),
        ]
        for row in rows {
            let keeper = ExchangeKeeper()
            let stage = RemoteLoggingMiddleware(sink, filter: keeper.filter)
            _ = await StageHarness(stage).send(
                .get(row.asked),
                answering: .perform { _ in
                    var response = Response(.ok)
                    response.request = row.sent.map { Request.get($0).head }
                    return response
                }
            )
            let exchange = try keeper.exchange()
            #expect(exchange.url == row.url)
            #expect(exchange.finalURL == row.final)
            #expect(exchange.origin == Origin(row.url))
        }
    }

    @Test("An answer without content is of no length, whatever it declares")
    func noContent() async throws {
        _ = await harness().send(
            .head("https://a.example/"),
            answering: .status(.ok, headers: [.contentLength: "1000"])
        )
        #expect(try keeper.exchange().responseSize == .init(declared: 0, counted: 0))
    }
}
#endif
