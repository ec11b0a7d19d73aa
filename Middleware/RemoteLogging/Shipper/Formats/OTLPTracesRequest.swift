import HTTPChainCore
import HTTPChainRemoteLogging

/// An `ExportTraceServiceRequest`.
struct OTLPTracesRequest: OTLPMessage {
    private let resource: LogResource
    private let spans: [SpanRecord]
    private let groups: LogGroups

    init(_ batch: LogBatch) {
        resource = batch.resource
        let pairs = batch.records.compactMap { record in
            (SpanRecord(record) ?? DropReport.span(record)).map { (record, $0) }
        }
        spans = pairs.map { $0.1 }
        groups = LogGroups(pairs.map { $0.0 }, byLevel: false)
    }

    func encode<Encoder: OTLPEncoder & ~Copyable>(to encoder: inout Encoder) {
        encoder.scopes(groups, of: resource, in: ("resourceSpans", "scopeSpans", "spans")) { $0.span(spans[$1]) }
    }
}

extension OTLPEncoder where Self: ~Copyable {
    /// Writes the fields of a `Span`.
    fileprivate mutating func span(_ span: SpanRecord) {
        identifier("traceId", 1, span.traceID)
        identifier("spanId", 2, span.spanID)
        if !span.traceState.isEmpty { string("traceState", 3, span.traceState) }
        if let parent = span.parentSpanID { identifier("parentSpanId", 4, parent) }
        // The flags say that it is known whether the parent is remote, and whether it is.
        fixed32("flags", 16, UInt32(span.flags) | 0x100 | (span.hasRemoteParent ? 0x200 : 0))
        // Fields with default values are omitted, as is usual in Protocol Buffers.
        if !span.name.isEmpty { string("name", 5, span.name) }
        uint32("kind", 6, UInt32(span.kind.rawValue))
        fixed64("startTimeUnixNano", 7, span.start)
        fixed64("endTimeUnixNano", 8, span.end)
        if !span.attributes.list.isEmpty { attributes("attributes", 9, span.attributes.list) }
        count("droppedAttributesCount", 10, span.dropped.attributes)
        if !span.events.isEmpty {
            messages("events", 11, count: span.events.count) { encoder, position in
                let event = span.events[position]
                if event.time > 0 { encoder.fixed64("timeUnixNano", 1, event.time) }
                if !event.name.isEmpty { encoder.string("name", 2, event.name) }
                if !event.attributes.list.isEmpty { encoder.attributes("attributes", 3, event.attributes.list) }
            }
        }
        count("droppedEventsCount", 12, span.dropped.events)
        if !span.links.isEmpty {
            messages("links", 13, count: span.links.count) { encoder, position in
                let link = span.links[position]
                encoder.identifier("traceId", 1, link.traceID)
                encoder.identifier("spanId", 2, link.spanID)
                if !link.attributes.list.isEmpty { encoder.attributes("attributes", 4, link.attributes.list) }
            }
        }
        count("droppedLinksCount", 14, span.dropped.links)
        switch span.status {
        case .unset: break
        case .ok: message("status", 15) { $0.uint32("code", 3, 1) }
        case .error(let text):
            message("status", 15) { encoder in
                if !text.isEmpty { encoder.string("message", 2, text) }
                encoder.uint32("code", 3, 2)
            }
        }
    }

    private mutating func count(_ name: StaticString, _ number: Int, _ count: Int) {
        if count > 0 { uint32(name, number, UInt32(clamping: count)) }
    }
}
