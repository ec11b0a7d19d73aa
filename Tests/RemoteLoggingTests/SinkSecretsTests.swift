#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainLogShipper
import HTTPChainLogSpool
import HTTPChainRemoteLogging
import HTTPChainTesting
import HTTPTypes
import Logging
import TestSupport
import Testing

@Suite("Secrets on the way to a server", .timeLimit(.minutes(10)))
struct SinkSecretsTests {
    struct Wire: Sendable, CustomTestStringConvertible {
        let format: any LogWireFormat
        var testDescription: String { "\(type(of: format))" }
    }

    private static let wires: [Wire] = [
        Wire(format: .otlp), Wire(format: .loki), Wire(format: .ndjson),
        Wire(format: BuiltInWireFormat.loki(line: .logfmt)), Wire(format: BuiltInWireFormat.ndjson(flat: true)),
    ]

    private func shipper(_ wire: Wire, over transport: InMemoryTransport, spool: LogSpool? = nil) -> LogShipper {
        LogShipper(
            to: "https://logs.example.com/push?token=\(ExchangeSecretsTests.secret("Endpoint"))",
            format: wire.format,
            resource: LogResource(serviceName: "plants"),
            over: transport,
            spool: spool,
            levels: LogLevels(.trace),
            environment: .virtual()
        )
    }

    /// Everything that can be logged, by calls and attempts at every detail, and by the application at every level.
    private func logEverything(to sink: any LogSink) async throws {
        for exchange in ExchangeSecretsTests.exchanges {
            for detail in [ExchangeDetail.summary, .headers, .bodies] {
                let stages = [
                    RemoteLoggingMiddleware(sink, detail: detail),
                    RemoteLoggingMiddleware(sink, each: .attempt, detail: detail, formatter: .curl),
                ]
                try await ExchangeSecretsTests.send(exchange, through: stages)
            }
        }
        let logger = Logger(label: "application") { label in
            RemoteLogHandler(label: label, sink: sink, level: .trace, metadataProvider: nil)
        }
        let secret = ExchangeSecretsTests.secret
        for level in Logger.Level.allCases {
            logger.log(
                level: level,
                "signed in at https://a:\(secret("LogUser"))@b.example/?token=\(secret("LogQuery"))",
                metadata: [
                    "password": "\(secret("LogMember"))",
                    "user": ["name": "Ida", "apiKey": "\(secret("LogNested"))"],
                    "tried": ["Authorization: Bearer \(secret("LogText"))"],
                ]
            )
        }
    }

    @Test("No secret is in what is sent, in any format", arguments: wires)
    func sent(wire: Wire) async throws {
        let transport = InMemoryTransport()
        transport.on(.post, "*") { _ in Response(.noContent) }
        let shipper = shipper(wire, over: transport)
        try await logEverything(to: shipper)
        try await shipper.shutdown(deadline: .seconds(30))
        #expect(shipper.statistics.acknowledged == shipper.statistics.accepted)
        #expect(shipper.statistics.accepted >= 6 * ExchangeSecretsTests.exchanges.count + 7)
        #expect(!transport.requests.isEmpty)
        for request in transport.requests {
            #expect(request.text.contains("Ida"))
            ExchangeSecretsTests.check(request.text, "sent")
        }
    }

    @Test("No secret is in the files of a spool")
    func spooled() async throws {
        let scratch = ScratchDirectory()
        let transport = InMemoryTransport()
        transport.on(.post, "*") { _ in Response(.serviceUnavailable) }
        let shipper = shipper(Self.wires[0], over: transport, spool: try LogSpool(directory: scratch.url))
        try await logEverything(to: shipper)
        let contents = try scratch.names.map { String(decoding: try scratch.content(of: $0), as: UTF8.self) }
        #expect(contents.contains { $0.contains("Ida") })
        for content in contents { ExchangeSecretsTests.check(content, "spooled") }
        ExchangeSecretsTests.check("\(shipper.statistics)", "statistics")
    }

    @Test("No secret is in what the shipper says of its failures, its own address included")
    func told() async throws {
        let transport = InMemoryTransport()
        transport.on(.post, "*") { _ in Response(.forbidden) }
        let told = Locked<[String]>([])
        let shipper = LogShipper(
            to: "https://a:\(ExchangeSecretsTests.secret("User"))@logs.example.com/push?token="
                + ExchangeSecretsTests.secret("Endpoint"),
            format: .otlp,
            resource: LogResource(serviceName: "plants"),
            over: transport,
            levels: LogLevels(.trace),
            environment: .virtual(),
            observer: { event in told.withLock { $0.append("\(event)") } }
        )
        try await logEverything(to: shipper)
        _ = try? await shipper.shutdown(deadline: .seconds(30))
        let events = told.withLock { $0 }
        #expect(!events.isEmpty)
        for event in events { ExchangeSecretsTests.check(event, "told") }
        ExchangeSecretsTests.check(String(reflecting: shipper), "reflected")
    }
}
#endif
