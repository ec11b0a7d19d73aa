public import HTTPChainCore

/// The name and version of a program, in `creator` and `browser`.
public struct HARCreator: Sendable, Hashable, Codable {
    /// The program's name.
    public var name: String
    /// Its version.
    public var version: String
    /// Words of a user or a program.
    public var comment: String?
    /// Fields that the specification does not have.
    public var customFields: [String: JSONValue] = [:]

    /// Names a program.
    public init(name: String, version: String) {
        self.name = name
        self.version = version
    }

    /// This package.
    public static let httpChain = HARCreator(name: "HTTPChain", version: "0.1")

    init(_ object: HARObject) {
        var object = object
        name = object.string("name") ?? ""
        version = object.string("version") ?? ""
        comment = object.string("comment")
        customFields = object.rest
    }

    var tree: JSONTree {
        var members = HARMembers()
        members.add("name", name)
        members.add("version", version)
        members.add("comment", comment)
        members.add(customFields)
        return members.tree
    }

    /// Reads it from whatever decoder.
    public init(from decoder: any Decoder) throws {
        self.init(try HARObject(JSONTree(decoding: decoder), path: "creator"))
    }

    /// Writes it with whatever encoder.
    public func encode(to encoder: any Encoder) throws { try tree.encode(with: encoder) }
}
