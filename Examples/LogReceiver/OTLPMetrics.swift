import Foundation
import HTTPChain
import Logging

/// Reads the metrics of an `ExportMetricsServiceRequest`.
///
/// Each becomes a record with a value for each series.
enum OTLPMetrics {
    static func batch(_ json: JSONValue) throws -> ReceivedBatch {
        var batch = ReceivedBatch()
        try OTLPRequest.visit(json, ("resourceMetrics", "scopeMetrics", "metrics")) { metric, place, source in
            try batch.add(at: place) { () throws(Refusal) in try record(metric, source) }
        }
        return batch
    }

    /// The maximum number of a metric's series that are kept per request.
    private static let seriesLimit = 500
    private static let kinds = ["gauge", "sum", "histogram", "exponentialHistogram", "summary"]

    private static func record(_ json: JSONValue, _ source: OTLPRequest.Source) throws(Refusal) -> ReceivedRecord {
        guard let name = json["name"]?.string, !name.isEmpty else { throw .malformed("a metric has a name") }
        guard let kind = kinds.first(where: { json[$0]?.object != nil }), let data = json[kind] else {
            throw .malformed("a metric is one of \(kinds.joined(separator: ", "))")
        }
        let points = try OTLPRequest.list(data, "dataPoints", at: kind)
        var time = 0.0
        var values: [JSONValue] = []
        for point in points.prefix(seriesLimit) {
            time = max(time, try OTLPRequest.time(point["timeUnixNano"]) ?? 0)
            values.append(value(point))
        }
        var own: [(name: String, value: JSONValue)] = [
            ("metric.kind", .string(kind)), ("metric.unit", json["unit"] ?? ""),
            ("metric.points", .array(values)),
        ]
        if data["isMonotonic"]?.bool == true { own.append(("metric.monotonic", true)) }
        // 1 means delta, and 2 means cumulative.
        if let temporality = data["aggregationTemporality"]?.integer, (1...2).contains(temporality) {
            own.append(("metric.temporality", temporality == 1 ? "delta" : "cumulative"))
        }
        if points.count > seriesLimit { own.append(("metric.left", .integer(Int64(points.count - seriesLimit)))) }
        if let words = json["description"]?.string, !words.isEmpty {
            own.append(("metric.description", .string(words)))
        }
        return ReceivedRecord(
            format: "metric",
            time: time > 0 ? time : ReceivedRecord.now,
            level: .debug,
            component: source.component,
            service: source.service,
            message: name,
            attributes: own + source.attributes
        )
    }

    /// Returns the attributes of a series and its value, which is a number, or the count, sum and buckets of a
    /// histogram.
    private static func value(_ point: JSONValue) -> JSONValue {
        let attributes = Dictionary(OTLPRequest.attributes(point["attributes"]).map { ($0.name, $0.value) }) { $1 }
        var members: [String: JSONValue] = ["attributes": .object(attributes)]
        if let number = point["asInt"]?.lenientNumber ?? point["asDouble"]?.lenientNumber {
            members["value"] = .number(number)
        }
        for name in ["count", "sum", "min", "max"] {
            if let number = point[name]?.lenientNumber { members[name] = .number(number) }
        }
        for (name, list) in [("bounds", "explicitBounds"), ("counts", "bucketCounts")] {
            if let values = point[list]?.array, !values.isEmpty, values.count <= 200 {
                members[name] = .array(values.map { .number($0.lenientNumber ?? 0) })
            }
        }
        return .object(members)
    }
}
