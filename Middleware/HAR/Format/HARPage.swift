package import Foundation
package import HTTPChainCore

/// A page that exchanges belong to.
package struct HARPage: Sendable, Hashable {
    /// The date when it began to load; `nil` if unknown.
    package var started: Date?
    /// The identifier that entries use for the page.
    package var id: String
    /// Its title.
    package var title: String
    /// The load timings, in milliseconds, as the program wrote them.
    package var pageTimings: JSONValue = .object([:])
    /// A comment by a user or a program.
    package var comment: String?
    /// Fields that aren't part of the specification.
    package var customFields: [String: JSONValue] = [:]

    /// Makes a page.
    package init(id: String, title: String, started: Date? = nil) {
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
}
