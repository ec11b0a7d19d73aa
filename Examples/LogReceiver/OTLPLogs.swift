import Foundation
import HTTPChain
import Logging

/// Reads OTLP/HTTP logs in JSON: an `ExportLogsServiceRequest`.
enum OTLPLogs {
    static func batch(_ content: Data) throws -> ReceivedBatch {
        let json = try JSONValue(json: content)
        guard json.object != nil else { throw Refusal.malformed("An OTLP request is a JSON object with resourceLogs.") }
        var batch = ReceivedBatch()
        for (index, resourceLogs) in try list(json, "resourceLogs", at: "").enumerated() {
            let path = "resourceLogs[\(index)]"
            let resource = attributes(resourceLogs["resource"]?["attributes"])
            for (index, scopeLogs) in try list(resourceLogs, "scopeLogs", at: path).enumerated() {
                let path = "\(path).scopeLogs[\(index)]"
                let scope = scopeLogs["scope"]?["name"]?.string ?? ""
                for (index, record) in try list(scopeLogs, "logRecords", at: path).enumerated() {
                    try batch.add(at: "\(path).logRecords[\(index)]") { () throws(Refusal) in
                        try self.record(record, scope: scope, resource: resource)
                    }
                }
            }
        }
        return batch
    }

    private static func record(
        _ json: JSONValue,
        scope: String,
        resource: [(name: String, value: JSONValue)]
    ) throws(Refusal) -> ReceivedRecord {
        guard json.object != nil else { throw .malformed("a log record is an object") }
        var own = attributes(json["attributes"])
        for name in ["eventName", "traceId", "spanId"] {
            if let value = json[name]?.string, !value.isEmpty { own.append((name, .string(value))) }
        }
        if let body = json["body"], body != .null, body.object == nil {
            throw .malformed("body is an AnyValue: an object such as {\"stringValue\":\"text\"}")
        }
        let happened = try time(json["timeUnixNano"])
        let seen = try time(json["observedTimeUnixNano"])
        let service = resource.first { $0.name == "service.name" }?.value.text ?? ""
        let label = own.first { $0.name == "component" }?.value.string
        let component = scope.isEmpty ? label ?? service : scope
        return ReceivedRecord(
            format: "otlp",
            time: happened ?? seen ?? ReceivedRecord.now,
            level: level(json),
            component: component,
            service: service,
            message: json["body"].map { plain($0).text } ?? json["eventName"]?.string ?? "",
            attributes: own + resource.filter { $0.name != "service.name" }.map { ("resource." + $0.name, $0.value) }
        )
    }

    private static func level(_ json: JSONValue) -> Logger.Level {
        json["severityText"]?.string.flatMap { Logger.Level(word: $0) }
            ?? json["severityNumber"]?.lenientNumber.flatMap { Logger.Level(severityNumber: $0) }
            ?? .info
    }

    /// Milliseconds of nanoseconds; zero means that the time is not known.
    private static func time(_ json: JSONValue?) throws(Refusal) -> Double? {
        guard let json, json != .null else { return nil }
        guard let nanoseconds = json.lenientNumber, nanoseconds >= 0 else {
            throw .malformed("a time is a count of nanoseconds, as a string")
        }
        return nanoseconds == 0 ? nil : ReceivedRecord.milliseconds(nanoseconds: nanoseconds)
    }

    private static func list(_ json: JSONValue, _ name: String, at path: String) throws(Refusal) -> [JSONValue] {
        guard let value = json[name], value != .null else { return [] }
        guard let list = value.array else {
            throw .malformed("\(path.isEmpty ? "" : path + ".")\(name) is not an array.")
        }
        return list
    }

    /// Key-value pairs; those that are none are passed over.
    private static func attributes(_ json: JSONValue?) -> [(name: String, value: JSONValue)] {
        (json?.array ?? []).compactMap { pair in
            pair["key"]?.string.map { ($0, pair["value"].map(plain) ?? .null) }
        }
    }

    /// What an AnyValue stands for.
    private static func plain(_ json: JSONValue) -> JSONValue {
        guard let members = json.object else { return json }
        if let value = members["stringValue"] { return value }
        if let value = members["intValue"] {
            return value.string.flatMap { Int64($0) }.map { .integer($0) } ?? value
        }
        if let value = members["boolValue"] ?? members["doubleValue"] ?? members["bytesValue"] { return value }
        if let list = members["arrayValue"] { return .array((list["values"]?.array ?? []).map(plain)) }
        if let list = members["kvlistValue"] {
            return .object(Dictionary(attributes(list["values"]).map { ($0.name, $0.value) }) { $1 })
        }
        return .null
    }
}
