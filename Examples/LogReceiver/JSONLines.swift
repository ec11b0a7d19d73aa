import Foundation
import HTTPChain
import Logging

/// Reads newline-delimited JSON, with an object on each line whose members have the usual names of loggers.
enum JSONLines {
    static func batch(_ content: Data) throws -> ReceivedBatch {
        var batch = ReceivedBatch()
        var rest = content[...]
        var number = 0
        while !rest.isEmpty {
            let line = rest.prefix { $0 != UInt8(ascii: "\n") }
            rest = rest.dropFirst(line.count + 1)
            number += 1
            if line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\t") }) {
                continue
            }
            try batch.add(at: "line \(number)") { () throws(Refusal) in
                guard let members = try JSONValue(json: Data(line)).object else {
                    throw .malformed("a line is a JSON object")
                }
                return record(members)
            }
        }
        return batch
    }

    private static func record(_ members: [String: JSONValue]) -> ReceivedRecord {
        var fields = NamedValues(members)
        var resource = NamedValues(fields.takeValue(["resource"])?.object ?? [:])
        let service = resource.take("service.name") ?? fields.take("service", "service.name", "service_name")
        let level = fields.takeValue(["level", "severity", "lvl"])
        let message = fields.take("message", "msg", "event") ?? ""
        let component = fields.take("component", "logger", "label", "scope") ?? service ?? ""
        let time = fields.takeValue(["time", "timestamp", "ts", "@timestamp", "date"]).flatMap(milliseconds)
        var attributes: [(name: String, value: JSONValue)] = []
        if case .object(let nested) = fields.takeValue(["attributes"]) { attributes = NamedValues(nested).rest }
        return ReceivedRecord(
            format: "ndjson",
            time: time ?? ReceivedRecord.now,
            level: level.flatMap { Logger.Level(word: $0.text) } ?? .info,
            component: component,
            service: service ?? "",
            message: message,
            attributes: attributes + fields.rest + resource.rest.map { ("resource." + $0.name, $0.value) }
        )
    }

    /// Returns milliseconds since 1970, from an RFC 3339 date or a number whose unit is inferred from its size.
    private static func milliseconds(_ value: JSONValue) -> Double? {
        if let count = value.lenientNumber {
            switch count {
            case ..<100_000_000_000: return count * 1000
            case ..<100_000_000_000_000: return count
            case ..<100_000_000_000_000_000: return count / 1000
            default: return ReceivedRecord.milliseconds(nanoseconds: count)
            }
        }
        guard let text = value.string else { return nil }
        let date =
            (try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text))
            ?? (try? Date.ISO8601FormatStyle().parse(text))
        return date.map { $0.timeIntervalSince1970 * 1000 }
    }
}
