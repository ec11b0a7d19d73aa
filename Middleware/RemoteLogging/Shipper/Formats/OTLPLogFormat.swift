package import Foundation
import HTTPChainCore
package import HTTPTypes
import Logging

/// OpenTelemetry's protocol over HTTP (OTLP/HTTP 1.x) for logs, in JSON or Protocol Buffers.
///
/// Accepted by the OpenTelemetry Collector and most log services.
///
/// The content is an `ExportLogsServiceRequest`: in JSON, the default, or in the wire format of Protocol Buffers
/// (``OTLPEncoding/protobuf``). Both are equivalent. In JSON, 64-bit integers are strings, enumerations are numbers,
/// and trace and span identifiers are hexadecimal, as OTLP defines.
///
/// - The components of the batch become its instrumentation scopes, each with its records in order. This library's
///   scopes have its version, and the version of the semantic conventions that their attributes follow (`schemaUrl`).
/// - The resource names this library (`telemetry.sdk.*`), unless it has such attributes itself.
/// - Levels map to severities by the log data model: `trace` 1, `debug` 5, `info` 9, `notice` 10, `warning` 13, `error`
///   17, `critical` 21.
/// - The attributes `trace_id`, `span_id` and `trace_flags` become the record's fields if they are valid hexadecimal of
///   16, 8 and 1 bytes, as in W3C Trace Context. Otherwise they stay attributes.
/// - Numbers that aren't finite are `NaN`, `Infinity` and `-Infinity`.
/// - The observed time is the time of the record.
///
/// **Responses.** 2xx is accepted; its `partialSuccess` contains the number of records rejected for good, and the
/// reason. For other statuses see ``LogReceipt/init(status:)``.
package struct OTLPLogFormat: LogWireFormat {
    /// The path after the URL of a receiver: `/v1/logs`.
    package static let path = "/v1/logs"

    /// The encoding of the content.
    package var encoding: OTLPEncoding

    /// Makes the format.
    ///
    /// - Parameter encoding: The encoding of the content; JSON by default.
    package init(encoding: OTLPEncoding = .json) {
        self.encoding = encoding
    }

    /// The media type of the encoding: `application/json` or `application/x-protobuf`.
    package var contentType: String { encoding.contentType }

    /// Returns the batch as an `ExportLogsServiceRequest`.
    package func encode(_ batch: LogBatch) -> Data {
        OTLPLogsRequest(batch: batch).data(as: encoding, capacity: 512 * batch.records.count + 1024)
    }

    /// Returns the meaning of the response, with the receiver's message and its count of rejected records.
    ///
    /// The response is decoded according to its `Content-Type`, or in the request's encoding if that names none.
    package func receipt(for head: HTTPResponse, body: Data) -> LogReceipt {
        OTLPAnswer.receipt(for: head, body: body, to: encoding, countedAs: "rejectedLogRecords")
    }
}
