public import Foundation
import HTTPChainCore
public import HTTPTypes
import Logging

/// OpenTelemetry's protocol over HTTP (OTLP/HTTP 1.x) for logs, in JSON or protocol buffers: what the OpenTelemetry
/// Collector and most log services take.
///
/// ```swift
/// let format = OTLPLogFormat(encoding: .protobuf)
/// let url = OTLPLogFormat.url(endpoint: "http://collector.example.com:4318")  // …:4318/v1/logs
/// ```
///
/// The content is an `ExportLogsServiceRequest`: in JSON, the default, or in the wire format of protocol buffers
/// (``OTLPEncoding/protobuf``). Both say the same. In JSON integers of 64 bits are strings, enumerations numbers, trace
/// and span identifiers hexadecimal, as OTLP narrows the JSON mapping.
///
/// - The components of the batch become its instrumentation scopes, each with its records in their order. Those of this
///   library have its version, and the version of the semantic conventions that their attributes follow (`schemaUrl`).
/// - The resource says which library sends (`telemetry.sdk.*`), unless it says so itself.
/// - Levels map to severities by the log data model: `trace` 1, `debug` 5, `info` 9, `notice` 10, `warning` 13, `error`
///   17, `critical` 21.
/// - The attributes `trace_id`, `span_id` and `trace_flags` become the record's fields where they are valid
///   hexadecimal of 16, 8 and 1 bytes, as W3C Trace Context has them; else they stay attributes.
/// - Numbers that are not finite are `NaN`, `Infinity` and `-Infinity`.
/// - The time at which a record was observed is the time of the record.
///
/// **Answers.** 2xx is accepted; of it `partialSuccess` says how many records were refused for good, and why. Other
/// statuses mean what ``LogReceipt/init(status:)`` says.
public struct OTLPLogFormat: LogWireFormat {
    /// The path after the URL of a receiver: `/v1/logs`.
    public static let path = "/v1/logs"

    /// The encoding of the content.
    public var encoding: OTLPEncoding

    /// Makes the format.
    ///
    /// - Parameter encoding: How the content is written; JSON by default.
    public init(encoding: OTLPEncoding = .json) {
        self.encoding = encoding
    }

    /// That of the encoding: `application/json` or `application/x-protobuf`.
    public var contentType: String { encoding.contentType }

    /// Returns the URL at which a receiver takes logs: the endpoint with ``path`` after it, once.
    ///
    /// - Parameter endpoint: The URL of the receiver, such as `http://localhost:4318`; the variable
    ///   `OTEL_EXPORTER_OTLP_ENDPOINT` holds one.
    public static func url(endpoint: String) -> String {
        LogEndpoint.url(endpoint, path: path)
    }

    /// The batch as an `ExportLogsServiceRequest`.
    public func encode(_ batch: LogBatch) -> Data {
        OTLPLogsRequest(batch: batch).data(as: encoding, capacity: 512 * batch.records.count + 1024)
    }

    /// Returns the meaning of the answer, with the receiver's own words and its count of refused records.
    ///
    /// An answer is read in the encoding that its `Content-Type` names, and in that of the request where it names none.
    public func receipt(for head: HTTPResponse, body: Data) -> LogReceipt {
        OTLPAnswer.receipt(for: head, body: body, to: encoding, countedAs: "rejectedLogRecords")
    }
}

extension LogWireFormat where Self == OTLPLogFormat {
    /// OpenTelemetry's protocol over HTTP, in JSON.
    public static var otlp: OTLPLogFormat { OTLPLogFormat() }

    /// OpenTelemetry's protocol over HTTP.
    ///
    /// - Parameter encoding: How the content is written.
    public static func otlp(_ encoding: OTLPEncoding) -> OTLPLogFormat { OTLPLogFormat(encoding: encoding) }
}
