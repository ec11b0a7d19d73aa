import Foundation
import HTTPChainCore
public import HTTPChainRemoteLogging
import Logging

/// A finished span of a trace: an operation with its times and its result.
///
/// A span is shipped like a log record: `LogRecord(span)` converts it, and a ``LogShipper`` with the format
/// ``LogWireFormat/otlpTraces(_:)`` sends it as a span. It waits in the same kind of queue or spool, with the same
/// limits.
///
/// A record is plain data without secrets. Whoever creates it must redact it. Times are in nanoseconds since 1970.
public struct SpanRecord: Sendable, Hashable {
    /// The relation of a span to its parent and children.
    ///
    /// The numbers are those of OTLP.
    public enum Kind: Int, Sendable, Hashable, CaseIterable {
        /// Work inside a program.
        case `internal` = 1
        /// Handling a request.
        case server = 2
        /// Sending a request and waiting for its response.
        case client = 3
        /// Sending a message without waiting for the result.
        case producer = 4
        /// Processing such a message.
        case consumer = 5
    }

    /// The result of the operation.
    public enum Status: Sendable, Hashable {
        /// No explicit result, as in most successful spans.
        case unset
        /// The operation was explicitly marked as successful.
        case ok
        /// The operation failed, for the given reason.
        case error(String)
    }

    /// An event during the span.
    package struct Event: Sendable, Hashable {
        /// The name of the event.
        package var name: String
        /// The time of the event.
        package var time: UInt64
        /// The attributes of the event.
        package var attributes: LogAttributes

        /// Makes an event.
        package init(_ name: String, at time: UInt64, attributes: LogAttributes = [:]) {
            self.name = name
            self.time = time
            self.attributes = attributes
        }
    }

    /// A related span, in the same trace or another.
    package struct Link: Sendable, Hashable {
        /// The related trace: 32 hexadecimal digits.
        package var traceID: String
        /// The related span: 16 hexadecimal digits.
        package var spanID: String
        /// The attributes of the link.
        package var attributes: LogAttributes

        /// Makes a link.
        package init(traceID: String, spanID: String, attributes: LogAttributes = [:]) {
            self.traceID = traceID
            self.spanID = spanID
            self.attributes = attributes
        }
    }

    /// The numbers of parts of a span that were omitted because there were too many.
    package struct Dropped: Sendable, Hashable {
        /// Attributes of the span.
        package var attributes = 0
        /// Events.
        package var events = 0
        /// Links.
        package var links = 0
    }

    /// The trace's identifier: 32 hexadecimal digits.
    package var traceID: String
    /// The span's identifier: 16 hexadecimal digits.
    package var spanID: String
    /// The parent span's identifier; `nil` for the first span of a trace.
    package var parentSpanID: String?
    /// Whether the parent belongs to another program.
    package var hasRemoteParent = false
    /// The flags of W3C Trace Context.
    package var flags: UInt8 = 1
    /// The value of `tracestate`; empty if there is none.
    package var traceState = ""
    /// The part of the program that made the span.
    package var scope: String
    /// The name of the operation, such as `GET /plants/{id}`.
    ///
    /// It should have few distinct values.
    package var name: String
    /// The relation to the parent and children.
    package var kind: Kind
    /// The start time.
    package var start: UInt64
    /// The end time.
    package var end: UInt64
    /// Attributes that describe the operation, for machines.
    package var attributes: LogAttributes
    /// The events during the span.
    package var events: [Event] = []
    /// Related spans.
    package var links: [Link] = []
    /// The related spans.
    package var status: Status
    /// The numbers of parts that were omitted.
    package var dropped = Dropped()

    /// Makes a finished span.
    ///
    /// - Parameters:
    ///   - name: The name of the operation, such as `GET /plants/{id}`. It should have few distinct values.
    ///   - kind: The relation to the parent and children; work inside the program by default.
    ///   - traceID: The trace's identifier: 32 hexadecimal digits.
    ///   - spanID: The span's identifier: 16 hexadecimal digits.
    ///   - parentSpanID: The parent span's identifier; `nil`, the default, for the first span of a trace.
    ///   - hasRemoteParent: Whether the parent belongs to another program; `false` by default.
    ///   - scope: The part of the program that made the span.
    ///   - start: The start time, in nanoseconds since 1970.
    ///   - end: The end time, in nanoseconds since 1970.
    ///   - attributes: Attributes that describe the operation, for machines; none by default.
    ///   - status: The result of the operation; not set by default.
    public init(
        _ name: String,
        kind: Kind = .internal,
        traceID: String,
        spanID: String,
        parentSpanID: String? = nil,
        hasRemoteParent: Bool = false,
        scope: String,
        start: UInt64,
        end: UInt64,
        attributes: LogAttributes = [:],
        status: Status = .unset
    ) {
        self.name = name
        self.kind = kind
        self.traceID = traceID
        self.spanID = spanID
        self.parentSpanID = parentSpanID
        self.hasRemoteParent = hasRemoteParent
        self.scope = scope
        self.start = start
        self.end = end
        self.attributes = attributes
        self.status = status
    }
}

extension SpanRecord {
    /// The attribute of a log record that contains a span.
    package static let attribute = "httpchain.span"

    /// Reads the span from a record, or returns `nil` if there is none, or it is incomplete.
    package init?(_ record: LogRecord) {
        guard let tree = record.attributes[Self.attribute],
            let traceID = record.attributes["trace_id"]?.string, let spanID = record.attributes["span_id"]?.string,
            let kind = tree["kind"]?.integer.flatMap({ Kind(rawValue: Int(clamping: $0)) }),
            let start = tree["start"]?.integer, let end = tree["end"]?.integer
        else { return nil }
        self.init(
            record.message,
            kind: kind,
            traceID: traceID,
            spanID: spanID,
            parentSpanID: tree["parent"]?.string,
            scope: record.component,
            start: UInt64(bitPattern: start),
            end: UInt64(bitPattern: end)
        )
        hasRemoteParent = tree["remote"]?.bool ?? false
        flags = UInt8(truncatingIfNeeded: tree["flags"]?.integer ?? 0)
        traceState = tree["state"]?.string ?? ""
        attributes = LogAttributes(pairs: tree["attributes"])
        events = (tree["events"]?.array ?? []).map {
            Event(
                $0["name"]?.string ?? "",
                at: UInt64(bitPattern: $0["time"]?.integer ?? 0),
                attributes: LogAttributes(pairs: $0["attributes"])
            )
        }
        links = (tree["links"]?.array ?? []).map {
            Link(
                traceID: $0["trace"]?.string ?? "",
                spanID: $0["span"]?.string ?? "",
                attributes: LogAttributes(pairs: $0["attributes"])
            )
        }
        if let message = tree["error"]?.string {
            status = .error(message)
        } else if tree["ok"]?.bool == true {
            status = .ok
        }
        dropped.attributes = Int(clamping: tree["droppedAttributes"]?.integer ?? 0)
        dropped.events = Int(clamping: tree["droppedEvents"]?.integer ?? 0)
        dropped.links = Int(clamping: tree["droppedLinks"]?.integer ?? 0)
    }

    /// The parts of the span for which a log record has no field.
    fileprivate var tree: JSONValue {
        var members: [String: JSONValue] = [
            "kind": .integer(Int64(kind.rawValue)), "start": .integer(Int64(bitPattern: start)),
            "end": .integer(Int64(bitPattern: end)), "flags": .integer(Int64(flags)),
        ]
        if let parentSpanID { members["parent"] = .string(parentSpanID) }
        if hasRemoteParent { members["remote"] = true }
        if !traceState.isEmpty { members["state"] = .string(traceState) }
        if !attributes.list.isEmpty { members["attributes"] = attributes.pairs }
        if !events.isEmpty {
            members["events"] = .array(
                events.map {
                    [
                        "name": .string($0.name), "time": .integer(Int64(bitPattern: $0.time)),
                        "attributes": $0.attributes.pairs,
                    ]
                }
            )
        }
        if !links.isEmpty {
            members["links"] = .array(
                links.map {
                    ["trace": .string($0.traceID), "span": .string($0.spanID), "attributes": $0.attributes.pairs]
                }
            )
        }
        switch status {
        case .unset: break
        case .ok: members["ok"] = true
        case .error(let message): members["error"] = .string(message)
        }
        if dropped.attributes > 0 { members["droppedAttributes"] = .integer(Int64(dropped.attributes)) }
        if dropped.events > 0 { members["droppedEvents"] = .integer(Int64(dropped.events)) }
        if dropped.links > 0 { members["droppedLinks"] = .integer(Int64(dropped.links)) }
        return .object(members)
    }
}

extension LogRecord {
    /// Makes the record of a finished span, for a ``LogShipper`` with the format ``LogWireFormat/otlpTraces(_:)``.
    ///
    /// The level is `error` if the span failed, and `info` otherwise, so that a full queue drops spans of failures
    /// last. The component is the span's scope, and the date is its end.
    public init(_ span: SpanRecord) {
        var attributes = LogAttributes()
        attributes.append("trace_id", .string(span.traceID))
        attributes.append("span_id", .string(span.spanID))
        attributes.append(SpanRecord.attribute, span.tree)
        let isError = if case .error = span.status { true } else { false }
        self.init(
            date: Date(timeIntervalSince1970: Double(span.end) / 1e9),
            level: isError ? .error : .info,
            component: span.scope,
            message: span.name,
            attributes: attributes
        )
    }
}

extension LogAttributes {
    /// The names and values, alternating and in order.
    fileprivate var pairs: JSONValue { .array(list.flatMap { [.string($0.name), $0.value] }) }

    fileprivate init(pairs: JSONValue?) {
        self.init()
        let elements = pairs?.array ?? []
        for index in stride(from: 0, to: elements.count - 1, by: 2) {
            if let name = elements[index].string { append(name, elements[index + 1]) }
        }
    }
}
