#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainRemoteLogging
import HTTPChainTesting
import Logging
import Testing

/// Keeps what it is given.
private final class KeepingSink: LogSink {
    private let kept = Locked<[LogRecord]>([])
    private let levels: LogLevels

    init(levels: LogLevels = LogLevels(.trace)) {
        self.levels = levels
    }

    var records: [LogRecord] { kept.withLock { $0 } }

    func isEnabled(_ level: Logger.Level, for component: String) -> Bool { levels.includes(level, from: component) }

    func log(_ record: consuming LogRecord) {
        let record = record
        kept.withLock { $0.append(record) }
    }
}

private struct Failure: Error, CustomStringConvertible {
    let description: String
}

@Suite("Long texts")
struct LongTextTests {
    @Test("A text is cut before it is searched for secrets, and what is left of it is redacted")
    func long() throws {
        let sink = ExchangeCapture()
        let settings = RemoteLogSettings(textLimit: .kibibytes(1))
        var logger = Logger(label: "long") { RemoteLogHandler(label: $0, sink: sink, settings: settings) }
        logger.logLevel = .trace
        let text = "token=hunter2secret " + String(repeating: "é", count: 1_000_000)
        logger.info("\(text)", metadata: ["text": "\(text)"])
        let record = try sink.record()
        for shown in [record.message, record.attributes["text"]?.string ?? ""] {
            #expect(shown.hasSuffix("…") && shown.utf8.count < 1100)
            #expect(!shown.contains("hunter2secret"))
        }
    }

    @Test("The beginning of a text ends between two characters", arguments: 0...8)
    func beginnings(limit: Int) {
        let text = "aé👩‍🌾"
        let beginning = text.beginning(upTo: limit) ?? text
        #expect(beginning.utf8.count <= max(limit, 0) || limit >= text.utf8.count)
        #expect(text.unicodeScalars.starts(with: beginning.unicodeScalars))
    }
}

@Suite("The handler for swift-log")
struct SwiftLogHandlerTests {
    private let sink = KeepingSink()

    private func logger(
        _ settings: RemoteLogSettings = RemoteLogSettings(includesSource: false),
        provider: Logger.MetadataProvider? = nil
    ) -> Logger {
        Logger(label: "shop.cart") { [sink] label in
            RemoteLogHandler(label: label, sink: sink, level: .trace, metadataProvider: provider, settings: settings)
        }
    }

    // MARK: What swift-log asks of a handler

    @Test("Level and metadata of a logger are its own, as swift-log asks")
    func valueSemantics() {
        var first = Logger(label: "first logger") { [sink] in RemoteLogHandler(label: $0, sink: sink) }
        first.logLevel = .debug
        first[metadataKey: "only-on"] = "first"
        var second = first
        second.logLevel = .error
        second[metadataKey: "only-on"] = "second"
        #expect(first.logLevel == .debug)
        #expect(second.logLevel == .error)
        #expect(first[metadataKey: "only-on"] == "first")
        #expect(second[metadataKey: "only-on"] == "second")
        first.error("one")
        second.error("two")
        #expect(sink.records.map { $0.attributes["only-on"] } == ["first", "second"])
    }

    @Test("The level is info at first")
    func firstLevel() {
        let logger = Logger(label: "a") { [sink] in RemoteLogHandler(label: $0, sink: sink) }
        #expect(logger.logLevel == .info)
        logger.debug("not taken")
        logger.info("taken")
        #expect(sink.records.map(\.message) == ["taken"])
    }

    @Test("Metadata can be read, set and removed one by one and as a whole")
    func metadata() {
        var handler = RemoteLogHandler(label: "a", sink: sink)
        handler.metadata = ["a": "1", "b": ["c": "2"]]
        #expect(handler[metadataKey: "b"] == ["c": "2"])
        handler[metadataKey: "a"] = nil
        handler[metadataKey: "d"] = ["x"]
        #expect(handler.metadata == ["b": ["c": "2"], "d": ["x"]])
        handler.metadata = [:]
        handler.log(
            event: LogEvent(level: .info, message: "m", metadata: nil, source: nil, file: "", function: "", line: 0)
        )
        #expect(sink.records[0].attributes["b"] == nil)
    }

    @Test("Every level is the record's", arguments: Logger.Level.allCases)
    func levels(level: Logger.Level) {
        logger().log(level: level, "m")
        #expect(sink.records.map(\.level) == [level])
    }

    @Test("Of metadata that stand in several places those of the call count, then the provider's, then the handler's")
    func precedence() {
        let provider = Logger.MetadataProvider { ["b": "provider", "c": "provider", "d": "provider"] }
        var logger = logger(provider: provider)
        logger[metadataKey: "a"] = "handler"
        logger[metadataKey: "b"] = "handler"
        logger[metadataKey: "c"] = "handler"
        logger.info("m", metadata: ["c": "call", "d": "call", "e": "call"])
        #expect(
            sink.records[0].attributes == ["a": "handler", "b": "provider", "c": "call", "d": "call", "e": "call"]
        )
    }

    @Test("The provider is asked at each call, in the task that logs")
    func provider() async {
        enum Trace { @TaskLocal static var identifier = "none" }
        let logger = logger(provider: Logger.MetadataProvider { ["trace_id": "\(Trace.identifier)"] })
        logger.info("outside")
        Trace.$identifier.withValue("inside") { logger.info("inside") }
        #expect(sink.records.map { $0.attributes["trace_id"] } == ["none", "inside"])
    }

    @Test("The old way to call a handler comes to the same")
    func oldCall() {
        let handler: any LogHandler = RemoteLogHandler(label: "a", sink: sink, settings: RemoteLogSettings())
        handler.log(
            event: LogEvent(
                level: .info,
                message: "m",
                metadata: ["a": "b"],
                source: "Source",
                file: "Shop/Cart.swift",
                function: "f()",
                line: 7
            )
        )
        #expect(
            sink.records[0].attributes == [
                "a": "b", "code.namespace": "Source", "code.file.path": "Shop/Cart.swift", "code.function.name": "f()",
                "code.line.number": 7,
            ]
        )
    }

    // MARK: What becomes of an event

    @Test("A record has the time of the environment, the label and the message")
    func record() {
        let clock = VirtualClock()
        let settings = RemoteLogSettings(includesSource: false, environment: .virtual(clock))
        let logger = logger(settings)
        logger.notice("Order \(17) placed")
        clock.advance(by: .seconds(90))
        logger.notice("again")
        let start = Date(timeIntervalSince1970: 784_111_777)
        #expect(
            sink.records == [
                LogRecord(date: start, level: .notice, component: "shop.cart", message: "Order 17 placed"),
                LogRecord(date: start + 90, level: .notice, component: "shop.cart", message: "again"),
            ]
        )
    }

    @Test(
        "Metadata keep their structure, and numbers and truth values their kinds",
        arguments: [
            ("text", "text"), (.stringConvertible(42), 42), (.stringConvertible(true), true),
            (.stringConvertible(0.5), 0.5), (.stringConvertible(Float(0.5)), 0.5), (.stringConvertible(UInt8(7)), 7),
            (.stringConvertible(Int64.min), .integer(.min)), (.stringConvertible(UInt64.max), "18446744073709551615"),
            (.stringConvertible(Failure(description: "words")), "words"), ("\(42)", "42"),
            (["a", ["b": "c"], []], ["a", ["b": "c"], []]), ([:], [:]),
        ] as [(Logger.MetadataValue, JSONValue)]
    )
    func values(value: Logger.MetadataValue, expected: JSONValue) {
        logger().info("m", metadata: ["v": value])
        #expect(sink.records[0].attributes["v"] == expected)
    }

    @Test("Attributes are in the order of their names")
    func order() {
        logger().info("m", metadata: ["c": "", "a": "", "b": "", "e": "", "d": ""])
        #expect(sink.records[0].attributes.map(\.name) == ["a", "b", "c", "d", "e"])
    }

    @Test("Metadata nested without end are cut off")
    func depth() {
        var value: Logger.MetadataValue = "leaf"
        for _ in 0..<1000 { value = ["a": value] }
        logger().info("m", metadata: ["v": value])
        var seen = sink.records[0].attributes["v"]
        for _ in 0..<17 { seen = seen?["a"] }
        #expect(seen == "…")
    }

    @Test("An error of the event is told by its type and its words")
    func error() {
        logger().error("m", error: Failure(description: "no room"))
        let attributes = sink.records[0].attributes
        #expect(attributes["error.type"] == "Failure")
        #expect(attributes["exception.message"] == "no room")
    }

    @Test("An error of a transport is told by its kind, as metrics and spans tell it")
    func transportError() {
        logger().error("m", error: TransportError(.connectionLost, sent: .maybe, stage: "test"))
        logger().error("m", error: TransportError(.timedOut, sent: .maybe, stage: "test"))
        #expect(sink.records.map { $0.attributes["error.type"] } == ["connectionLost", "timeout"])
    }

    @Test("Where in the code it was logged is told")
    func code() {
        logger(RemoteLogSettings()).info("m")
        let attributes = sink.records[0].attributes
        let names = ["code.namespace", "code.file.path", "code.function.name", "code.line.number"]
        #expect(attributes.map(\.name) == names)
        #expect(attributes["code.namespace"] == "RemoteLoggingTests")
        #expect(attributes["code.file.path"] == "RemoteLoggingTests/SwiftLogHandlerTests.swift")
        #expect(attributes["code.function.name"] == "code()")
        #expect(attributes["code.line.number"]?.integer ?? 0 > 100)
    }

    @Test("The place in the code is left out on request", arguments: [true, false])
    func source(isIncluded: Bool) {
        let logger = Logger(label: "a") { RemoteLogHandler(label: $0, sink: sink, includesSource: isIncluded) }
        logger.info("m")
        #expect(sink.records[0].attributes.list.count == (isIncluded ? 4 : 0))
    }

    @Test("Metadata of the same name as a place in the code count")
    func ownCode() {
        logger(RemoteLogSettings()).info("m", metadata: ["code.line.number": "mine"])
        let attributes = sink.records[0].attributes
        #expect(attributes["code.line.number"] == "mine")
        #expect(attributes.list.count == 4)
    }

    @Test("What the sink does not take is not made")
    func takes() {
        let sink = KeepingSink(levels: LogLevels(.info, ["shop": .error]))
        let logger = Logger(label: "shop.cart") {
            RemoteLogHandler(
                label: $0,
                sink: sink,
                level: .trace,
                metadataProvider: Logger.MetadataProvider {
                    Issue.record("the provider was asked")
                    return [:]
                }
            )
        }
        logger.warning("m")
        #expect(sink.records.isEmpty)
    }

    @Test("What is logged while records are shipped is not taken")
    func shipping() async {
        let logger = logger()
        await LogShipping.$isUnderWay.withValue(true) {
            logger.error("about the shipping")
            await withTaskGroup(of: Void.self) { group in
                group.addTask { logger.error("in a task of it") }
            }
        }
        logger.error("about the shop")
        #expect(sink.records.map(\.message) == ["about the shop"])
    }

    @Test("Beside another handler each gets the event")
    func multiplex() {
        let other = KeepingSink()
        let logger = Logger(label: "a") { [sink] in
            MultiplexLogHandler([
                RemoteLogHandler(label: $0, sink: other, level: .error), RemoteLogHandler(label: $0, sink: sink),
            ])
        }
        logger.info("small")
        logger.error("severe")
        #expect(sink.records.map(\.message) == ["small", "severe"])
        #expect(other.records.map(\.message) == ["severe"])
    }

    @Test("The handler may be used by many tasks at once")
    func tasks() async {
        let logger = logger()
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    var logger = logger
                    logger[metadataKey: "task"] = .stringConvertible(task)
                    for _ in 0..<200 { logger.info("m") }
                }
            }
        }
        let counts = Dictionary(grouping: sink.records) { $0.attributes["task"]?.integer ?? -1 }.mapValues(\.count)
        #expect(counts == Dictionary(uniqueKeysWithValues: (0..<8).map { ($0, 200) }))
    }
}

@Suite("Secrets in what swift-log brings")
struct SwiftLogSecretTests {
    private let sink = KeepingSink()

    private func log(
        _ settings: RemoteLogSettings = RemoteLogSettings(),
        _ message: Logger.Message = "m",
        _ metadata: Logger.Metadata = [:],
        error: (any Error)? = nil
    ) -> LogRecord {
        Logger(label: "a") { [sink] in RemoteLogHandler(label: $0, sink: sink, settings: settings) }
            .info(message, error: error, metadata: metadata)
        return sink.records[0]
    }

    @Test(
        "Metadata under the name of a secret are redacted",
        arguments: [
            "password", "accessToken", "X-API-Key", "Authorization", "user.password", "user[token]", "SET-COOKIE",
        ]
    )
    func names(name: String) {
        let secrets: [Logger.MetadataValue] = ["hunter2", .stringConvertible(2), ["hunter2"], ["a": "hunter2"]]
        for secret in secrets {
            let logger = Logger(label: "a") { [sink] in RemoteLogHandler(label: $0, sink: sink) }
            logger.info("m", metadata: [name: secret, "nested": [["deep": [name: secret]]]])
        }
        for record in sink.records {
            #expect(record.attributes[name] == "<redacted>")
            #expect(record.attributes["nested"]?[0]?["deep"]?[name] == "<redacted>")
        }
    }

    @Test("Values of the handler's and the provider's metadata under names of secrets are redacted")
    func everywhere() {
        var logger = Logger(label: "a") { [sink] in
            RemoteLogHandler(
                label: $0,
                sink: sink,
                metadataProvider: Logger.MetadataProvider { ["session": "hunter2"] }
            )
        }
        logger[metadataKey: "token"] = "hunter2"
        logger.info("m")
        #expect(!"\(sink.records)".contains("hunter2"))
    }

    @Test(
        "Secrets in texts are redacted",
        arguments: [
            ("GET /a?token=hunter2&b=1", "GET /a?token=<redacted>&b=1"),
            (#"sent {"password":"hunter2","a":1}"#, #"sent {"password":"<redacted>","a":1}"#),
            ("via https://ada:hunter2@example.com/x@y.", "via https://<redacted>@example.com/x@y."),
            (
                "https://a.example/ http://x@b/ and ftp://ada:p@ss@c",
                "https://a.example/ http://<redacted>@b/ and ftp://<redacted>@c"
            ),
            ("mail ada@example.com: a://b", "mail ada@example.com: a://b"), ("nothing", "nothing"), ("@", "@"),
            ("://", "://"), ("@://", "@://"), ("x://@", "x://@"), ("x://y@", "x://<redacted>@"),
        ]
    )
    func texts(text: String, expected: String) {
        let record = log(RemoteLogSettings(), "\(text)", ["note": "\(text)"], error: Failure(description: text))
        #expect(record.message == expected)
        #expect(record.attributes["note"] == .string(expected))
        #expect(record.attributes["exception.message"] == .string(expected))
    }

    @Test("Texts are left alone where that is asked for, names are not")
    func textsAlone() {
        let record = log(RemoteLogSettings(redactsText: false), "token=a", ["note": "token=a", "token": "a"])
        #expect(record.message == "token=a")
        #expect(record.attributes["note"] == "token=a")
        #expect(record.attributes["token"] == "<redacted>")
    }

    @Test("Without rules everything is shown, with others what they say is not")
    func rules() {
        let shown = log(RemoteLogSettings(redaction: nil), "token=a", ["token": "a"])
        #expect(shown.message == "token=a")
        #expect(shown.attributes["token"] == "a")
        var settings = RemoteLogSettings(redaction: nil)
        settings.redaction = Redaction(fieldNames: [], queryNames: [], memberNames: ["vat-id"])
        let logger = Logger(label: "a") { [sink] in RemoteLogHandler(label: $0, sink: sink, settings: settings) }
        logger.info("vatID=1", metadata: ["vat_id": "1", "token": "a"])
        #expect(sink.records[1].message == "vatID=<redacted>")
        #expect(sink.records[1].attributes["vat_id"] == "<redacted>")
        #expect(sink.records[1].attributes["token"] == "a")
    }
}
#endif
