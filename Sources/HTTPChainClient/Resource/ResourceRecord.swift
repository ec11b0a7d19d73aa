import Foundation
public import HTTPChainCore
import HTTPChainURLBuilder
import HTTPTypes

/// A resource together with its undeclared properties and the version it was read with.
///
/// ```swift
/// var user = try await users.fetch(5)
/// user.name = "Ada"                        // a property of User
/// let role = user["role"]?.string          // one that User does not declare
/// user["role"] = "admin"
/// ```
@dynamicMemberLookup
public struct ResourceRecord<Kind: Resource>: Sendable {
    /// The resource.
    public var value: Kind
    /// The entity tag that it was read with, RFC 9110 §8.8.3; `nil` if the service sent none, as for listed resources.
    public let entityTag: String?
    /// The modification date sent by the service; `nil` if there was none.
    package let lastModified: String?

    /// The value of the path's last variable when the resource was fetched or created; `nil` if it is unknown, or if
    /// the object has it as a property.
    var fetchedIdentity: URLValue?

    /// The object as stored by the service.
    let stored: JSONValue
    /// The encoded original value, to find changes.
    private let baseline: JSONValue
    /// Changes to undeclared properties; null removes a property.
    private var undeclared: [String: JSONValue] = [:]

    /// Creates a record of a resource, for example for a test or a mock.
    ///
    /// - Parameters:
    ///   - value: The resource.
    ///   - properties: The undeclared properties; none by default.
    ///   - entityTag: The version, including its quotes; none by default.
    /// - Throws: Any error of the type's encoder; ``ResourceError`` if the value isn't a JSON object.
    public init(_ value: Kind, properties: [String: JSONValue] = [:], entityTag: String? = nil) throws {
        self.value = value
        self.entityTag = entityTag
        lastModified = nil
        baseline = try Self.object(of: value)
        stored = .object((baseline.object ?? [:]).merging(properties) { declared, _ in declared })
    }

    init(stored: JSONValue, entityTag: String? = nil, lastModified: String? = nil) throws {
        guard stored.object != nil else {
            throw ResourceError(.notAnObject("the service's response for a \(Kind.self)"))
        }
        value = try Kind.decoder.decode(Kind.self, from: try JSONEncoder().encode(stored))
        baseline = try Self.object(of: value)
        self.stored = stored
        self.entityTag = entityTag
        self.lastModified = lastModified
    }

    /// A property of the resource.
    public subscript<Part>(dynamicMember part: WritableKeyPath<Kind, Part>) -> Part {
        get { value[keyPath: part] }
        set { value[keyPath: part] = newValue }
    }

    /// A read-only property of the resource.
    public subscript<Part>(dynamicMember part: KeyPath<Kind, Part>) -> Part { value[keyPath: part] }

    /// A property by its JSON name, declared or not; `nil` if there is none.
    ///
    /// Setting `nil` or null removes it. Set declared properties on the value: they take precedence over those set
    /// here.
    public subscript(_ name: String) -> JSONValue? {
        get { (try? target())?[name] }
        set { undeclared[name] = newValue ?? .null }
    }

    /// Whether the resource has changed since it came from the service.
    ///
    /// - Throws: Any error of the type's encoder.
    public var isChanged: Bool { get throws { try target() != stored } }

    /// Returns the object to save: the stored one with the changes.
    func target() throws -> JSONValue {
        let current = try Self.object(of: value)
        var object = stored.overlaid(from: baseline, to: current).object ?? [:]
        for (name, value) in undeclared where current[name] == nil && baseline[name] == nil {
            if value == .null { object.removeValue(forKey: name) } else { object[name] = value }
        }
        return .object(object)
    }

    /// Returns the value of the path's last variable: the one that the resource was fetched with, or else the value of
    /// the named property.
    func identity(_ property: String) throws -> URLValue {
        if let fetchedIdentity { return fetchedIdentity }
        let noIdentity = ResourceError(.noIdentity(property: property))
        return switch stored[property] {
        case .string(let text)? where !text.isEmpty: .opaque(text)
        case .integer(let number)?: .integer(number)
        case .decimal(let number)?:
            if let number = UInt64("\(number)") { number.urlValue } else { throw noIdentity }
        default: throw noIdentity
        }
    }

    private static func object(of value: Kind) throws -> JSONValue {
        let json = try JSONDecoder().decode(JSONValue.self, from: try Kind.encoder.encode(value))
        guard json.object != nil else { throw ResourceError(.notAnObject("a \(Kind.self)")) }
        return json
    }
}
