import FlyingFox
import Foundation
import HTTPChain

/// The common structure of the three kinds of OTLP requests: resources with scopes with elements.
struct OTLPRequest {
    /// The origin of an element.
    struct Source {
        var scope: String
        var service: String
        var resource: [(name: String, value: JSONValue)]
        var path: String

        /// The component of the program, which is the scope, or the service if there is none.
        var component: String { scope.isEmpty ? service : scope }

        /// The attributes of the resource, except for the service's name, with the prefix `resource.`.
        var attributes: [(name: String, value: JSONValue)] {
            resource.filter { $0.name != "service.name" }.map { ("resource." + $0.name, $0.value) }
        }
    }

    /// Visits the elements of a request.
    ///
    /// - Parameters:
    ///   - names: The names of the lists of resources, scopes and elements.
    ///   - visit: Receives an element, its position in the request, and its origin.
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

    /// Converts nanoseconds to milliseconds.
    ///
    /// Zero means that the time is unknown.
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

    /// Returns key-value pairs.
    ///
    /// Elements that aren't pairs are omitted.
    static func attributes(_ json: JSONValue?) -> [(name: String, value: JSONValue)] {
        (json?.array ?? []).compactMap { pair in
            pair["key"]?.string.map { ($0, pair["value"].map(plain) ?? .null) }
        }
    }

    /// Returns the value of an `AnyValue`.
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
