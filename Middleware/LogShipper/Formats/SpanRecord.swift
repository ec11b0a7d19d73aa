import Foundation
import HTTPChainCore
public import HTTPChainRemoteLogging
import Logging

/// A span of a trace that has ended: what was done, from when to when, for which trace, and how it went.
///
/// A span is shipped like a log record: `LogRecord(span)` makes it one, which a ``LogShipper`` with an
/// ``OTLPTraceFormat`` sends as a span. It waits in the same queue or spool, under the same bounds.
///
/// A record is plain data with nothing secret in it: whoever makes one redacts it. Times are nanoseconds since 1970.
public struct SpanRecord: Sendable, Hashable {
    /// The relation of a span to its parent and to its children; the numbers are those of OTLP.
    public enum Kind: Int, Sendable, Hashable, CaseIterable {
        /// Work inside a program.
        case `internal` = 1
        /// The answer to a request.
        case server = 2
        /// A request, until its answer.
        case client = 3
        /// A message that is sent and not waited for.
        case producer = 4
        /// The work on such a message.
        case consumer = 5
    }

    /// A result of the operation.
    public enum Status: Sendable, Hashable {
        /// Nobody said so, which is how most spans end that went well.
        case unset
        /// The program says that it went well.
        case ok
        /// It failed; why.
        case error(String)
    }

    /// Something that happened meanwhile.
    public struct Event: Sendable, Hashable {
        /// The name of the event.
        public var name: String
        /// The time of the event.
        public var time: UInt64
        /// More about it.
        public var attributes: LogAttributes

        /// Makes an event.
        public init(_ name: String, at time: UInt64, attributes: LogAttributes = [:]) {
            self.name = name
            self.time = time
            self.attributes = attributes
        }
    }

    /// Another span that this one has to do with, of this trace or another.
    public struct Link: Sendable, Hashable {
        /// Its trace: 32 hexadecimal digits.
        public var traceID: String
        /// Itself: 16 hexadecimal digits.
        public var spanID: String
        /// More about it.
        public var attributes: LogAttributes

        /// Makes a link.
        public init(traceID: String, spanID: String, attributes: LogAttributes = [:]) {
            self.traceID = traceID
            self.spanID = spanID
            self.attributes = attributes
        }
    }

    /// The counts of the parts of a span that were left out because they were too many.
    public struct Dropped: Sendable, Hashable {
        /// Attributes of the span.
        public var attributes = 0
        /// Events.
        public var events = 0
        /// Links.
        public var links = 0

        /// Nothing was left out.
        public init() {}
    }

    /// The trace: 32 hexadecimal digits.
    public var traceID: String
    /// The span: 16 hexadecimal digits.
    public var spanID: String
    /// The span that it is a part of; `nil` for the first of a trace.
    public var parentSpanID: String?
    /// Whether the parent is of another program.
    public var hasRemoteParent = false
    /// The flags of W3C Trace Context.
    public var flags: UInt8 = 1
    /// The value of `tracestate`; empty where there is none.
    public var traceState = ""
    /// The part of the program that made it.
    public var scope: String
    /// The name of the operation, one of few: `GET /plants/{id}`.
    public var name: String
    /// The relation to its parent and children.
    public var kind: Kind
    /// The time at which it began.
    public var start: UInt64
    /// The time at which it ended.
    public var end: UInt64
    /// The attributes that say what was done, for machines.
    public var attributes: LogAttributes = [:]
    /// The events that happened meanwhile.
    public var events: [Event] = []
    /// Other spans that it has to do with.
    public var links: [Link] = []
    /// The result of the operation.
    public var status = Status.unset
    /// The number of things that were left out.
    public var dropped = Dropped()

    /// Makes a span; all else can be set.
    public init(
        _ name: String,
        kind: Kind = .internal,
        traceID: String,
        spanID: String,
        parentSpanID: String? = nil,
        scope: String,
        start: UInt64,
        end: UInt64
    ) {
        self.name = name
        self.kind = kind
        self.traceID = traceID
        self.spanID = spanID
        self.parentSpanID = parentSpanID
        self.scope = scope
        self.start = start
        self.end = end
    }
}

extension SpanRecord {
    /// The attribute under which a log record has a span.
    static let attribute = "httpchain.span"

    /// The span that a record has; `nil` where it has none, or one that is not complete.
    public init?(_ record: LogRecord) {
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

    /// All that a log record has no place of its own for.
    fileprivate var tree: JSONValue {
        var members: [String: JSONValue] = [
            "kind": .integer(Int64(kind.rawValue)), "start": .integer(Int64(bitPattern: start)),
            "end": .integer(Int64(bitPattern: end)), "flags": .integer(Int64(flags)),
        ]
        if let parentSpanID { members["parent"] = .string(parentSpanID) }
        if hasRemoteParent { members["remote"] = true }
        if !traceState.isEmpty { members["state"] = .string(traceState) }
        if !attributes.isEmpty { members["attributes"] = attributes.pairs }
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
    /// The record of a span that has ended, for a ``LogShipper`` with an ``OTLPTraceFormat``.
    ///
    /// It is an `error` where the span failed, so that a full queue drops others first, and otherwise `info`. The
    /// component is the span's scope, the date its end.
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
    /// Names and values in turn, in their order.
    fileprivate var pairs: JSONValue { .array(flatMap { [.string($0.name), $0.value] }) }

    fileprivate init(pairs: JSONValue?) {
        self.init()
        let elements = pairs?.array ?? []
        for index in stride(from: 0, to: elements.count - 1, by: 2) {
            if let name = elements[index].string { append(name, elements[index + 1]) }
        }
    }
}
