import Foundation
public import HTTPChainCore
import HTTPChainURLBuilder
import HTTPTypes

/// A resource with what its service says of it beside its value: properties that the type does not declare, and the
/// version it was read as.
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
    /// The entity tag that it was read with, RFC 9110 §8.8.3; `nil` where the service sent none, as for what was listed.
    public let entityTag: String?
    /// The date of the last change, as the service said; `nil` where it did not.
    public let lastModified: String?

    /// The value of the path's last variable that it was fetched with; `nil` if it came otherwise.
    var fetchedIdentity: URLValue?

    /// The object as the service has it.
    let stored: JSONValue
    /// The value as it would be written when it came, to find what changed since.
    private let baseline: JSONValue
    /// Changes of what the type does not declare; null removes.
    private var undeclared: [String: JSONValue] = [:]

    /// Makes a record of a resource, as for a test or a mock.
    ///
    /// - Parameters:
    ///   - value: The resource.
    ///   - properties: What the type does not declare; none by default.
    ///   - entityTag: The version, with its quotes; none by default.
    /// - Throws: What the type's encoder throws; ``ResourceError`` where the value is no JSON object.
    public init(_ value: Kind, properties: [String: JSONValue] = [:], entityTag: String? = nil) throws {
        self.value = value
        self.entityTag = entityTag
        lastModified = nil
        baseline = try Self.object(of: value)
        stored = .object((baseline.object ?? [:]).merging(properties) { declared, _ in declared })
    }

    init(stored: JSONValue, entityTag: String? = nil, lastModified: String? = nil) throws {
        guard stored.object != nil else {
            throw ResourceError(.notAnObject("what the service sent for a \(Kind.self)"))
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

    /// A property of the resource that cannot be set.
    public subscript<Part>(dynamicMember part: KeyPath<Kind, Part>) -> Part { value[keyPath: part] }

    /// A property by its name in JSON, declared or not; `nil` where there is none.
    ///
    /// Setting `nil` or null removes it. What the type declares is set on the value: a declared property wins over what is
    /// set here.
    public subscript(_ name: String) -> JSONValue? {
        get { (try? target())?[name] }
        set { undeclared[name] = newValue ?? .null }
    }

    /// Whether anything was changed since it came from the service.
    ///
    /// - Throws: What the type's encoder throws.
    public var isChanged: Bool { get throws { try target() != stored } }

    /// The object as it should be at the service: what came, with the changes.
    func target() throws -> JSONValue {
        let current = try Self.object(of: value)
        var object = stored.overlaid(from: baseline, to: current).object ?? [:]
        for (name, value) in undeclared where current[name] == nil && baseline[name] == nil {
            if value == .null { object.removeValue(forKey: name) } else { object[name] = value }
        }
        return .object(object)
    }

    /// The value of the path's last variable: the one it was fetched with, or else that of the property of this name.
    func identity(_ property: String) throws -> URLValue {
        if let fetchedIdentity { return fetchedIdentity }
        return switch stored[property] {
        case .string(let text)? where !text.isEmpty: .opaque(text)
        case .integer(let number)?: .integer(number)
        default: throw ResourceError(.noIdentity(property: property))
        }
    }

    private static func object(of value: Kind) throws -> JSONValue {
        let json = try JSONDecoder().decode(JSONValue.self, from: try Kind.encoder.encode(value))
        guard json.object != nil else { throw ResourceError(.notAnObject("a \(Kind.self)")) }
        return json
    }
}
