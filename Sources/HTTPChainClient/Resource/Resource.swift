public import Foundation
import HTTPChainSupport

/// A thing of a service that has a path: it is fetched, listed, created, saved, deleted.
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
/// The service speaks JSON objects. What the type does not declare stays on its ``ResourceRecord``.
public protocol Resource: Codable, Sendable {
    /// The path of one of them, relative to the base of the chain's URL builder: its last segment is the variable for
    /// the property that tells it from the others. The path without that segment is where they are listed and created.
    ///
    /// Other variables, as in `gardens/{garden}/plants/{id}`, are given to ``Client/resources(of:in:)``.
    static var path: String { get }

    /// The way changes are sent; as a merge patch by default.
    static var saving: ResourceSaving { get }

    /// The member of a list's reply that holds the things; `nil`, as by default, where the reply is the array itself.
    static var listMember: String? { get }

    /// Decodes the type; a plain one by default.
    static var decoder: JSONDecoder { get }

    /// Encodes the type; a plain one by default. It must write what ``decoder`` reads.
    static var encoder: JSONEncoder { get }
}

extension Resource {
    /// As a merge patch.
    public static var saving: ResourceSaving { .mergePatch }
    /// None.
    public static var listMember: String? { nil }
    /// A plain one.
    public static var decoder: JSONDecoder { JSONDecoder() }
    /// A plain one.
    public static var encoder: JSONEncoder { JSONEncoder() }
}

/// A way to send the changes of a resource to its service.
public enum ResourceSaving: Sendable, Hashable {
    /// PATCH with the members that changed, `application/merge-patch+json`, RFC 7396. A member that is to be null is
    /// removed by the service: the format knows no difference.
    case mergePatch
    /// PATCH with a list of operations, `application/json-patch+json`, RFC 6902.
    case jsonPatch
    /// PUT with the whole object, RFC 9110 §9.3.4, what the type does not declare included.
    case put
}

/// The path of a resource type, taken apart.
struct ResourcePath: Sendable, Hashable {
    let item: String
    let collection: String
    /// The property whose value the last variable takes.
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
