import Foundation
import HTTPChain
import Logging

/// Reads the records of an `ExportLogsServiceRequest`.
enum OTLPLogs {
    static func batch(_ json: JSONValue) throws -> ReceivedBatch {
        var batch = ReceivedBatch()
        try OTLPRequest.visit(json, ("resourceLogs", "scopeLogs", "logRecords")) { record, place, source in
            try batch.add(at: place) { () throws(Refusal) in try self.record(record, source) }
        }
        return batch
    }

    private static func record(_ json: JSONValue, _ source: OTLPRequest.Source) throws(Refusal) -> ReceivedRecord {
        guard json.object != nil else { throw .malformed("a log record is an object") }
        var own = OTLPRequest.attributes(json["attributes"])
        for name in ["eventName", "traceId", "spanId"] {
            if let value = json[name]?.string, !value.isEmpty { own.append((name, .string(value))) }
        }
        if let body = json["body"], body != .null, body.object == nil {
            throw .malformed("body is an AnyValue: an object such as {\"stringValue\":\"text\"}")
        }
        let happened = try OTLPRequest.time(json["timeUnixNano"])
        let seen = try OTLPRequest.time(json["observedTimeUnixNano"])
        let label = own.first { $0.name == "component" }?.value.string
        return ReceivedRecord(
            format: "otlp",
            time: happened ?? seen ?? ReceivedRecord.now,
            level: level(json),
            component: source.scope.isEmpty ? label ?? source.service : source.scope,
            service: source.service,
            message: json["body"].map { OTLPRequest.plain($0).text } ?? json["eventName"]?.string ?? "",
            attributes: own + source.attributes
        )
    }

    private static func level(_ json: JSONValue) -> Logger.Level {
        json["severityText"]?.string.flatMap { Logger.Level(word: $0) }
            ?? json["severityNumber"]?.lenientNumber.flatMap { Logger.Level(severityNumber: $0) }
            ?? .info
    }
}
