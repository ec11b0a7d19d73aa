import Foundation
import HTTPTypes

/// OpenTelemetry's protocol over HTTP (OTLP/HTTP 1.x), in JSON or in the wire format of Protocol Buffers.
///
/// Both encodings are equivalent. In JSON, 64-bit integers are strings, enumerations are numbers, and trace and span
/// identifiers are hexadecimal, as OTLP requires.
///
/// **Logs.** The content is an `ExportLogsServiceRequest`.
///
/// - The components of the batch become its instrumentation scopes, each with its records in order. This library's
///   scopes have its version, and the version of the semantic conventions that their attributes follow (`schemaUrl`).
/// - The resource contains attributes for this library (`telemetry.sdk.*`), unless it already has such attributes.
/// - Levels are mapped to severities as in the log data model: `trace` 1, `debug` 5, `info` 9, `notice` 10, `warning`
///   13, `error` 17, `critical` 21.
/// - The attributes `trace_id`, `span_id` and `trace_flags` become the record's fields if they are valid hexadecimal of
///   16, 8 and 1 bytes, as in W3C Trace Context. Otherwise they stay attributes.
/// - Numbers that aren't finite are `NaN`, `Infinity` and `-Infinity`.
/// - The observed time is the time of the record.
///
/// **Traces.** The content is an `ExportTraceServiceRequest`. Each scope has its spans in order. Records of an
/// application that aren't spans (``SpanRecord/init(_:)``) are omitted.
///
/// Records that a shipper dropped are reported by a separate span, which is alone in its trace and has no duration. Its
/// name is `dropped spans` and its scope `HTTPChain.LogShipper`. `span.dropped.count` is the number of dropped records,
/// `span.dropped.level.error` the number of those that represent failures, and `span.dropped.reason.full`
/// (`LogShipper.DropReason`) the number of those dropped for that reason.
///
/// **Responses.** 2xx means accepted. Its `partialSuccess` contains the number of records that were rejected
/// permanently, and the reason. For other statuses, see ``LogReceipt/init(status:)``.
struct OTLPFormat: LogWireFormat {
    let signal: OTLPEnvironment.Signal
    let encoding: OTLPEncoding

    var contentType: String { encoding.contentType }

    func encode(_ batch: LogBatch) -> Data {
        switch signal {
        case .logs: OTLPLogsRequest(batch: batch).data(as: encoding, capacity: 512 * batch.records.count + 1024)
        case .traces: OTLPTracesRequest(batch).data(as: encoding, capacity: 1024 * batch.records.count + 1024)
        }
    }

    /// Returns the meaning of the response, with the receiver's message and its count of rejected records.
    ///
    /// The response is decoded according to its `Content-Type`, or in the request's encoding if there is none.
    func receipt(for head: HTTPResponse, body: Data) -> LogReceipt {
        let counter = signal == .logs ? "rejectedLogRecords" : "rejectedSpans"
        return OTLPAnswer.receipt(for: head, body: body, to: encoding, countedAs: counter)
    }
}
