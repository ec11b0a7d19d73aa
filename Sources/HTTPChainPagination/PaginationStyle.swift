public import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// The way in which a service names the next page.
///
/// | style | the next page is |
/// | --- | --- |
/// | ``linkHeader(relation:)`` | a link of the `Link` field with the relation `next` (RFC 8288) |
/// | ``nextURL(_:)`` | a URL in the body, as OData's `@odata.nextLink` |
/// | ``cursor(parameter:_:)`` | a cursor in the body, sent back as a query parameter |
/// | ``offset(parameter:start:total:count:)`` | after as many items as there were so far |
/// | ``page(parameter:first:isLast:)`` | the one with the next number |
/// | ``custom(_:)`` | what a closure says |
public struct PaginationStyle<Value: Sendable>: Sendable {
    let next: @Sendable (_ page: Page<Value>) throws -> PagePosition?

    /// A style of your own.
    ///
    /// - Parameter next: Given a page, says where the next one is; nil after the last. A URL may be relative to the
    ///   page's own.
    public static func custom(_ next: @escaping @Sendable (_ page: Page<Value>) throws -> PagePosition?)
        -> PaginationStyle
    {
        PaginationStyle(next: next)
    }

    /// The link of the `Link` field that has the relation, RFC 8288; no such link is on the last page.
    ///
    /// - Parameter relation: The relation type; `next` by default. Links of something else (`anchor`) are passed over.
    public static func linkHeader(relation: String = "next") -> PaginationStyle {
        let relation = relation.lowercased()
        return .custom { page in
            WebLink.links(in: page.response.headers)
                .first { $0.anchor == nil && $0.relations.contains(relation) }
                .map { .url($0.target) }
        }
    }

    /// A URL in the body, absolute or relative to the page's own; nil is on the last page.
    public static func nextURL(_ url: @escaping @Sendable (_ value: Value) -> String?) -> PaginationStyle {
        .custom { page in url(page.value).map { .url($0) } }
    }

    /// A cursor in the body; nil is on the last page, and every other value is a cursor, `""` too.
    ///
    /// - Parameters:
    ///   - parameter: The query parameter that a cursor is sent in.
    ///   - cursor: Takes the cursor of the next page from a page's value.
    public static func cursor(
        parameter: String,
        _ cursor: @escaping @Sendable (_ value: Value) -> String?
    ) -> PaginationStyle {
        .custom { page in cursor(page.value).map { .parameters([parameter: $0]) } }
    }

    /// An offset that grows by the number of items; the end is at a page without items, or at the total.
    ///
    /// - Parameters:
    ///   - parameter: The query parameter that the offset is sent in.
    ///   - start: The offset of the first request, which sends none or this one; 0 by default.
    ///   - total: Takes the number of all items from a page's value, where the service says it.
    ///   - count: Takes the number of items of a page from its value.
    public static func offset(
        parameter: String = "offset",
        start: Int = 0,
        total: @escaping @Sendable (_ value: Value) -> Int? = { _ in nil },
        count: @escaping @Sendable (_ value: Value) -> Int
    ) -> PaginationStyle {
        .custom { page in
            let items = count(page.value)
            guard items > 0 else { return nil }
            let (next, isTooLarge) = (page.position.parameter(parameter).flatMap { Int($0) } ?? start)
                .addingReportingOverflow(items)
            guard !isTooLarge else { throw PaginationError(.cannotFollow("an offset above \(Int.max)")) }
            if let total = total(page.value), next >= total { return nil }
            return .parameters([parameter: String(next)])
        }
    }

    /// A page number that grows by one.
    ///
    /// - Parameters:
    ///   - parameter: The query parameter that the number is sent in.
    ///   - first: The number of the first page, which the first request need not send; 1 by default.
    ///   - isLast: Whether a page is the last: because it is empty, or its number is that of the last page.
    public static func page(
        parameter: String = "page",
        first: Int = 1,
        isLast: @escaping @Sendable (_ value: Value) -> Bool
    ) -> PaginationStyle {
        .custom { page in
            guard !isLast(page.value) else { return nil }
            let (next, isTooLarge) = (page.position.parameter(parameter).flatMap { Int($0) } ?? first)
                .addingReportingOverflow(1)
            guard !isTooLarge else { throw PaginationError(.cannotFollow("a page number above \(Int.max)")) }
            return .parameters([parameter: String(next)])
        }
    }
}

extension PaginationStyle where Value: Collection {
    /// An offset that grows by the number of items, of pages that are collections; the end is at an empty page.
    ///
    /// - Parameters:
    ///   - parameter: The query parameter that the offset is sent in.
    ///   - start: The offset of the first request; 0 by default.
    public static func offset(parameter: String = "offset", start: Int = 0) -> PaginationStyle {
        .offset(parameter: parameter, start: start, count: \.count)
    }
}

/// One page of a list.
public struct Page<Value: Sendable>: Sendable {
    /// The decoded body.
    public let value: Value
    /// The response that it came in.
    public let response: Response
    /// The position of the page.
    public let position: PagePosition
    /// The position of the next page, to go on from later; nil on the last.
    public internal(set) var next: PagePosition?
}

/// Why a list ends before its last page.
public struct PaginationError: HTTPChainError, Hashable {
    /// Why.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// The next page is named in a way that cannot be followed; with the name, redacted.
        case cannotFollow(String)
        /// The next page is on another origin, where the credentials of this one must not go.
        case otherOrigin(Origin)
        /// The next page is one that there was before: the list would never end.
        case noProgress
    }

    /// Why.
    public let problem: Problem

    init(_ problem: Problem) { self.problem = problem }

    /// Always "Pagination".
    public var stage: String { "Pagination" }

    /// Why, in words.
    public var reason: String {
        switch problem {
        case .cannotFollow(let what): "the next page cannot be followed: \(what)"
        case .otherOrigin(let origin): "the next page is on another origin, \(origin)"
        case .noProgress: "the next page is one that was read before"
        }
    }

    /// Advice on what to do about it.
    public var recoverySuggestion: String? {
        switch problem {
        case .cannotFollow: nil
        case .otherOrigin: "ask that origin with a request of its own, if it is to be trusted"
        case .noProgress: "look at what the service gives as the next page"
        }
    }
}
