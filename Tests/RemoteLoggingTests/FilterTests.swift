#if AllTests
import HTTPChainCore
import HTTPChainTesting
import HTTPTypes
import Logging
import TestSupport
import Testing

@testable import HTTPChainRemoteLogging

@Suite("Filters of exchanges")
struct FilterTests {
    private static let exchange: ExchangeLog = {
        var exchange = ExchangeLog(
            .get,
            "https://api.example.com/plants",
            status: .notFound,
            duration: .seconds(2),
            start: exchangeStart,
            level: .warning,
            component: "http.client.attempt",
            callID: 12
        )
        exchange.attempt = 2
        return exchange
    }()

    @Test(
        "Each condition holds where it says so",
        arguments: [
            (.component("http"), true), (.component("http.client"), true), (.component("http.client.attempt"), true),
            (.component("http.cli"), false), (.component("http.client.attempt.x"), false), (.component("other"), false),
            (.host("api.example.com"), true), (.host("API.example.com"), true), (.host("example.com"), false),
            (.host("*.example.com"), true), (.host("*.api.example.com"), false), (.host("*.com"), true),
            (.host("other.example", "*.example.com"), true), (.host("*.ple.com"), false), (.host(), false),
            (.status(404), true), (.status(.clientError), true), (.status([.success, .serverError]), false),
            (.outcome(.clientError), true), (.outcome(.success, .cancelled), false),
            (.duration(over: .milliseconds(1999)), true), (.duration(over: .seconds(2)), false),
            (.sampled(oneIn: 4), true), (.sampled(oneIn: 5), false), (.sampled(oneIn: 1), true),
            (.sampled(oneIn: 0), true), (.sampled(oneIn: -3), true),
            (LogFilter { $0.attempt == 2 }, true), (LogFilter { $0.attempt == 3 }, false),
        ] as [(LogFilter, Bool)]
    )
    func conditions(filter: LogFilter, expected: Bool) {
        #expect(filter.includes(Self.exchange) == expected)
        #expect(LogFilter.not(filter).includes(Self.exchange) == !expected)
    }

    @Test("Combinations follow logic", arguments: [true, false], [true, false])
    func combinations(first: Bool, second: Bool) {
        let (one, other) = (LogFilter { _ in first }, LogFilter { _ in second })
        #expect(one.and(other).includes(Self.exchange) == (first && second))
        #expect(one.or(other).includes(Self.exchange) == (first || second))
        #expect(LogFilter.not(one.or(.not(other))).includes(Self.exchange) == (!first && second))
    }

    @Test("What has no host and no status meets no condition of them")
    func nothing() {
        let exchange = ExchangeLog(.get, "plants", start: exchangeStart)
        #expect(!LogFilter.host("*.example.com").includes(exchange))
        #expect(!LogFilter.status(.all).includes(exchange))
        #expect(LogFilter.outcome(.failure).includes(exchange))
    }

    private func facts(callID: UInt64 = 1, status: HTTPResponse.Status? = nil) -> LogFilter.Facts {
        var facts = LogFilter.Facts(callID: callID, component: "http.client")
        if let status {
            facts.end = LogFilter.End(
                level: .info,
                status: status,
                outcome: ExchangeOutcome(status: status),
                duration: .seconds(1),
                origin: { nil }
            )
        }
        return facts
    }

    @Test("What chance leaves out is known as a call begins, unless something else may keep it")
    func early() {
        let asks = LogFilter { _ in true }
        #expect(LogFilter.sampled(oneIn: 2).decision(facts()) == false)
        #expect(LogFilter.sampled(oneIn: 2).decision(facts(callID: 4)) == true)
        #expect(LogFilter.sampled(oneIn: 2).and(asks).decision(facts()) == false)
        #expect(LogFilter.component("other").and(.status(.all)).decision(facts()) == false)
        #expect(LogFilter.sampled(oneIn: 2).or(.errors).decision(facts()) == nil)
        #expect(LogFilter.not(.sampled(oneIn: 2).or(.errors)).decision(facts(callID: 2)) == false)
        #expect(LogFilter.sampled(oneIn: 2).or(.errors).decision(facts(status: .ok)) == false)
        #expect(LogFilter.sampled(oneIn: 2).or(.errors).decision(facts(status: .notFound)) == true)
        #expect(LogFilter.sampled(oneIn: 2).or(asks).decision(facts(status: .ok)) == nil)
        #expect(LogFilter.errors.and(asks).decision(facts(status: .ok)) == false)
    }

    @Test("A call that is left out is put into no words, and one that fails is kept whatever chance says")
    func tail() async throws {
        struct Words: LogFormatter {
            let count = Locked(0)

            func message(for exchange: ExchangeLog) -> String {
                count.withLock { $0 += 1 }
                return "\(exchange.status?.code ?? 0)"
            }
        }
        let words = Words()
        let sink = ExchangeCapture()
        let stage = RemoteLoggingMiddleware(
            sink,
            filter: .sampled(oneIn: .max).or(.errors).or(.duration(over: .seconds(1))),
            formatter: words
        )
        let transport = ClosureTransport { Response($0.url.contains("bad") ? .badGateway : .ok) }
        let chain = try Chain(transport: transport) { stage }
        for path in ["a", "bad", "b"] { _ = try await chain.send(.get("https://example.com/\(path)")) }
        #expect(sink.records.map(\.message) == ["502"])
        #expect(words.count.withLock { $0 } == 1)
    }

    @Test("The example of errors keeps what fails and what is slow")
    func errors() {
        let filter: LogFilter = .sampled(oneIn: 100).or(.errors).or(.duration(over: .seconds(1)))
        func taken(_ status: HTTPResponse.Status?, _ duration: Duration = .zero, _ outcome: ExchangeOutcome? = nil)
            -> Bool
        {
            filter.includes(
                ExchangeLog(
                    .get,
                    "x",
                    status: status,
                    duration: duration,
                    start: exchangeStart,
                    outcome: outcome,
                    callID: 1
                )
            )
        }
        #expect(taken(.notFound) && taken(.badGateway) && taken(nil) && taken(.ok, .seconds(2)))
        #expect(!taken(.ok) && !taken(nil, .zero, .cancelled))
    }

    @Test("The example of the documentation takes errors and slow calls")
    func example() {
        let filter: LogFilter = .status([.clientError, .serverError])
            .or(.duration(over: .seconds(2)))
            .or(.sampled(oneIn: 100))
        #expect(filter.includes(Self.exchange))
        #expect(!filter.includes(ExchangeLog(.get, "x", status: .ok, start: exchangeStart, callID: 1)))
        #expect(
            filter.includes(ExchangeLog(.get, "x", status: .ok, duration: .seconds(3), start: exchangeStart, callID: 1))
        )
    }
}
#endif
