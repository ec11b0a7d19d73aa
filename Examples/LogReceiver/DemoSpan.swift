import Foundation
import HTTPChain
import HTTPChainLogShipper

/// A running span of the sample traffic.
struct DemoSpan: Sendable {
    private let name: String
    private let kind: SpanRecord.Kind
    private let scope: String
    private let traceID: String
    private let spanID: String
    private let parent: String?
    private let isParentRemote: Bool
    private let attributes: LogAttributes

    /// The value of the field that identifies the span to a server (W3C Trace Context §3.2).
    var traceparent: String { "00-\(traceID)-\(spanID)-01" }

    /// Starts a trace.
    init(_ name: String, scope: String) {
        self.init(name, .internal, scope, traceID: Self.identifier() + Self.identifier(), parent: nil)
    }

    private init(
        _ name: String,
        _ kind: SpanRecord.Kind,
        _ scope: String,
        traceID: String,
        parent: String?,
        isParentRemote: Bool = false,
        attributes: LogAttributes = [:]
    ) {
        self.name = name
        self.kind = kind
        self.scope = scope
        self.traceID = traceID
        self.parent = parent
        self.isParentRemote = isParentRemote
        self.attributes = attributes
        spanID = Self.identifier()
    }

    /// Creates a child span for an attempt.
    func attempt(_ request: borrowing Request) -> DemoSpan {
        var attributes: LogAttributes = ["http.request.method": .string(request.method.rawValue)]
        if request.attempt > 1 { attributes["http.request.resend_count"] = .integer(Int64(request.attempt - 1)) }
        return DemoSpan(
            Self.name(request),
            .client,
            "http.wire",
            traceID: traceID,
            parent: spanID,
            attributes: attributes
        )
    }

    /// Creates a server's span as a child of the request's span.
    ///
    /// Returns `nil` if the request has none.
    static func server(_ request: borrowing Request) -> DemoSpan? {
        guard let name = HTTPField.Name("traceparent"), let parts = request.headers[name]?.split(separator: "-"),
            parts.count == 4
        else { return nil }
        return DemoSpan(
            self.name(request),
            .server,
            "warehouse.http",
            traceID: String(parts[1]),
            parent: String(parts[2]),
            isParentRemote: true
        )
    }

    /// Runs a closure within the span, then ends the span and ships it.
    ///
    /// The span is marked as failed if the closure throws, or if its response is an error.
    func run<Value>(
        reportingTo shipper: LogShipper,
        status: (Value) -> Int? = { _ in nil },
        _ body: () async throws -> Value
    ) async throws -> Value {
        let start = Self.now
        do {
            let value = try await body()
            var attributes = attributes
            var result = SpanRecord.Status.unset
            if let code = status(value) {
                attributes["http.response.status_code"] = .integer(Int64(code))
                if code >= 500 || (code >= 400 && kind == .client) { result = .error("") }
            }
            shipper.log(record(from: start, attributes, result))
            return value
        } catch {
            let result = SpanRecord.Status.error((error as? any HTTPChainError)?.reason ?? "\(error)")
            // A server that wasn't reached has no span.
            if kind != .server { shipper.log(record(from: start, attributes, result)) }
            throw error
        }
    }

    private func record(from start: UInt64, _ attributes: LogAttributes, _ status: SpanRecord.Status) -> LogRecord {
        let span = SpanRecord(
            name,
            kind: kind,
            traceID: traceID,
            spanID: spanID,
            parentSpanID: parent,
            hasRemoteParent: isParentRemote,
            scope: scope,
            start: start,
            end: max(start, Self.now),
            attributes: attributes,
            status: status
        )
        return LogRecord(span)
    }

    private static var now: UInt64 { UInt64(Date().timeIntervalSince1970 * 1e9) }

    private static func name(_ request: borrowing Request) -> String {
        "\(request.method.rawValue) \(request.head.path?.prefix { $0 != "?" } ?? "")"
    }

    /// Returns 16 random hexadecimal digits, not all zero.
    private static func identifier() -> String {
        let digits = String(UInt64.random(in: 1...UInt64.max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// The option that passes the span of a call to its attempts.
enum DemoSpanOption: RequestOption {
    static var defaultValue: DemoSpan? { nil }
}
