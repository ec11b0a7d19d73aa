import Foundation
import HTTPChainCore
import HTTPChainRemoteLogging
import Logging

/// Newline-delimited JSON, with one object per record and line.
///
/// ```json
/// {"time":"2026-11-21T15:19:20.123456Z","level":"info","component":"shop.cart","message":"Order placed",
///  "attributes":{"order.total":12.5},"resource":{"service.name":"shop","service.version":"1.2"}}
/// ```
///
/// The example is one line. Most file collectors and log services can read the format if they are configured with the
/// name of the time member. Times are in UTC with microseconds (RFC 3339), numbers that aren't finite are `null`, and
/// every line ends with a newline.
///
/// Attributes are in separate objects or, if the format is flat, in the object itself.
struct NDJSONLogFormat: LogWireFormat {
    /// Whether attributes are in the object itself.
    let isFlat: Bool

    var contentType: String { "application/x-ndjson" }

    func encode(_ batch: LogBatch) -> Data {
        var json = JSONWriter(capacity: 512 * batch.records.count)
        var timestamps = TimestampWriter()
        let object = FlatLogObject(
            taken: ["time", "level", "component", "message"],
            members: isFlat ? batch.resource.members : []
        )
        let resource = isFlat ? [] : Self.resourceMember(batch.resource)
        for record in batch.records {
            json.raw(#"{"time":""#)
            timestamps.write(record.date, to: &json)
            json.raw(#"","level":""#)
            json.escaped(record.level.rawValue)
            json.raw(#"","component":""#)
            json.escaped(record.component)
            json.raw(#"","message":""#)
            json.escaped(record.message)
            json.raw("\"")
            if isFlat {
                object.write(record.attributes, to: &json)
            } else {
                Self.write(record.attributes, to: &json)
                json.raw(resource)
            }
            json.raw("}\n")
        }
        return json.data()
    }

    private static func write(_ attributes: LogAttributes, to json: inout JSONWriter) {
        guard !attributes.list.isEmpty else { return }
        json.raw(#","attributes":{"#)
        for (index, attribute) in attributes.list.enumerated() {
            json.member(attribute.name, attribute.value, isFirst: index == 0)
        }
        json.raw("}")
    }

    private static func resourceMember(_ resource: LogResource) -> [UInt8] {
        var json = JSONWriter()
        json.raw(#","resource":"#)
        json.value(.object(Dictionary(resource.members.map { ($0.name, $0.value) }) { first, _ in first }))
        return json.bytes
    }
}

extension LogResource {
    /// The names and values of the resource.
    var members: [(name: String, value: JSONValue)] {
        var members = [(name: "service.name", value: JSONValue.string(serviceName))]
        if let serviceVersion { members.append(("service.version", .string(serviceVersion))) }
        return members + furtherAttributes.map { ($0.name, $0.value) }
    }
}
