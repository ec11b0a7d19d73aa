public import Foundation
import HTTPChainCore
public import HTTPTypes
import Logging

/// OpenTelemetry's protocol over HTTP (OTLP/HTTP 1.x), logs in JSON: what the OpenTelemetry Collector and most log
/// services take.
///
/// ```swift
/// let format = OTLPLogFormat()
/// let url = OTLPLogFormat.url(endpoint: "http://collector.example.com:4318")  // …:4318/v1/logs
/// ```
///
/// The content is an `ExportLogsServiceRequest` in the JSON mapping of protocol buffers, as OTLP narrows it: integers
/// of 64 bits are strings, enumerations numbers, trace and span identifiers hexadecimal.
///
/// - The components of the batch become its instrumentation scopes, each with its records in their order.
/// - Levels map to severities by the log data model: `trace` 1, `debug` 5, `info` 9, `notice` 10, `warning` 13, `error`
///   17, `critical` 21.
/// - The attributes `trace_id`, `span_id` and `trace_flags` become the record's fields where they are valid
///   hexadecimal of 16, 8 and 1 bytes, as W3C Trace Context has them; else they stay attributes.
/// - Numbers that are not finite are `NaN`, `Infinity` and `-Infinity`.
/// - The time at which a record was observed is the time of the record.
///
/// **Answers.** 2xx is accepted; of it `partialSuccess` says how many records were refused for good, and why. 429, 502,
/// 503 and 504 may be sent again, anything else not (OTLP/HTTP, "Failures").
public struct OTLPLogFormat: LogWireFormat {
    /// The path after the URL of a receiver: `/v1/logs`.
    public static let path = "/v1/logs"

    /// Makes the format; it has no settings.
    public init() {}

    /// `application/json`.
    public var contentType: String { "application/json" }

    /// Where a receiver takes logs: its URL with ``path`` after it, once.
    ///
    /// - Parameter endpoint: The URL of the receiver, such as `http://localhost:4318`; the variable
    ///   `OTEL_EXPORTER_OTLP_ENDPOINT` holds one.
    public static func url(endpoint: String) -> String {
        LogEndpoint.url(endpoint, path: path)
    }

    /// The batch as an `ExportLogsServiceRequest`.
    public func encode(_ batch: LogBatch) -> Data {
        var writer = OTLPWriter(capacity: 512 * batch.records.count + 1024)
        writer.write(batch)
        return writer.data()
    }

    /// What the answer means, with the receiver's own words and its count of refused records.
    public func receipt(for head: HTTPResponse, body: Data) -> LogReceipt {
        let receipt = LogReceipt(status: head.status)
        switch receipt {
        case .accepted:
            guard let partial = OTLPAnswer(body).partialSuccess else { return receipt }
            return .accepted(rejected: partial.rejected, message: ReceiverMessage.line(partial.message))
        case .later: return receipt
        case .refused:
            let message = ReceiverMessage.line(OTLPAnswer(body).message)
            return receipt.explained(by: message ?? ReceiverMessage.plainText(head, body))
        }
    }
}

extension LogWireFormat where Self == OTLPLogFormat {
    /// OpenTelemetry's protocol over HTTP, in JSON.
    public static var otlp: OTLPLogFormat { OTLPLogFormat() }
}

/// What is of interest in an `ExportLogsServiceResponse`, or in the `Status` of a failure; what is malformed counts as
/// absent, for the status alone decides.
private struct OTLPAnswer: Decodable {
    struct PartialSuccess: Decodable {
        let rejected: Int
        let message: String?

        private enum CodingKeys: String, CodingKey {
            case rejectedLogRecords, errorMessage
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            // A string by the mapping, a number from receivers that write JSON by hand.
            let number = try? container.decode(Int64.self, forKey: .rejectedLogRecords)
            let text = try? container.decode(String.self, forKey: .rejectedLogRecords)
            rejected = Int(clamping: max(0, number ?? text.flatMap { Int64($0) } ?? 0))
            message = try? container.decode(String.self, forKey: .errorMessage)
        }
    }

    private(set) var partialSuccess: PartialSuccess?
    private(set) var message: String?

    private enum CodingKeys: String, CodingKey {
        case partialSuccess, message
    }

    init(_ body: Data) {
        guard !body.isEmpty, let answer = try? JSONDecoder().decode(OTLPAnswer.self, from: body) else { return }
        self = answer
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        partialSuccess = try? container.decode(PartialSuccess.self, forKey: .partialSuccess)
        message = try? container.decode(String.self, forKey: .message)
    }
}
