import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainRetry
import HTTPChainTesting
import HTTPTypes
import Testing

/// A server with one file, whose connections break.
private final class FileServer: Transport {
    struct State {
        /// After how many bytes each connection breaks; those after the list do not.
        var breaks: [Int]
        var error: any Error = lost(.answered)
        var tag = "\"1\""
        var hasRanges = true
        /// How many bytes a range has at most, how far before the requested one it begins, and whether its end is sent.
        var slice = Int.max
        var early = 0
        var declaresLength = true
        var requests: [HTTPRequest] = []
    }

    let content: Data
    let capabilities: TransportCapabilities = []
    let state: Locked<State>

    init(_ content: Data, breaks: [Int]) {
        self.content = content
        state = Locked(State(breaks: breaks))
    }

    var ranges: [String?] { state.withLock { $0.requests.map { $0.headerFields[.range] } } }

    func send(_ request: consuming Request) async throws -> Response {
        let head = request.head
        let (limit, state) = state.withLock { state in
            state.requests.append(head)
            return (state.breaks.isEmpty ? nil : state.breaks.removeFirst(), state)
        }
        let tag = state.tag
        var range = 0..<content.count
        var status = HTTPResponse.Status.ok
        if state.hasRanges, let text = head.headerFields[.range], head.headerFields[.ifRange] ?? tag == tag {
            let ends = text.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false).map {
                Int($0)
            }
            let last = ends[0] == nil ? nil : ends[1]
            let first = ends[0] ?? content.count - (ends[1] ?? 0)
            guard first < content.count else {
                return Response(.rangeNotSatisfiable, headers: [.contentRange: "bytes */\(content.count)"])
            }
            let end = min((last ?? .max - 1) + 1, content.count)
            range = max(0, first - state.early)..<min(end, first + min(state.slice, content.count))
            status = .partialContent
        }
        var fields: HTTPFields = [.eTag: tag]
        if status == .partialContent {
            fields[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.count)"
        }
        let bytes = content[range]
        let body = HTTPBody.once(length: state.declaresLength ? Int64(range.count) : nil) {
            BreakingReader(rest: bytes, limit: limit, error: state.error)
        }
        return Response(status, headers: fields, body: body)
    }
}

private struct BreakingReader: BodyReader {
    var rest: Data
    var limit: Int?
    let error: any Error

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        try Task.checkCancellation()
        if limit == 0 { throw error }
        let count = min(16_384, limit ?? .max, rest.count)
        guard count > 0 else { return nil }
        defer { rest = rest.dropFirst(count) }
        limit = limit.map { $0 - count }
        return rest.prefix(count)
    }
}

@Suite("Resumed downloads", .timeLimit(.minutes(10)))
struct ResumeTests {
    private static let content = Data(SeededRandom(seed: 5).bytes(1_000_000))
    private let clock = VirtualClock.automatic()

    private func chain(
        _ server: some Transport,
        policy: RetryPolicy = plainPolicy(),
        budget: RetryBudget? = nil,
        observer: (@Sendable (RetryEvent) -> Void)? = nil
    ) throws -> Chain {
        try Chain(transport: server, environment: .virtual(clock)) {
            RetryMiddleware(policy, budget: budget, observer: observer)
        }
    }

    private func failure(_ body: HTTPBody) async -> TransportError? {
        do {
            for try await _ in body {}
            return nil
        } catch {
            return error as? TransportError
        }
    }

    @Test(
        "A response without Date has that of its arrival, so that its Last-Modified is enough to resume",
        arguments: [1, 600]
    )
    func arrival(age: Double) async throws {
        let clock = VirtualClock(isAutomatic: true)
        let modified = HTTPDate(clock.date.addingTimeInterval(-age)).description
        let sent = Locked<[HTTPFields]>([])
        let server = InMemoryTransport { request in
            let fields = request.headers
            sent.withLock { $0.append(fields) }
            guard fields[.range] != nil else {
                let body = HTTPBody.once(length: 10) {
                    BreakingReader(rest: Data("01234".utf8), limit: 5, error: lost(.answered))
                }
                return Response(.ok, headers: [.lastModified: modified], body: body)
            }
            return Response(.partialContent, headers: [.contentRange: "bytes 5-9/10"], body: "56789")
        }
        let chain = try Chain(transport: server, environment: .virtual(clock)) { RetryMiddleware(plainPolicy()) }
        let response = try await chain.send(.get(url))
        if age == 600 {
            #expect(try await response.body.text() == "0123456789")
            #expect(sent.withLock { $0.map { $0[.ifRange] } } == [nil, modified])
        } else {
            await #expect(throws: TransportError.self) { try await response.body.text() }
        }
    }

    @Test("A download that breaks goes on where it broke, and is whole")
    func goesOn() async throws {
        let server = FileServer(Self.content, breaks: [300_000, 200_000])
        let response = try await chain(server).send(.get(url))
        #expect(response.body.length == 1_000_000)
        #expect(try await response.body.collect() == Self.content)
        #expect(server.ranges == [nil, "bytes=300000-999999", "bytes=500000-999999"])
        #expect(clock.sleeps == [.seconds(1), .seconds(1)])
        #expect(server.state.withLock { $0.requests.map { $0.headerFields[.ifRange] } } == [nil, "\"1\"", "\"1\""])
    }

    @Test("A download that breaks before its first byte or before its last is resumed", arguments: [0, 1, 999_999])
    func edges(position: Int) async throws {
        let server = FileServer(Self.content, breaks: [position])
        let response = try await chain(server).send(.get(url))
        #expect(try await response.body.collect() == Self.content)
        #expect(server.ranges == [nil, "bytes=\(position)-999999"])
    }

    @Test(
        "What the caller asked a range of goes on within that range",
        arguments: [
            ("bytes=100-299999", 100..<300_000), ("bytes=-5000", 995_000..<1_000_000), ("bytes=7-", 7..<1_000_000),
        ]
    )
    func callersRange(range: String, expected: Range<Int>) async throws {
        let server = FileServer(Self.content, breaks: [1000])
        let response = try await chain(server).send(.get(url, headers: [.range: range]))
        #expect(response.status == .partialContent)
        #expect(try await response.body.collect() == Self.content[expected])
        #expect(server.ranges == [range, "bytes=\(expected.lowerBound + 1000)-\(expected.upperBound - 1)"])
    }

    @Test("A version that changed is never mixed in: the reader gets the error that broke the body")
    func changed() async throws {
        let server = FileServer(Self.content, breaks: [300_000])
        let response = try await chain(server).send(.get(url))
        server.state.withLock { $0.tag = "\"2\"" }
        let error = try #require(await failure(response.body))
        #expect(error.kind == .connectionLost)
        #expect(
            error.retries?.stop
                == .cannotResume(
                    "the server sends the whole content again: it has changed, or ranges are not supported"
                )
        )
        #expect(error.retries?.attempts.map(\.offset) == [nil, 300_000])
        #expect(error.retries?.attempts.map(\.number) == [1, 2])
        #expect(error.notes.attemptCount == 2)
    }

    @Test("A server that ignores If-Range is caught by the tag of its answer")
    func ignoresIfRange() async throws {
        let chain = try chain(
            InMemoryTransport { request in
                guard let range = request.head.headerFields[.range] else {
                    return Response(.ok, headers: [.eTag: "\"1\""], body: brokenBody("01234", length: 10))
                }
                #expect(range == "bytes=5-9")
                return Response(
                    .partialContent,
                    headers: [.eTag: "\"2\"", .contentRange: "bytes 5-9/10"],
                    body: "56789"
                )
            }
        )
        let response = try await chain.send(.get(url))
        let error = try #require(await failure(response.body))
        #expect(error.retries?.stop == .cannotResume("the version is not the same"))
    }

    @Test("After a range that is shorter than requested, the rest is requested")
    func shorter() async throws {
        let transport = InMemoryTransport()
        transport.enqueue(ScriptedReply(.ok, headers: [.eTag: "\"1\""], body: "0123456789").failing(.atByte(4)))
        for (range, text) in [("4-6", "456"), ("7-9", "789")] {
            transport.enqueue(
                ScriptedReply(
                    .partialContent,
                    headers: [.eTag: "\"1\"", .contentRange: "bytes \(range)/10"],
                    body: HTTPBody(text)
                )
            )
        }
        #expect(try await chain(transport).send(.get(url)).body.text() == "0123456789")
        #expect(transport.requests.map { $0.headers[.range] } == [nil, "bytes=4-9", "bytes=7-9"])
    }

    @Test("A server that sends slices is asked for the next one at once, at no cost to the budget")
    func slices() async throws {
        let server = FileServer(Self.content, breaks: [300_000])
        server.state.withLock { $0.slice = 70_000 }
        let budget = RetryBudget(share: 0, minimumPerSecond: 0, capacity: 1)
        let response = try await chain(server, budget: budget).send(.get(url))
        #expect(try await response.body.collect() == Self.content)
        #expect(server.ranges.count == 11 && server.ranges.last == "bytes=930000-999999")
        #expect(clock.sleeps == [.seconds(1)])
    }

    @Test("Slices without progress are counted like breaks")
    func tinySlices() async throws {
        let server = FileServer(Self.content, breaks: [300_000])
        server.state.withLock { $0.slice = 1000 }
        let response = try await chain(server).send(.get(url))
        #expect(await failure(response.body)?.retries?.stop == .attemptsSpent(maximum: 3))
        #expect(server.ranges.count == 3)
    }

    @Test("Bytes of a range that begins earlier than requested are read once", arguments: [1, 20_000, 1_000_000])
    func earlier(early: Int) async throws {
        let server = FileServer(Self.content, breaks: [300_000, 320_000])
        server.state.withLock { $0.early = early }
        let response = try await chain(server).send(.get(url))
        #expect(try await response.body.collect() == Self.content)
    }

    @Test("Bytes that come again aren't progress")
    func repeatedBytes() async throws {
        let server = FileServer(Self.content, breaks: Array(repeating: 300_000, count: 9))
        server.state.withLock { $0.early = 1_000_000 }
        let response = try await chain(server).send(.get(url))
        #expect(await failure(response.body)?.retries?.stop == .attemptsSpent(maximum: 3))
    }

    @Test("Bytes beyond the caller's range are not passed on")
    func longer() async throws {
        let transport = InMemoryTransport()
        transport.enqueue(
            ScriptedReply(.partialContent, headers: [.eTag: "\"1\"", .contentRange: "bytes 2-5/10"], body: "2345")
                .failing(.atByte(2))
        )
        transport.enqueue(
            ScriptedReply(
                .partialContent,
                headers: [.eTag: "\"1\"", .contentRange: "bytes 0-9/10"],
                body: "0123456789"
            )
        )
        let response = try await chain(transport).send(.get(url, headers: [.range: "bytes=2-5"]))
        #expect(try await response.body.text() == "2345")
        #expect(transport.requests.map { $0.headers[.range] } == ["bytes=2-5", "bytes=4-5"])
    }

    @Test("A server that was asked by date needn't repeat the date (RFC 9110 §15.3.7)")
    func dateNotRepeated() async throws {
        let transport = InMemoryTransport()
        let modified = "Sun, 06 Nov 1994 08:49:37 GMT"
        let fields: HTTPFields = [.lastModified: modified, .date: "Mon, 07 Nov 1994 08:49:37 GMT"]
        transport.enqueue(ScriptedReply(.ok, headers: fields, body: "0123456789").failing(.atByte(4)))
        transport.enqueue(ScriptedReply(.partialContent, headers: [.contentRange: "bytes 4-9/10"], body: "456789"))
        #expect(try await chain(transport).send(.get(url)).body.text() == "0123456789")
        #expect(transport.requests.last?.headers[.ifRange] == modified)
    }

    @Test(
        "A body that breaks after its last byte is complete",
        arguments: [[1_000_000], [300_000, 700_000], [0, 1_000_000]]
    )
    func brokenAtTheEnd(breaks: [Int]) async throws {
        let server = FileServer(Self.content, breaks: breaks)
        let response = try await chain(server).send(.get(url))
        #expect(try await response.body.collect() == Self.content)
        #expect(server.ranges.count == breaks.count)
        let silent = FileServer(Self.content, breaks: breaks)
        silent.state.withLock { $0.error = TestTimeout(scope: .read) }
        #expect(try await chain(silent).send(.get(url)).body.collect() == Self.content)
        #expect(silent.ranges.count == breaks.count)
    }

    @Test("An empty body that breaks is complete")
    func emptyBroken() async throws {
        let server = FileServer(Data(), breaks: [0])
        #expect(try await chain(server).send(.get(url)).body.collect() == Data())
        #expect(server.ranges == [nil])
    }

    @Test("Another error after the last byte, and a cancellation, is thrown", arguments: [true, false])
    func otherErrorAtTheEnd(isCancellation: Bool) async throws {
        let server = FileServer(Self.content, breaks: [1_000_000])
        server.state.withLock { $0.error = isCancellation ? CancellationError() : OtherError() }
        var policy = plainPolicy()
        policy.verdict = { if case .failure = $0.result { .retry } else { .standard } }
        for policy in isCancellation ? [plainPolicy()] : [plainPolicy(), policy] {
            server.state.withLock { $0.breaks = [1_000_000] }
            var request = Request.get(url)
            request.options[RetryOption.self] = .value(policy)
            let before = server.ranges.count
            do {
                let response = try await chain(server).send(request)
                _ = try await response.body.collect()
                Issue.record("the body broke")
            } catch {
                #expect(isCancellation ? error is CancellationError : error is OtherError)
            }
            #expect(!server.ranges.dropFirst(before).contains("bytes=1000000-999999"))
        }
    }

    @Test("A body of unknown length that breaks after its last byte is complete if the server has no more")
    func unknownLength() async throws {
        for breaks in [[1_000_000], [300_000, 700_000], [300_000]] {
            let server = FileServer(Self.content, breaks: breaks)
            server.state.withLock { $0.declaresLength = false }
            let response = try await chain(server).send(.get(url))
            #expect(response.body.length == nil)
            #expect(try await response.body.collect() == Self.content)
            #expect(server.ranges.last == (breaks == [1_000_000] ? "bytes=1000000-" : "bytes=300000-"))
        }
    }

    @Test("A range that doesn't say whether it has the end is followed by a request for what comes after it")
    func unknownSize() async throws {
        let transport = InMemoryTransport { request in
            switch request.head.headerFields[.range] {
            case nil:
                return Response(
                    .ok,
                    headers: [.eTag: "\"1\""],
                    body: .once {
                        BreakingReader(rest: Data("0123".utf8), limit: 4, error: lost(.answered))
                    }
                )
            case "bytes=4-":
                return Response(
                    .partialContent,
                    headers: [.eTag: "\"1\"", .contentRange: "bytes 4-9/*"],
                    body: oneShot("456789")
                )
            default: return Response(.rangeNotSatisfiable, headers: [.contentRange: "bytes */10"])
            }
        }
        #expect(try await chain(transport).send(.get(url)).body.text() == "0123456789")
        #expect(transport.requests.last?.headers[.range] == "bytes=10-")
    }

    @Test("Attempts without progress are counted, and the original error is thrown with all of them")
    func attemptsSpent() async throws {
        let server = FileServer(Self.content, breaks: [300_000, 10, 10, 10])
        let response = try await chain(server).send(.get(url))
        let error = try #require(await failure(response.body))
        #expect(error.kind == .connectionLost)
        #expect(error.retries?.stop == .attemptsSpent(maximum: 3))
        #expect(server.ranges.count == 3)
        #expect(clock.sleeps == [.seconds(1), .seconds(2)])
    }

    @Test("64 KiB more are progress, after which attempts and waits begin anew; a byte less is not")
    func progress() async throws {
        let going = FileServer(Self.content, breaks: Array(repeating: 65_536, count: 12))
        let response = try await chain(going).send(.get(url))
        #expect(try await response.body.collect() == Self.content)
        #expect(Set(clock.sleeps) == [.seconds(1)])
        let trickling = FileServer(Self.content, breaks: Array(repeating: 65_535, count: 12))
        let stuck = try await chain(trickling).send(.get(url))
        #expect(await failure(stuck.body)?.retries?.stop == .attemptsSpent(maximum: 3))
    }

    @Test("An account of very many breaks keeps the latest")
    func longAccount() async throws {
        let server = FileServer(Data(count: 4_000_000), breaks: Array(repeating: 65_536, count: 50) + [0, 0, 0])
        let response = try await chain(server).send(.get(url))
        let history = try #require(await failure(response.body)?.retries)
        #expect(history.attempts.count == 32)
        #expect(history.attempts.last?.number == server.ranges.count)
    }

    @Test("Retries in between count: a 503 is waited for as it asks, and a lost connection is tried again")
    func failuresInBetween() async throws {
        let transport = InMemoryTransport()
        transport.enqueue(ScriptedReply(.ok, headers: [.eTag: "\"1\""], body: "0123456789").failing(.atByte(4)))
        transport.enqueue(.status(.serviceUnavailable, headers: [.retryAfter: "30"], body: "later"))
        transport.enqueue(.failure(.beforeConnect()))
        transport.enqueue(
            ScriptedReply(.partialContent, headers: [.eTag: "\"1\"", .contentRange: "bytes 4-9/10"], body: "456789")
        )
        let response = try await chain(transport, policy: plainPolicy(maximumAttempts: 4)).send(.get(url))
        #expect(try await response.body.text() == "0123456789")
        #expect(clock.sleeps == [.seconds(1), .seconds(30), .seconds(4)])
        #expect(transport.requests.map { $0.options[AttemptNumberNote.self] } == [1, 2, 3, 4])
        try transport.assertAllUsed()
    }

    @Test("An answer that is no rest ends it with the original error", arguments: [304, 404, 412, 416])
    func otherAnswers(code: Int) async throws {
        let transport = InMemoryTransport()
        transport.enqueue(ScriptedReply(.ok, headers: [.eTag: "\"1\""], body: "0123456789").failing(.atByte(4)))
        transport.enqueue(.status(.init(code: code)))
        let response = try await chain(transport).send(.get(url))
        let error = try #require(await failure(response.body))
        #expect(error.kind == .connectionLost)
        #expect(error.retries?.stop == .cannotResume("the server answers \(code)"))
    }

    @Test("The budget is charged for a resumption")
    func budget() async throws {
        let server = FileServer(Self.content, breaks: [100_000, 100_000])
        let budget = RetryBudget(share: 0, minimumPerSecond: 0, capacity: 1)
        let response = try await chain(server, budget: budget).send(.get(url))
        #expect(await failure(response.body)?.retries?.stop == .budgetSpent)
        #expect(server.ranges.count == 2)
    }

    @Test("The deadline of the call holds")
    func deadline() async throws {
        let server = FileServer(Self.content, breaks: [100_000])
        var request = Request.get(url)
        request.options[DeadlineNote.self] = DeadlineNote.Mark(.milliseconds(500))
        let response = try await chain(server).send(request)
        #expect(await failure(response.body)?.retries?.stop == .deadline(remaining: .milliseconds(500)))
    }

    @Test("The total time begins anew with progress")
    func totalTime() async throws {
        let server = FileServer(Self.content, breaks: Array(repeating: 100_000, count: 5) + [10, 10, 10, 10])
        let policy = plainPolicy(maximumAttempts: 9, totalTime: .seconds(4))
        let response = try await chain(server, policy: policy).send(.get(url))
        #expect(await failure(response.body)?.retries?.stop == .timeSpent(limit: .seconds(4)))
        #expect(server.ranges.count == 7)
    }

    @Test("A timeout of the server's silence is a break; one of the call is the end")
    func timeouts() async throws {
        let server = FileServer(Self.content, breaks: [100_000])
        server.state.withLock { $0.error = TestTimeout(scope: .read) }
        #expect(try await chain(server).send(.get(url)).body.collect() == Self.content)
        let late = FileServer(Self.content, breaks: [100_000])
        late.state.withLock { $0.error = TestTimeout(scope: .call) }
        let response = try await chain(late).send(.get(url))
        await #expect(throws: TestTimeout.self) { try await response.body.collect() }
        #expect(late.ranges.count == 1)
    }

    @Test("Another error, and a cancellation, is the end", arguments: [true, false])
    func otherErrors(isCancellation: Bool) async throws {
        let server = FileServer(Self.content, breaks: [100_000])
        server.state.withLock { $0.error = isCancellation ? CancellationError() : OtherError() }
        let response = try await chain(server).send(.get(url))
        do {
            _ = try await response.body.collect()
            Issue.record("the body broke")
        } catch {
            #expect(isCancellation ? error is CancellationError : error is OtherError)
        }
        #expect(server.ranges.count == 1)
    }

    @Test("Cancelling ends the wait at once")
    func cancellation() async throws {
        let clock = VirtualClock()
        let server = FileServer(Self.content, breaks: [100_000])
        let chain = try Chain(transport: server, environment: .virtual(clock)) { RetryMiddleware(plainPolicy()) }
        let response = try await chain.send(.get(url))
        let reading = Task { try await response.body.collect() }
        try await clock.waitForSleepers()
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
        #expect(server.ranges.count == 1)
    }

    @Test("Resuming can be switched off")
    func off() async throws {
        let server = FileServer(Self.content, breaks: [100_000])
        var policy = plainPolicy()
        policy.resumesDownloads = false
        let response = try await chain(server, policy: policy).send(.get(url))
        let error = try #require(await failure(response.body))
        #expect(error.retries == nil)
        #expect(server.ranges.count == 1)
    }

    @Test("Resuming works for a response that came after a retry, whose attempts count until there is progress")
    func afterRetry() async throws {
        let transport = InMemoryTransport()
        transport.enqueue(.status(.badGateway))
        transport.enqueue(ScriptedReply(.ok, headers: [.eTag: "\"1\""], body: "0123456789").failing(.atByte(4)))
        transport.enqueue(.failure(.beforeConnect()))
        let response = try await chain(transport).send(.get(url))
        #expect(response.attempts == 2)
        let history = try #require(await failure(response.body)?.retries)
        #expect(history.attempts.map(\.number) == [1, 2, 3])
        #expect(history.stop == .attemptsSpent(maximum: 3))
    }

    @Test("The observer is told of the break and of the end")
    func observer() async throws {
        let events = Locked<[RetryEvent]>([])
        let server = FileServer(Self.content, breaks: [100_000])
        // Without one the first response has no event of its own; with one it has.
        let response = try await chain(server, observer: { event in events.withLock { $0.append(event) } })
            .send(.get(url))
        _ = try await response.body.collect()
        let told = events.withLock { $0.map { "\($0.attempt)" } }
        #expect(
            told == [
                "attempt 1: 200",
                "attempt 1: test: the connection ended before the response was complete; "
                    + "the server had begun to respond; waited 1.0 s",
                "attempt 2 (from byte 100000): 206",
            ]
        )
    }

    @Test("A rest of unknown length that has too few bytes breaks, and one that has too many is refused")
    func lyingRest() async throws {
        let short = InMemoryTransport()
        short.enqueue(ScriptedReply(.ok, headers: [.eTag: "\"1\""], body: "0123456789").failing(.atByte(4)))
        func rest(_ text: String) -> ScriptedReply {
            ScriptedReply(
                .partialContent,
                headers: [.eTag: "\"1\"", .contentRange: "bytes 4-9/10", .transferEncoding: "chunked"],
                chunks: [Data(text.utf8)],
                declaresLength: false
            )
        }
        short.enqueue(rest("45"))
        short.enqueue(
            ScriptedReply(.partialContent, headers: [.eTag: "\"1\"", .contentRange: "bytes 6-9/10"], body: "6789")
        )
        #expect(try await chain(short).send(.get(url)).body.text() == "0123456789")
        let long = InMemoryTransport()
        long.enqueue(ScriptedReply(.ok, headers: [.eTag: "\"1\""], body: "0123456789").failing(.atByte(4)))
        long.enqueue(rest("456789X"))
        let response = try await chain(long).send(.get(url))
        #expect(await failure(response.body)?.kind == .malformedResponse)
    }

    @Test("A body that broke for good stays broken")
    func staysBroken() async throws {
        let server = FileServer(Self.content, breaks: [10, 0, 0])
        let response = try await chain(server).send(.get(url))
        var reader = try await response.body.makeReader()
        _ = try await reader.read()
        for _ in 0..<2 {
            do {
                _ = try await reader.read()
                Issue.record("the body broke")
            } catch { #expect(error is TransportError) }
        }
    }

    @Test("A response that cannot be resumed keeps its body as it is")
    func notWrapped() async throws {
        let plain = InMemoryTransport { _ in Response(.ok, body: oneShot("text")) }
        let response = try await chain(plain).send(.get(url))
        #expect(response.body.description == "one-shot stream of 4 bytes")
        #expect(try await response.body.text() == "text")
        let bytes = FileServerless()
        let whole = try await chain(bytes).send(.get(url))
        #expect(whole.body.bytes == Data("all there".utf8))
    }
}

private struct FileServerless: Transport {
    var capabilities: TransportCapabilities { [] }
    func send(_ request: consuming Request) async throws -> Response {
        Response(.ok, headers: [.eTag: "\"1\""], body: "all there")
    }
}

private func brokenBody(_ text: String, length: Int64) -> HTTPBody {
    .once(length: length) { BreakingReader(rest: Data(text.utf8), limit: text.utf8.count, error: lost(.answered)) }
}
