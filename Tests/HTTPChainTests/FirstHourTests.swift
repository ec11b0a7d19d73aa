import Foundation
import HTTPChain
import HTTPChainInMemory
import HTTPChainLogShipper
import HTTPChainTesting
import Logging
import Testing

/// What a new user meets first: errors, records, and what is printed.
@Suite("The first hour", .timeLimit(.minutes(10)))
struct FirstHourTests {
    private final class Records: LogSink {
        private let kept = Locked<[LogRecord]>([])

        func takes(_ level: Logger.Level, from component: String) -> Bool { true }

        func log(_ record: consuming LogRecord) {
            let record = record
            kept.withLock { $0.append(record) }
        }

        var last: [String: String] {
            let attributes = kept.withLock { $0.last?.attributes } ?? [:]
            return Dictionary(attributes.map { ($0.name, Self.text($0.value)) }) { $1 }
        }

        var message: String { kept.withLock { $0.last?.message } ?? "" }

        private static func text(_ value: JSONValue) -> String {
            switch value {
            case .string(let text): text
            case .integer(let number): "\(number)"
            case .bool(let flag): "\(flag)"
            default: "\(value)"
            }
        }
    }

    private enum BinError: Error, Equatable { case wrongPassword, refused }

    private let transport = InMemoryTransport()
    private let records = Records()

    private func chain() throws -> Chain {
        try Chain(transport: transport, environment: .virtual(.automatic())) {
            RemoteLoggingMiddleware(records)
            SerializerMiddleware(.json)
            StatusValidationMiddleware()
            URLBuilderMiddleware(base: "https://api.example.com/v2")
            MultipartMiddleware()
            CacheMiddleware(store: .memory(limit: .megabytes(1)))
            RetryMiddleware()
        }
    }

    @Test(
        "A status that stays, a body of the last attempt and a connection that fails tell how many attempts there were"
    )
    func attempts() async throws {
        transport.enqueue(.status(.serviceUnavailable), times: 3)
        let status = try await #require(throws: StatusError.self) { try await chain().send(.get("a")) }
        #expect(
            status.attempts == 3 && status.retries?.attempts.count == 3 && records.last["httpchain.attempts"] == "3"
        )

        transport.enqueue(.status(.serviceUnavailable))
        transport.enqueue(.text("no JSON"))
        let decoding = try await #require(throws: DecodingFailure.self) {
            try await chain().send(.get("b"), as: [Int].self)
        }
        #expect(decoding.attempts == 2 && records.last["httpchain.attempts"] == "2")

        for _ in 1...3 { transport.enqueue(.failure(TransportError(.cannotConnect, sent: .nothing, stage: "T"))) }
        let connection = try await #require(throws: TransportError.self) { try await chain().send(.get("c")) }
        #expect(connection.attempts == 3 && records.last["httpchain.attempts"] == "3")

        for _ in 1...3 { transport.enqueue(.status(.serviceUnavailable)) }
        let wrapping = try Chain(transport: try chain()) { ErrorHandlerMiddleware(.map { _ in BinError.refused }) }
        let wrapped = try await #require(throws: ServiceError<BinError>.self) { try await wrapping.send(.get("d")) }
        #expect(wrapped.attempts == 3 && wrapped.retries?.attempts.count == 3)
    }

    @Test("The record of a cache hit has the whole URL and no attempts")
    func cacheHit() async throws {
        transport.enqueue(ScriptedReply(.ok, headers: [.cacheControl: "max-age=60"], body: "stored"))
        let chain = try chain()
        for _ in 1...2 { _ = try await chain.send(.get("a")).body.text() }
        #expect(transport.requests.count == 1)
        #expect(records.last["url.full"] == "https://api.example.com/v2/a")
        #expect(records.last["server.address"] == "api.example.com")
        #expect(records.last["httpchain.attempts"] == "0" && records.last["httpchain.cache.hit"] == "true")
    }

    @Test("The record of a timeout, and of an error of an outer stage, has the whole URL")
    func outerErrors() async throws {
        let clock = VirtualClock()
        let slow = try Chain(transport: transport, environment: .virtual(clock)) {
            RemoteLoggingMiddleware(records)
            TimeoutMiddleware(.seconds(5))
            SerializerMiddleware(.json)
            URLBuilderMiddleware(base: "https://api.example.com/v2")
        }
        transport.enqueue(ScriptedReply.status(.ok).delayed(by: .seconds(60)))
        let call = Task { try await slow.send(.get("slow")) }
        // The answer that is late; the deadline was there before it.
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(5))
        await #expect(throws: TimeoutError.self) { try await call.value }
        #expect(records.last["url.full"] == "https://api.example.com/v2/slow")
        #expect(records.last["server.address"] == "api.example.com" && records.last["httpchain.attempts"] == "1")

        transport.enqueue(.text("no JSON"))
        await #expect(throws: DecodingFailure.self) { try await slow.send(.get("text"), as: [Int].self) }
        #expect(records.last["url.full"] == "https://api.example.com/v2/text")
    }

    @Test("The record of a form has its size, and that of an upload nobody read has none")
    func sizes() async throws {
        transport.enqueue(.ok)
        let form: MultipartForm = [.data("photo", Data(count: 5_000_000))]
        _ = try await chain().send(.post("photos", multipart: form))
        let length = transport.requests.first?.headers[.contentLength]
        #expect(length != nil && records.last["http.request.body.size"] == length)

        transport.enqueue(.status(.contentTooLarge).withoutReadingRequestBody())
        let stream = HTTPBody.once(chunks: AsyncStream<Data> { $0.finish() })
        await #expect(throws: StatusError.self) { try await chain().send(.post("stream", body: stream)) }
        #expect(records.last["http.request.body.size"] == nil)
    }

    @Test("A record has the fact and no advice; what is printed has both")
    func advice() async throws {
        transport.enqueue(.status(.notFound))
        let error = try await #require(throws: StatusError.self) { try await chain().send(.get("a")) }
        let advice = try #require(error.recoverySuggestion)
        #expect(advice.contains("statuses(adding: [404])") && !error.reason.contains("statuses(adding:"))
        #expect("\(error)".contains(error.reason) && "\(error)".contains(advice))
        #expect(records.last["exception.message"]?.contains("404") == true)
        #expect(records.last["exception.message"]?.contains("statuses(adding:") == false)
        #expect(!records.message.contains("statuses(adding:") && !records.message.contains("\n"))
    }

    @Test("Text, URLs and origins in variables say where credentials go", arguments: [true, false])
    func origins(isURL: Bool) async throws {
        let base = "https://api.example.com/v2"
        let url = try #require(URL(string: base))
        let stage =
            isURL
            ? BasicAuthMiddleware(user: "ada", password: "x", for: url, sending: .preemptively)
            : BasicAuthMiddleware(user: "ada", password: "x", for: base, sending: .preemptively)
        transport.enqueue(.ok)
        _ = try await Chain(transport: transport) { stage }.send(.get(base + "/a"))
        #expect(transport.requests.first?.headers[.authorization] != nil)
        #expect([base, "nonsense"].originSet.invalid == ["nonsense"])
        #expect(try #require(Origin(base)).originSet == url.originSet && base.originSet == [url].originSet)
    }

    @Test("An error handler throws an error of one's own, which catch finds by its type")
    func throwing() async throws {
        transport.enqueue(.status(.unauthorized))
        transport.enqueue(.status(.notFound))
        let chain = try Chain(transport: transport) {
            ErrorHandlerMiddleware(.throwing { $0.status == .unauthorized ? BinError.wrongPassword : nil })
            StatusValidationMiddleware()
        }
        await #expect(throws: BinError.wrongPassword) { try await chain.send(.get("https://api.example.com/a")) }
        await #expect(throws: StatusError.self) { try await chain.send(.get("https://api.example.com/a")) }
    }

    @Test("A check sees a 200 that is a failure, and leaves the content whole")
    func check() async throws {
        transport.enqueue(.text(#"{"ok":false}"#))
        transport.enqueue(.text(#"{"ok":true}"#))
        let chain = try Chain(transport: transport) {
            StatusValidationMiddleware(
                check: ResponseCheck(reading: .bytes(8)) { _, content in
                    if content.text?.hasSuffix("fa") == true { throw BinError.refused }
                }
            )
        }
        await #expect(throws: BinError.refused) { try await chain.send(.get("https://api.example.com/a")) }
        #expect(try await chain.send(.get("https://api.example.com/a")).body.text() == #"{"ok":true}"#)
    }

    @Test("What people print is text: a trace, a chain, a stage, a flush and its statistics")
    func printing() async throws {
        transport.enqueue(.ok)
        let chain = try chain()
        let traced = await chain.trace(.get("a"))
        #expect("\(traced)" == "\(traced.trace)" && "\(traced)".contains("GET a → 200 OK"))
        #expect("\(chain)" == chain.explain())
        #expect("\(RetryMiddleware().summary)".hasPrefix("RetryMiddleware: "))
        #expect("\(LogShipper.Statistics())" == "nothing so far")
    }

    @Test("A log that could not be delivered says why")
    func undelivered() async throws {
        let clock = VirtualClock()
        let hasFailed = Watched(false)
        let receiver = InMemoryTransport { _ in
            throw TransportError(.cannotConnect, sent: .nothing, stage: "Receiver", detail: "Connection refused")
        }
        let shipper = LogShipper(
            to: "https://logs.example.com",
            format: .ndjson,
            resource: LogResource(serviceName: "bin"),
            over: receiver,
            settings: .commandLine,
            environment: .virtual(clock),
            observer: { if case .retrying = $0 { hasFailed.update { $0 = true } } }
        )
        shipper.log(LogRecord(date: Date(), level: .error, component: "bin", message: "lost", attributes: [:]))
        let ending = Task { try await shipper.shutdown() }
        try await hasFailed.wait { $0 ? () : nil }
        clock.advance(by: .seconds(3))
        let result = try await ending.value
        #expect(!result.isComplete && result.left == 1)
        #expect(result.lastFailure?.contains("Connection refused") == true)
        #expect(shipper.statistics.lastFailure == result.lastFailure)
        #expect("\(result)".hasPrefix("1 record is left: "))
    }
}
