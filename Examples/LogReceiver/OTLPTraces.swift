import Foundation
import HTTPChain
import Logging

/// Reads the spans of an `ExportTraceServiceRequest`.
///
/// Each becomes a record whose attributes describe it.
enum OTLPTraces {
    static func batch(_ json: JSONValue) throws -> ReceivedBatch {
        var batch = ReceivedBatch()
        try OTLPRequest.visit(json, ("resourceSpans", "scopeSpans", "spans")) { span, place, source in
            try batch.add(at: place) { () throws(Refusal) in try record(span, source) }
        }
        return batch
    }

    private static let kinds = ["internal", "server", "client", "producer", "consumer"]

    private static func record(_ json: JSONValue, _ source: OTLPRequest.Source) throws(Refusal) -> ReceivedRecord {
        guard json.object != nil else { throw .malformed("a span is an object") }
        guard let trace = identifier(json["traceId"], digits: 32), let id = identifier(json["spanId"], digits: 16)
        else {
            throw .malformed("traceId and spanId are 32 and 16 hexadecimal digits that are not all zero")
        }
        guard let start = try OTLPRequest.time(json["startTimeUnixNano"]),
            let end = try OTLPRequest.time(json["endTimeUnixNano"])
        else { throw .malformed("a span has the times of its start and its end") }
        var own: [(name: String, value: JSONValue)] = [
            ("traceId", .string(trace)), ("spanId", .string(id)), ("span.start", .number(start)),
            ("span.duration", .number(max(0, end - start))),
        ]
        if let parent = identifier(json["parentSpanId"], digits: 16) { own.append(("parentSpanId", .string(parent))) }
        if let kind = json["kind"]?.integer, kinds.indices.contains(Int(clamping: kind) - 1) {
            own.append(("span.kind", .string(kinds[Int(clamping: kind) - 1])))
        }
        let failed = json["status"]?["code"]?.integer == 2
        if failed { own.append(("span.error", .string(json["status"]?["message"]?.string ?? ""))) }
        var events: [JSONValue] = []
        for event in try OTLPRequest.list(json, "events", at: "") {
            let time = try OTLPRequest.time(event["timeUnixNano"]) ?? start
            let attributes = Dictionary(OTLPRequest.attributes(event["attributes"]).map { ($0.name, $0.value) }) { $1 }
            events.append([event["name"] ?? "", .number(time), .object(attributes)])
        }
        if !events.isEmpty { own.append(("span.events", .array(events))) }
        return ReceivedRecord(
            format: "span",
            // Spans are recorded when they end.
            time: end,
            level: failed ? .error : .info,
            component: source.component,
            service: source.service,
            message: json["name"]?.string ?? "",
            attributes: own + OTLPRequest.attributes(json["attributes"]) + source.attributes
        )
    }

    private static func identifier(_ json: JSONValue?, digits: Int) -> String? {
        guard let text = json?.string?.lowercased(), text.utf8.count == digits, text.contains(where: { $0 != "0" }),
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return nil }
        return text
    }
}
