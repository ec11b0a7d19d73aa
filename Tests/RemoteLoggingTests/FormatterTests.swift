#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainRemoteLogging
import HTTPTypes
import Logging
import Testing

@Suite("Formatters")
struct FormatterTests {
    private static func exchange(_ change: (inout ExchangeLog) -> Void = { _ in }) -> ExchangeLog {
        var exchange = ExchangeLog(
            .get,
            "https://api.example.com/plants",
            status: .ok,
            duration: .milliseconds(12),
            start: exchangeStart,
            callID: 0xABC
        )
        exchange.bodyEnd = .complete
        change(&exchange)
        return exchange
    }

    private static let failure = LoggedError(type: "timeout", reason: "too\r\nslow")

    @Test(
        "The semantic message says what happened on one line",
        arguments: [
            (exchange(), "GET https://api.example.com/plants → 200 OK in 12 ms"),
            (exchange { $0.attempts = 3 }, "GET https://api.example.com/plants → 200 OK in 12 ms (3 attempts)"),
            (
                exchange {
                    $0.unit = .attempt
                    $0.attempt = 2
                }, "GET https://api.example.com/plants → 200 OK in 12 ms (attempt 2)"
            ),
            (
                exchange { $0.cache = LoggedCacheStatus(text: "x; hit", isHit: true) },
                "GET https://api.example.com/plants → 200 OK in 12 ms (cache)"
            ),
            (
                exchange {
                    $0.status = nil
                    $0.outcome = .failure
                    $0.error = failure
                }, "GET https://api.example.com/plants failed after 12 ms: too  slow"
            ),
            (
                exchange {
                    $0.outcome = .failure
                    $0.error = failure
                    $0.bodyEnd = .broken
                }, "GET https://api.example.com/plants → 200 OK, broken off after 12 ms: too  slow"
            ),
            (
                exchange {
                    $0.outcome = .cancelled
                    $0.error = .cancellation
                    $0.bodyEnd = .broken
                }, "GET https://api.example.com/plants → 200 OK, cancelled after 12 ms"
            ),
            (
                exchange {
                    $0.status = .init(code: 200, reasonPhrase: "O\u{1B}[2JK\u{2028}\u{202E}")
                }, "GET https://api.example.com/plants → 200 O [2JK   in 12 ms"
            ),
        ]
    )
    func messages(exchange: ExchangeLog, expected: String) {
        #expect(SemanticLogFormatter().message(for: exchange) == expected)
    }

    @Test(
        "Durations are written for people",
        arguments: [
            (.zero, "0 ms"), (.microseconds(400), "0.4 ms"), (.microseconds(40), "0 ms"),
            (.microseconds(9940), "9.9 ms"),
            (.microseconds(9960), "10 ms"), (.microseconds(12_400), "12 ms"), (.microseconds(999_400), "999 ms"),
            (.microseconds(999_600), "1 s"), (.milliseconds(1240), "1.24 s"), (.milliseconds(1200), "1.2 s"),
            (.milliseconds(1004), "1 s"), (.milliseconds(1050), "1.05 s"), (.seconds(95), "95 s"),
            (.seconds(-1), "0 ms"), (.seconds(Int64.max), "1000000000 s"),
        ] as [(Duration, String)]
    )
    func durations(duration: Duration, expected: String) {
        #expect(duration.abbreviated == expected)
    }

    @Test("The attributes follow the semantic conventions")
    func attributes() {
        let exchange = Self.exchange {
            $0.requestSize = .init(declared: 5)
            $0.responseSize = .init(declared: 7, counted: 3)
            $0.timeToHead = .milliseconds(10)
            $0.attempts = 3
            $0.finalURL = "https://b.example/"
            $0.cache = LoggedCacheStatus(text: "x; fwd=miss", isHit: false)
            $0.requestFields = [.accept: "text/html", .accept: "*/*", .init("X-Two")!: "2"]
            $0.responseFields = [.contentType: "text/plain"]
            $0.requestBody = LoggedBody(.text, "asked")
            $0.responseBody = LoggedBody(.text, "giv", isTruncated: true)
            $0.attributes = ["order": 42]
        }
        let expected: LogAttributes = [
            "http.request.method": "GET", "url.full": "https://api.example.com/plants",
            "httpchain.url.final": "https://b.example/", "server.address": "api.example.com", "server.port": 443,
            "http.request.resend_count": 2, "http.request.body.size": 5, "http.response.status_code": 200,
            "http.response.body.size": 3, "httpchain.body_end": "complete", "httpchain.duration": 0.012,
            "httpchain.call.id": "0000000000000abc", "httpchain.unit": "call", "httpchain.start_time": 784_111_777.0,
            "httpchain.outcome": "success", "httpchain.time_to_head": 0.01, "httpchain.attempts": 3,
            "httpchain.cache.status": "x; fwd=miss", "httpchain.cache.hit": false,
            "http.request.header.accept": ["text/html", "*/*"], "http.request.header.x-two": ["2"],
            "http.response.header.content-type": ["text/plain"], "httpchain.request.body": "asked",
            "httpchain.response.body": "giv", "httpchain.response.body.truncated": true, "order": 42,
        ]
        #expect(SemanticLogFormatter().attributes(for: exchange) == expected)
    }

    @Test("A number of attempts below one is no resend", arguments: [Int.min, 0, 1])
    func attemptsOutOfRange(number: Int) {
        for unit in [ExchangeUnit.call, .attempt] {
            let exchange = Self.exchange {
                $0.unit = unit
                ($0.attempt, $0.attempts) = (number, number)
            }
            #expect(SemanticLogFormatter().attributes(for: exchange)["http.request.resend_count"] == nil)
        }
    }

    @Test("What went wrong has a type: that of the error, else the status")
    func errorType() {
        let attributes = { SemanticLogFormatter().attributes(for: $0) }
        #expect(attributes(Self.exchange())["error.type"] == nil)
        #expect(attributes(Self.exchange { $0.status = .notFound })["error.type"] == "404")
        let failed = attributes(Self.exchange { $0.error = Self.failure })
        #expect(failed["error.type"] == "timeout")
        #expect(failed["exception.message"] == "too\r\nslow")
    }

    @Test("A method that the conventions do not know is called other")
    func methods() {
        let attributes = SemanticLogFormatter().attributes(
            for: ExchangeLog(.init("PROPFIND")!, "https://[::1]:8080/", start: exchangeStart)
        )
        #expect(attributes["http.request.method"] == "_OTHER")
        #expect(attributes["http.request.method_original"] == "PROPFIND")
        #expect(attributes["server.address"] == "::1")
        #expect(attributes["server.port"] == 8080)
        #expect(attributes["http.response.status_code"] == nil)
    }

    @Test("The short form is one line, with the call's own attributes alone")
    func short() {
        let formatter = ShortLogFormatter()
        #expect(formatter.message(for: Self.exchange()) == "200 GET https://api.example.com/plants 12 ms")
        let failed = Self.exchange {
            $0.status = nil
            $0.error = Self.failure
            $0.attributes = ["order": 42]
        }
        #expect(formatter.message(for: failed) == "timeout GET https://api.example.com/plants 12 ms")
        let refused = Self.exchange {
            $0.status = .notFound
            $0.error = LoggedError(type: "404", reason: "no such plant")
        }
        #expect(formatter.message(for: refused) == "404 GET https://api.example.com/plants 12 ms")
        #expect(formatter.attributes(for: failed) == ["order": 42])
    }

    @Test("A formatter of one's own has to make no more than a message")
    func own() {
        struct PathFormatter: LogFormatter {
            func message(for exchange: ExchangeLog) -> String {
                "\(exchange.method) \(exchange.url): \(exchange.status?.code ?? 0)"
            }
        }
        #expect(PathFormatter().message(for: Self.exchange()) == "GET https://api.example.com/plants: 200")
        #expect(PathFormatter().attributes(for: Self.exchange())["http.request.method"] == "GET")
        #expect(PathFormatter().usedDetails == .summary ... .bodies)
    }
}
#endif
