import Foundation
import HTTPTypes

/// The push protocol of Grafana Loki, in JSON.
///
/// Records of the same component and level form a stream, ordered by time. Loki indexes labels and works best with few
/// of them that have few values: `service_name`, `level`, `component`, and the chosen attributes of the *resource*.
/// Everything else, including the resource's other attributes, becomes structured metadata of the entry or part of its
/// line. An attribute of a record never becomes a label.
///
/// - Names of labels and metadata are adapted to LogQL in the same way as Loki does it: `http.request.method` becomes
///   `http_request_method`, and names that don't begin with a letter get the prefix `key_`. Duplicate names get a
///   number.
/// - If two entries of a stream have the same time, the second one is moved by one nanosecond, so that two equal lines
///   aren't treated as one.
/// - Loki's default limits are applied, because a receiver rejects the whole batch if a single entry exceeds them.
///   Lines are truncated to 256 KiB, and metadata to 64 KiB or 128 members.
///
/// **Responses.** 2xx means accepted, except for 260, which means that ingestion is blocked. 401, 403, 429 and 5xx are
/// retryable. After 413, the batch is sent in smaller parts. Anything else means refused. If a 400 says how many
/// entries of a stream it ignored ("total ignored: 2 out of 10"), these count as rejected and the others as accepted.
struct LokiLogFormat: LogWireFormat {
    /// The content of an entry's line.
    let line: BuiltInWireFormat.LokiLine
    /// The resource attributes used as labels.
    let labels: [String]

    var contentType: String { "application/json" }

    func encode(_ batch: LogBatch) -> Data {
        var writer = LokiWriter(resource: batch.resource, line: line, labels: Set(labels), count: batch.records.count)
        writer.write(batch.records)
        return writer.data()
    }

    /// Returns the meaning of the response, with Loki's own message if it refused the batch.
    func receipt(for head: HTTPResponse, body: Data) -> LogReceipt {
        switch head.status.code {
        case 260: LogReceipt.refused("ingestion is blocked").explained(by: ReceiverMessage.plainText(head, body))
        case 500..<600: .later
        case 400: Self.partialSuccess(ReceiverMessage.plainText(head, body), head)
        default: LogReceipt(status: head.status).explained(by: ReceiverMessage.plainText(head, body))
        }
    }
}

extension LokiLogFormat {
    /// Returns the receipt for a partial refusal.
    ///
    /// Loki reports the number for each affected stream.
    private static func partialSuccess(_ message: String?, _ head: HTTPResponse) -> LogReceipt {
        var rejected = 0
        for match in (message ?? "").matches(of: /total ignored: (\d{1,9}) out of (\d{1,9})/) {
            guard let ignored = Int(match.1), let total = Int(match.2), ignored <= total else { continue }
            rejected += ignored
        }
        if rejected > 0 { return .accepted(rejected: rejected, message: message) }
        return LogReceipt(status: head.status).explained(by: message)
    }
}
