public import Foundation
public import HTTPChainCore

/// A page that exchanges belong to.
public struct HARPage: Sendable, Hashable, Codable {
    /// The date when it began to load; `nil` if unknown.
    public var started: Date?
    /// The identifier that entries use for the page.
    public var id: String
    /// Its title.
    public var title: String
    /// The load timings, in milliseconds, as the program wrote them.
    public var pageTimings: JSONValue = .object([:])
    /// A comment by a user or a program.
    public var comment: String?
    /// Fields that aren't part of the specification.
    public var customFields: [String: JSONValue] = [:]

    /// Makes a page.
    public init(id: String, title: String, started: Date? = nil) {
        self.id = id
        self.title = title
        self.started = started
    }

    init(_ object: HARObject) {
        var object = object
        started = object.string("startedDateTime").flatMap(HARDate.parse)
        id = object.string("id") ?? ""
        title = object.string("title") ?? ""
        if let tree = object.take("pageTimings"), case .object = tree { pageTimings = tree.value }
        comment = object.string("comment")
        customFields = object.rest
    }

    var tree: JSONTree {
        var members = HARMembers()
        members.add("startedDateTime", HARDate.text(started ?? Date(timeIntervalSince1970: 0)))
        members.add("id", id)
        members.add("title", title)
        members.add("pageTimings", JSONTree(pageTimings))
        members.add("comment", comment)
        members.add(customFields)
        return members.tree
    }

    /// Reads it from a decoder.
    public init(from decoder: any Decoder) throws {
        self.init(try HARObject(JSONTree(decoding: decoder), path: "page"))
    }

    /// Writes it to an encoder.
    public func encode(to encoder: any Encoder) throws { try tree.encode(with: encoder) }
}
