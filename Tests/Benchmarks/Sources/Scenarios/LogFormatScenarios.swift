import Foundation
import HTTPChainCore
import HTTPChainLogShipper
import HTTPChainRemoteLogging
import Logging

/// Batches of records with six attributes each, as bytes for a receiver; a run is one record.
public enum LogFormatScenarios {
    /// How many records a batch has: as many as the shipper's by default.
    private static let size = 512

    /// Every format.
    public static func all() -> [Scenario] {
        [
            encoding("otlp", .otlp), encoding("otlp.protobuf", .otlp(.protobuf)), encoding("loki", .loki),
            encoding("loki.logfmt", .loki(line: .logfmt)), encoding("loki.json", .loki(line: .json)),
            encoding("ndjson", .ndjson),
        ]
    }

    /// What an application's log line costs on its way into a sink that does nothing.
    public static func handler() -> [Scenario] {
        let logger = Logger(label: "shop.cart") { RemoteLogHandler(label: $0, sink: NoSink()) }
        return [
            Scenario(name: "logging.handler") { count in
                for _ in 0..<count { logger.info("Order placed for customer 17") }
            },
            Scenario(name: "logging.handler.metadata") { count in
                for _ in 0..<count {
                    logger.info(
                        "Order placed for customer 17",
                        metadata: ["order.id": "17", "customer": "ada", "items": .stringConvertible(3)]
                    )
                }
            },
        ]
    }

    private static func encoding(_ name: String, _ format: some LogWireFormat) -> Scenario {
        let records = (0..<size).map(record)
        let resource = LogResource(serviceName: "shop", serviceVersion: "1.2.3", attributes: ["host.name": "web-17"])
        let batch = LogBatch(resource: resource, records: records)
        return Scenario(name: "logging.encode.\(name)") { count in
            var left = count
            while left > 0 {
                let part = left < size ? LogBatch(resource: resource, records: Array(records.prefix(left))) : batch
                guard try format.encode(part).count > 100 * part.records.count else { throw TooShort() }
                left -= part.records.count
            }
        }
    }

    private static func record(_ number: Int) -> LogRecord {
        let url = "https://api.example.com/plants/\(number)"
        let attributes: LogAttributes = [
            "http.request.method": "GET", "url.full": .string(url), "http.response.status_code": 200,
            "http.response.body.size": .integer(Int64(number) * 37), "network.protocol.version": "1.1",
            "httpchain.duration": .number(Double(number) / 8 + 0.01),
        ]
        return LogRecord(
            date: Date(timeIntervalSince1970: 1_760_000_000 + Double(number) / 1000),
            level: number % 10 == 0 ? .warning : .info,
            component: "http.client",
            message: "GET \(url) 200 OK in 12.5 ms",
            attributes: attributes
        )
    }

    private struct TooShort: Error {}
}

/// Takes everything and keeps nothing.
private struct NoSink: LogSink {
    func log(_ record: consuming LogRecord) {}
}
