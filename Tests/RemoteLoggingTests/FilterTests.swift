import HTTPChainCore
import HTTPChainRemoteLogging
import HTTPTypes
import Logging
import Testing

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
            (.level(atLeast: .warning), true), (.level(atLeast: .error), false), (.level(atLeast: .trace), true),
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
