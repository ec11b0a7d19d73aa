public import Foundation
import HTTPChainSupport

/// A type of object that a service has at a path, which can be fetched, listed, created, saved and deleted.
///
/// ```swift
/// struct User: Resource {
///     static let path = "users/{id}"
///     var id: Int
///     var name: String
/// }
///
/// let users = try client.resources(of: User.self)
/// var user = try await users.fetch(5)
/// user.name = "Ada"
/// user["nickname"] = "Countess"           // not declared above: kept, and sent back
/// try await users.save(&user)             // what changed alone; an error if somebody else was quicker
/// ```
///
/// Properties that the type doesn't declare stay in its ``ResourceRecord``.
///
/// The service's objects have the format of the chain's serializer, or JSON if the chain has none; patches are always
/// JSON. Objects are converted to JSON values in between, so their members can't have other types, such as the dates
/// and data of property lists. A format that doesn't distinguish numbers from text, such as a form, loses the types of
/// numbers.
public protocol Resource: Codable, Sendable {
    /// The path of an item, relative to the base of the chain's URL builder. Its last segment is the variable for the
    /// identifying property. The path without that segment is the collection, for listing and creating.
    ///
    /// Pass the values of other variables, as in `gardens/{garden}/plants/{id}`, to ``Client/resources(of:in:)``.
    static var path: String { get }

    /// The way changes are sent; a merge patch by default.
    static var saving: ResourceSaving { get }

    /// The member of a list reply that contains the items; `nil`, the default, if the reply is the array itself.
    static var listMember: String? { get }

    /// The decoder for the type; a `JSONDecoder` with default settings by default.
    static var decoder: JSONDecoder { get }

    /// The encoder for the type; a `JSONEncoder` with default settings by default.
    ///
    /// ``decoder`` must be able to read its output.
    static var encoder: JSONEncoder { get }
}

extension Resource {
    /// The default value, a merge patch.
    public static var saving: ResourceSaving { .mergePatch }
    /// The default value, `nil`.
    public static var listMember: String? { nil }
    /// A decoder with default settings.
    public static var decoder: JSONDecoder { JSONDecoder() }
    /// An encoder with default settings.
    public static var encoder: JSONEncoder { JSONEncoder() }
}

/// A way to send the changes of a resource to its service.
public enum ResourceSaving: Sendable, Hashable {
    /// PATCH with the changed members, `application/merge-patch+json`, RFC 7396.
    ///
    /// Setting a member to null removes it, because the format can't distinguish null from removal.
    case mergePatch
    /// PATCH with a list of operations, `application/json-patch+json`, RFC 6902.
    case jsonPatch
    /// PUT with the whole object, RFC 9110 §9.3.4, including undeclared properties.
    case put
}

/// The parsed path of a resource type.
struct ResourcePath: Sendable, Hashable {
    let item: String
    let collection: String
    /// The property that gives the value of the last variable.
    let identity: String

    init(_ path: String) throws(ResourceError) {
        guard let end = path.utf8.lastIndex(of: UInt8(ascii: "{")),
            let identity = path[end...].without(prefix: "{")?.without(suffix: "}"),
            let collection = path[..<end].without(suffix: "/")
        else { throw ResourceError(.pathWithoutIdentity(path)) }
        item = path
        self.collection = String(collection)
        self.identity = String(identity)
        guard !identity.isEmpty, !collection.isEmpty else { throw ResourceError(.pathWithoutIdentity(path)) }
    }
}
