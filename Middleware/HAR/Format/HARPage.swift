package import Foundation
package import HTTPChainCore

/// A page that exchanges belong to.
package struct HARPage: HARPart, Sendable, Hashable {
    /// The date when the page began to load; `nil` if unknown.
    package var started: Date?
    /// The identifier that entries use for the page.
    package var id = ""
    /// Its title.
    package var title = ""
    /// The load timings, in milliseconds, as the program wrote them.
    package var pageTimings: JSONValue = .object([:])
    /// A comment by a user or a program.
    package var comment: String?
    /// Fields that aren't part of the specification.
    package var customFields: [String: JSONValue] = [:]

    init() {}

    /// Makes a page.
    package init(id: String, title: String, started: Date? = nil) {
        self.id = id
        self.title = title
        self.started = started
    }

    mutating func describe(_ members: inout HARMembers) {
        members.date("startedDateTime", &started)
        members.text("id", &id)
        members.text("title", &title)
        members.json("pageTimings", &pageTimings)
        members.text("comment", &comment)
    }
}
