package import HTTPChainCore

/// The name and version of a program, in `creator` and `browser`.
package struct HARCreator: HARPart, Sendable, Hashable {
    /// The program's name.
    package var name = ""
    /// Its version.
    package var version = ""
    /// A comment by a user or a program.
    package var comment: String?
    /// Fields that aren't part of the specification.
    package var customFields: [String: JSONValue] = [:]

    /// This package.
    package static let httpChain = HARCreator(name: "HTTPChain", version: "0.1")

    mutating func describe(_ members: inout HARMembers) {
        members.text("name", &name)
        members.text("version", &version)
        members.text("comment", &comment)
    }
}
