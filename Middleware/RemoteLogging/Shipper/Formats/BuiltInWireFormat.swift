public import Foundation
public import HTTPTypes

/// A wire format of this package: OTLP, the push protocol of Grafana Loki, or lines of JSON.
///
/// ```swift
/// let format = BuiltInWireFormat.otlp(.protobuf)
/// let shipper = LogShipper(
///     to: format.url(endpoint: "http://collector.example.com:4318"),  // …:4318/v1/logs
///     format: format,
///     resource: LogResource(serviceName: "Garden"),
///     over: transport
/// )
/// ```
public struct BuiltInWireFormat: LogWireFormat {
    /// The content of a line in Loki.
    public enum LokiLine: Sendable, Hashable {
        /// The message.
        ///
        /// Attributes become structured metadata, which Loki 3 accepts by default.
        case message
        /// `msg="…"` and the attributes, for LogQL's `logfmt` parser, without metadata.
        case logfmt
        /// An object with `message` and the attributes, for LogQL's `json` parser, without metadata.
        case json
    }

    fileprivate let wrapped: any LogWireFormat
    fileprivate var path = ""

    /// The media type of the content.
    public var contentType: String { wrapped.contentType }

    /// Returns a receiver's URL: the endpoint with the format's path appended, unless the endpoint already ends with
    /// it.
    ///
    /// The path is `/v1/logs` or `/v1/traces` for OTLP, and `/loki/api/v1/push` for Loki. Lines of JSON have no path.
    ///
    /// - Parameter endpoint: The URL of the receiver, such as `http://localhost:4318` or the value of the variable
    ///   `OTEL_EXPORTER_OTLP_ENDPOINT`.
    public func url(endpoint: String) -> String {
        path.isEmpty ? endpoint : LogEndpoint.url(endpoint, path: path)
    }

    /// Returns the batch as the content of a request.
    public func encode(_ batch: LogBatch) throws -> Data { try wrapped.encode(batch) }

    /// Returns the meaning of a response, including the receiver's message.
    public func receipt(for head: HTTPResponse, body: Data) -> LogReceipt { wrapped.receipt(for: head, body: body) }
}

extension BuiltInWireFormat {
    fileprivate init(_ signal: OTLPEnvironment.Signal, _ encoding: OTLPEncoding) {
        self.init(wrapped: OTLPFormat(signal: signal, encoding: encoding), path: signal.path)
    }
}

extension LogWireFormat where Self == BuiltInWireFormat {
    /// OpenTelemetry's protocol over HTTP (OTLP/HTTP 1.x) for logs, in JSON.
    public static var otlp: BuiltInWireFormat { otlp() }

    /// OpenTelemetry's protocol over HTTP (OTLP/HTTP 1.x) for logs.
    ///
    /// The OpenTelemetry Collector and most log services accept this format. Levels are mapped to severities as in the
    /// log data model, and components become instrumentation scopes. The attributes `trace_id`, `span_id` and
    /// `trace_flags` become the record's fields if they are valid.
    ///
    /// - Parameter encoding: The encoding of the content; JSON by default.
    public static func otlp(_ encoding: OTLPEncoding = .json) -> BuiltInWireFormat {
        BuiltInWireFormat(.logs, encoding)
    }

    /// OpenTelemetry's protocol over HTTP (OTLP/HTTP 1.x) for the spans of traces.
    ///
    /// Records of an application that aren't spans (``SpanRecord``) are omitted. If a shipper drops records, it reports
    /// them in a separate span with the name `dropped spans` and the scope `HTTPChain.LogShipper`.
    ///
    /// - Parameter encoding: The encoding of the content; JSON by default.
    public static func otlpTraces(_ encoding: OTLPEncoding = .json) -> BuiltInWireFormat {
        BuiltInWireFormat(.traces, encoding)
    }

    /// The push protocol of Grafana Loki, in JSON, with the message as the line.
    public static var loki: BuiltInWireFormat { loki() }

    /// The push protocol of Grafana Loki, in JSON.
    ///
    /// Records of the same component and level form a stream, ordered by time. Loki indexes labels and works best with
    /// few of them that have few values: `service_name`, `level`, `component`, and the chosen attributes of the
    /// *resource*. Everything else becomes structured metadata of the entry or part of its line.
    ///
    /// - Parameters:
    ///   - line: The content of an entry's line; the message by default.
    ///   - labels: The resource attributes used as labels; `service.namespace` and `deployment.environment.name` by
    ///     default. Choose attributes with few values, because each combination of values is a separate stream.
    public static func loki(
        line: BuiltInWireFormat.LokiLine = .message,
        labels: [String] = ["service.namespace", "deployment.environment.name"]
    ) -> BuiltInWireFormat {
        BuiltInWireFormat(wrapped: LokiLogFormat(line: line, labels: labels), path: "/loki/api/v1/push")
    }

    /// Newline-delimited JSON, with one object per record and line, and attributes in a separate object.
    public static var ndjson: BuiltInWireFormat { ndjson() }

    /// Newline-delimited JSON, with one object per record and line.
    ///
    /// ```json
    /// {"time":"2026-11-21T15:19:20.123456Z","level":"info","component":"shop.cart","message":"Order placed",
    ///  "attributes":{"order.total":12.5},"resource":{"service.name":"shop","service.version":"1.2"}}
    /// ```
    ///
    /// The example is one line. Times are in UTC with microseconds (RFC 3339), numbers that aren't finite are `null`,
    /// and every line ends with a newline.
    ///
    /// - Parameter isFlat: Whether attributes are members of the same object as `time` and `message`. An attribute
    ///   whose name is already used then gets the prefix `attributes.`. By default, attributes are in the separate
    ///   objects `attributes` and `resource`, which are omitted if empty.
    public static func ndjson(flat isFlat: Bool = false) -> BuiltInWireFormat {
        BuiltInWireFormat(wrapped: NDJSONLogFormat(isFlat: isFlat))
    }
}
