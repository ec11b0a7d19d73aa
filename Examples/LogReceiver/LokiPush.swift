import Foundation
import HTTPChain
import Logging

/// Reads pushes to Grafana Loki in JSON: streams of labels and lines.
enum LokiPush {
    static func batch(_ content: Data) throws -> ReceivedBatch {
        guard let streams = try JSONValue(json: content)["streams"]?.array else {
            throw Refusal.malformed("A Loki push is a JSON object with an array named streams.")
        }
        var batch = ReceivedBatch()
        for (index, stream) in streams.enumerated() {
            guard let labels = stream["stream"]?.object, let values = stream["values"]?.array else {
                throw Refusal.malformed("streams[\(index)] needs stream, an object, and values, an array.")
            }
            for (position, value) in values.enumerated() {
                try batch.add(at: "streams[\(index)].values[\(position)]") { () throws(Refusal) in
                    try record(value, labels)
                }
            }
        }
        return batch
    }

    private static func record(_ json: JSONValue, _ labels: [String: JSONValue]) throws(Refusal) -> ReceivedRecord {
        guard let nanoseconds = json[0]?.string.flatMap({ Double($0) }), let line = json[1]?.string else {
            throw .malformed("an entry is an array of a time, as a string of nanoseconds, and a line")
        }
        guard json[2] == nil || json[2]?.object != nil else {
            throw .malformed("the third element of an entry is an object of strings")
        }
        // An entry's own labels override those of its stream.
        var fields = NamedValues((json[2]?.object ?? [:]).merging(labels) { own, _ in own })
        let service = fields.take("service_name", "service.name", "service", "job", "app")
        return ReceivedRecord(
            format: "loki",
            time: ReceivedRecord.milliseconds(nanoseconds: nanoseconds),
            level: fields.take("level", "detected_level", "severity_text", "severity").flatMap {
                Logger.Level(word: $0)
            }
                ?? .info,
            component: fields.take("component", "scope_name", "logger") ?? service ?? "",
            service: service ?? "",
            message: line,
            attributes: fields.rest
        )
    }
}

/// The members of an object.
///
/// Members with a special meaning are removed from it as they are read.
struct NamedValues {
    private var values: [String: JSONValue]

    init(_ values: [String: JSONValue]) {
        self.values = values
    }

    /// Removes the first member that exists, and returns it as text.
    mutating func take(_ names: String...) -> String? {
        takeValue(names)?.text
    }

    /// Removes the first member that exists, and returns it.
    mutating func takeValue(_ names: [String]) -> JSONValue? {
        for name in names {
            if let value = values.removeValue(forKey: name) { return value }
        }
        return nil
    }

    /// The remaining members, sorted by name.
    var rest: [(name: String, value: JSONValue)] {
        values.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    }
}
