#if AllTests
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainRemoteLogging
import HTTPChainTesting
import HTTPTypes
import Logging
import Testing

@Suite("Exchanges in a Logger", .timeLimit(.minutes(10)))
struct ExchangeLoggerTests {
    private let console = ExchangeConsole()

    private func logger(_ level: Logger.Level = .trace) -> Logger {
        var logger = Logger(label: "shop.http") { [console] _ in console }
        logger.logLevel = level
        return logger
    }

    @Test("A call is logged with its attributes as metadata and its component as the source")
    func call() async throws {
        let stage = LogRequestsMiddleware(logger: logger(), formatter: .short)
        _ = await StageHarness(stage).send(.get("https://a.example/").logging(attributes: ["order": 42]))
        #expect(console.lines == ["info [shop.http] 200 GET https://a.example/ 0 ms order=42"])
    }

    private struct HeadersFormatter: DetailedLogFormatter {
        var detailRange: ClosedRange<ExchangeDetail> { .summary ... .headers }
        func message(for exchange: ExchangeLog) -> String { "" }
    }

    @Test(
        "More detail than the formatter shows is a warning",
        arguments: [
            (.bodies, [:], .short, true), (.headers, [:], .short, true), (.summary, [.warning: .bodies], .short, true),
            (.summary, [:], .short, false), (.summary, [.trace: .bodies], .short, false),
            (.bodies, [:], .semantic, false), (.bodies, [:], .curl, false), (.bodies, [:], HeadersFormatter(), true),
            (.headers, [:], HeadersFormatter(), false),
        ] as [(ExchangeDetail, [Logger.Level: ExchangeDetail], any LogFormatter, Bool)]
    )
    func excessDetail(
        detail: ExchangeDetail,
        byLevel: [Logger.Level: ExchangeDetail],
        formatter: any LogFormatter,
        warns: Bool
    ) throws {
        let stages: [any Middleware] = [
            LogRequestsMiddleware(logger: logger(), detail: detail, detailByLevel: byLevel, formatter: formatter),
            RemoteLoggingMiddleware(
                LoggerSink(logger()),
                each: .attempt,
                detail: detail,
                detailByLevel: byLevel,
                formatter: formatter
            ),
        ]
        let chain = try Chain(stages, transport: InMemoryTransport())
        #expect(chain.warnings.map(\.stage) == (warns ? ["LogRequestsMiddleware", "RemoteLoggingMiddleware"] : []))
        #expect(
            chain.warnings.allSatisfy { $0.problem.contains("shows no more than") && $0.fix.contains("formatter:") }
        )
    }

    @Test("A call that asks for more detail than the formatter shows has it in its attributes")
    func detailOfACall() async throws {
        let stage = LogRequestsMiddleware(logger: logger(), formatter: .short)
        let plain = Request.post("https://a.example/", body: "fern")
        _ = await StageHarness(stage).send(plain.logging(detail: .summary))
        _ = await StageHarness(stage).send(plain.logging(detail: .bodies, attributes: ["order": 42]))
        #expect(console.lines.first == "info [shop.http] 200 POST https://a.example/ 0 ms")
        let detailed = try #require(console.lines.last)
        #expect(detailed.hasPrefix("info [shop.http] 200 POST https://a.example/ 0 ms "))
        #expect(detailed.contains("httpchain.request.body=fern") && detailed.contains("order=42"))
    }

    @Test("The logger's level decides what is logged")
    func level() async throws {
        let harness = StageHarness(LogRequestsMiddleware(logger: logger(.warning), formatter: .short))
        _ = await harness.send(.get("https://a.example/"))
        _ = await harness.send(.get("https://a.example/"), answering: .status(.notFound))
        #expect(console.lines == ["warning [shop.http] 404 GET https://a.example/ 0 ms"])
    }

    @Test("What could forge a line or steer a terminal is escaped, in every depth of the metadata")
    func escaping() {
        LoggerSink(logger()).log(
            LogRecord(
                date: exchangeStart,
                level: .info,
                component: "c",
                message: "a\u{1B}[2J\nb",
                attributes: [
                    "text": "x\r\nerror forged", "list": ["\u{7}", 1, nil, true, 1.5], "object": ["key": "\u{202E}"],
                ]
            )
        )
        #expect(
            console.lines == [
                #"info [c] a\u{1B}[2J"# + "\n" + #"b list=["\\u{07}", "1", "null", "true", "1.5"] "#
                    + #"object=["key": "\\u{202E}"] text=x\r\nerror forged"#
            ]
        )
    }

    @Test("A record without attributes has no metadata")
    func plain() {
        LoggerSink(logger()).log(LogRecord(date: exchangeStart, level: .error, component: "c", message: "m"))
        #expect(console.lines == ["error [c] m"])
        #expect(LoggerSink(logger(.error)).isEnabled(.error, for: "c"))
        #expect(!LoggerSink(logger(.error)).isEnabled(.warning, for: "c"))
    }
}
#endif
