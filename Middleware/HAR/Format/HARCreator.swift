package import HTTPChainCore

/// The name and version of a program, in `creator` and `browser`.
package struct HARCreator: Sendable, Hashable {
    /// The program's name.
    package var name: String
    /// Its version.
    package var version: String
    /// A comment by a user or a program.
    package var comment: String?
    /// Fields that aren't part of the specification.
    package var customFields: [String: JSONValue] = [:]

    /// Makes a creator.
    package init(name: String, version: String) {
        self.name = name
        self.version = version
    }

    /// This package.
    package static let httpChain = HARCreator(name: "HTTPChain", version: "0.1")

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
}
