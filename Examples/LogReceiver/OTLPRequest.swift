import FlyingFox
import Foundation
import HTTPChain

/// What the three requests of OTLP have in common: resources, with scopes, with what is sent.
struct OTLPRequest {
    /// Where something was sent from.
    struct Source {
        var scope: String
        var service: String
        var resource: [(name: String, value: JSONValue)]
        var path: String

        /// The part of the program: the scope, else the service.
        var component: String { scope.isEmpty ? service : scope }

        /// The resource's attributes but for the service's name, under names that say where they are from.
        var attributes: [(name: String, value: JSONValue)] {
            resource.filter { $0.name != "service.name" }.map { ("resource." + $0.name, $0.value) }
        }
    }

    /// Goes through what was sent.
    ///
    /// - Parameters:
    ///   - names: Those of the lists of resources, of scopes and of what is sent.
    ///   - visit: Takes one of those, the place where it stands, and where it is from.
    static func visit(
        _ json: JSONValue,
        _ names: (resources: String, scopes: String, elements: String),
        _ visit: (JSONValue, String, Source) throws -> Void
    ) throws {
        guard json.object != nil else {
            throw Refusal.malformed("An OTLP request is a JSON object with \(names.resources).")
        }
        for (index, resources) in try list(json, names.resources, at: "").enumerated() {
            let path = "\(names.resources)[\(index)]"
            let resource = attributes(resources["resource"]?["attributes"])
            let service = resource.first { $0.name == "service.name" }?.value.text ?? ""
            for (index, scopes) in try list(resources, names.scopes, at: path).enumerated() {
                let path = "\(path).\(names.scopes)[\(index)]"
                let scope = scopes["scope"]?["name"]?.string ?? ""
                let source = Source(scope: scope, service: service, resource: resource, path: path)
                for (index, element) in try list(scopes, names.elements, at: path).enumerated() {
                    try visit(element, "\(path).\(names.elements)[\(index)]", source)
                }
            }
        }
    }

    /// Milliseconds of nanoseconds; zero means that the time is not known.
    static func time(_ json: JSONValue?) throws(Refusal) -> Double? {
        guard let json, json != .null else { return nil }
        guard let nanoseconds = json.lenientNumber, nanoseconds >= 0 else {
            throw .malformed("a time is a count of nanoseconds, as a string")
        }
        return nanoseconds == 0 ? nil : ReceivedRecord.milliseconds(nanoseconds: nanoseconds)
    }

    static func list(_ json: JSONValue, _ name: String, at path: String) throws(Refusal) -> [JSONValue] {
        guard let value = json[name], value != .null else { return [] }
        guard let list = value.array else {
            throw .malformed("\(path.isEmpty ? "" : path + ".")\(name) is not an array.")
        }
        return list
    }

    /// Key-value pairs; those that are none are passed over.
    static func attributes(_ json: JSONValue?) -> [(name: String, value: JSONValue)] {
        (json?.array ?? []).compactMap { pair in
            pair["key"]?.string.map { ($0, pair["value"].map(plain) ?? .null) }
        }
    }

    /// What an AnyValue stands for.
    static func plain(_ json: JSONValue) -> JSONValue {
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
