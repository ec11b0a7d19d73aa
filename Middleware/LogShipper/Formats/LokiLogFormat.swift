public import Foundation
public import HTTPTypes

/// The push protocol of Grafana Loki, in JSON.
///
/// ```swift
/// let format = LokiLogFormat(line: .logfmt, labels: ["deployment.environment.name", "region"])
/// let url = LokiLogFormat.url(endpoint: "http://loki.example.com:3100")  // …:3100/loki/api/v1/push
/// ```
///
/// Records of the same component and level are a stream, in order of time. Loki keeps an index of labels and wants few
/// of them, with few values each: they are `service_name`, `level`, `component`, and the attributes of the *resource*
/// that were chosen. Everything else, the resource's other attributes among it, is structured metadata of the entry or
/// stands in its line; an attribute of a record is never a label.
///
/// - Names of labels and metadata are made fit for LogQL as Loki itself does it: `http.request.method` is
///   `http_request_method`, and what does not begin with a letter gets `key_`. A name that is taken then gets a number.
/// - An entry of a stream with the same time as another is put one nanosecond after it, so that two equal lines are not
///   taken for one.
/// - The limits that Loki comes with are kept, for a receiver refuses the whole batch for one entry beyond them: what is
///   over 256 KiB of a line, or over 64 KiB or 128 members of metadata, is cut off.
///
/// **Options.** ``line``, ``labels``.
///
/// **Answers.** 2xx is accepted, but for 260, which says that ingestion is blocked. 401, 403, 429 and 5xx may be sent
/// again, 413 in smaller parts. Anything else is refused. Of a 400 that says how many entries of a stream it ignored
/// ("total ignored: 2 out of 10"), the others are taken, and these are counted as rejected.
public struct LokiLogFormat: LogWireFormat {
    /// The content of an entry's line.
    public enum Line: Sendable, Hashable {
        /// The message; attributes are structured metadata, which Loki 3 takes by default.
        case message
        /// `msg="…"` and the attributes, for the `logfmt` parser of LogQL; there is no metadata.
        case logfmt
        /// An object of `message` and the attributes, for the `json` parser of LogQL; there is no metadata.
        case json
    }

    /// The path after the URL of a receiver: `/loki/api/v1/push`.
    public static let path = "/loki/api/v1/push"

    /// The content of an entry's line; the message by default.
    public var line: Line
    /// The attributes of the resource that are labels; `service.namespace` and `deployment.environment.name` by default.
    public var labels: [String]

    /// Makes the format.
    ///
    /// - Parameters:
    ///   - line: What stands in the line of an entry; the message by default.
    ///   - labels: The attributes of the resource that are labels; by default `service.namespace` and
    ///     `deployment.environment.name`. Choose what has few values: each combination is a stream.
    public init(line: Line = .message, labels: [String] = ["service.namespace", "deployment.environment.name"]) {
        self.line = line
        self.labels = labels
    }

    /// `application/json`.
    public var contentType: String { "application/json" }

    /// Returns the URL at which a receiver takes entries: the endpoint with ``path`` after it, once.
    ///
    /// - Parameter endpoint: The URL of the receiver, such as `http://localhost:3100`.
    public static func url(endpoint: String) -> String {
        LogEndpoint.url(endpoint, path: path)
    }

    /// The batch as the content of a push.
    public func encode(_ batch: LogBatch) -> Data {
        var writer = LokiWriter(resource: batch.resource, line: line, labels: Set(labels), count: batch.records.count)
        writer.write(batch.records)
        return writer.data()
    }

    /// Returns the meaning of the answer, with Loki's own words where it refused.
    public func receipt(for head: HTTPResponse, body: Data) -> LogReceipt {
        switch head.status.code {
        case 260: LogReceipt.refused("ingestion is blocked").explained(by: ReceiverMessage.plainText(head, body))
        case 500..<600: .later
        case 400: Self.partialSuccess(ReceiverMessage.plainText(head, body), head)
        default: LogReceipt(status: head.status).explained(by: ReceiverMessage.plainText(head, body))
        }
    }
}

extension LokiLogFormat {
    /// Returns the text for a refusal of some of the entries; of each stream that has any, Loki tells how many.
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

extension LogWireFormat where Self == LokiLogFormat {
    /// The push protocol of Grafana Loki, the message as the line.
    public static var loki: LokiLogFormat { LokiLogFormat() }
}
