public import HTTPChainCore
import HTTPChainSupport
import HTTPChainURLBuilder
import HTTPTypes

/// The way in which a service links to the next page of a list.
///
/// | style | the next page is |
/// | --- | --- |
/// | ``linkHeader(relation:)`` | a link of the `Link` field with the relation `next` (RFC 8288) |
/// | ``nextURL(_:)`` | a URL in the body, as OData's `@odata.nextLink` |
/// | ``cursor(parameter:_:)`` | a cursor in the body, sent back as a query parameter |
/// | ``offset(parameter:start:total:count:)`` | at the offset after all items so far |
/// | ``page(parameter:first:isLast:)`` | the one with the next number |
/// | ``custom(_:)`` | determined by a closure |
public struct PaginationStyle<Value: Sendable>: Sendable {
    let next: @Sendable (_ page: Page<Value>) throws -> PagePosition?

    /// Returns a custom style.
    ///
    /// - Parameter next: A closure that returns the position of the page after a page, or nil after the last. A URL may
    ///   be relative to the page's URL.
    public static func custom(_ next: @escaping @Sendable (_ page: Page<Value>) throws -> PagePosition?)
        -> PaginationStyle
    {
        PaginationStyle(next: next)
    }

    /// Returns a style that follows the link with a given relation in the `Link` field, RFC 8288.
    ///
    /// The last page has no such link.
    ///
    /// - Parameter relation: The relation type; `next` by default. Links from other resources (`anchor`) are skipped.
    public static func linkHeader(relation: String = "next") -> PaginationStyle {
        let relation = relation.lowercased()
        return .custom { page in
            WebLink.links(in: page.response.headers)
                .first { $0.anchor == nil && $0.relations.contains(relation) }
                .map { .url($0.target) }
        }
    }

    /// Returns a style that follows a URL in the body, absolute or relative to the page's URL.
    ///
    /// The URL is nil on the last page.
    public static func nextURL(_ url: @escaping @Sendable (_ value: Value) -> String?) -> PaginationStyle {
        .custom { page in url(page.value).map { .url($0) } }
    }

    /// Returns a style that uses a cursor in the body.
    ///
    /// The cursor is nil on the last page. Any other value is a cursor, even `""`.
    ///
    /// - Parameters:
    ///   - parameter: The query parameter for the cursor.
    ///   - cursor: A closure that returns the cursor of the next page from a page's value.
    public static func cursor(
        parameter: String,
        _ cursor: @escaping @Sendable (_ value: Value) -> String?
    ) -> PaginationStyle {
        .custom { page in cursor(page.value).map { .parameters([parameter: $0]) } }
    }

    /// Returns a style with an offset that grows by the number of items.
    ///
    /// The list ends at a page without items, or at the total.
    ///
    /// - Parameters:
    ///   - parameter: The query parameter for the offset.
    ///   - start: The offset that the service assumes if the first request has none; 0 by default.
    ///   - total: A closure that returns the total number of items from a page's value, if the service sends it.
    ///   - count: A closure that returns the number of items of a page from its value.
    public static func offset(
        parameter: String = "offset",
        start: Int = 0,
        total: @escaping @Sendable (_ value: Value) -> Int? = { _ in nil },
        count: @escaping @Sendable (_ value: Value) -> Int
    ) -> PaginationStyle {
        .custom { page in
            let items = count(page.value)
            guard items > 0 else { return nil }
            let next = try page.number(parameter, or: start, plus: items, "an offset")
            if let total = total(page.value), next >= total { return nil }
            return .parameters([parameter: String(next)])
        }
    }

    /// Returns a style with a page number that grows by one.
    ///
    /// - Parameters:
    ///   - parameter: The query parameter for the number.
    ///   - first: The page number that the service assumes if the first request has none; 1 by default.
    ///   - isLast: A closure that returns whether a page is the last one, because it is empty or has the number of the
    ///     last page.
    public static func page(
        parameter: String = "page",
        first: Int = 1,
        isLast: @escaping @Sendable (_ value: Value) -> Bool
    ) -> PaginationStyle {
        .custom { page in
            guard !isLast(page.value) else { return nil }
            let next = try page.number(parameter, or: first, plus: 1, "a page number")
            return .parameters([parameter: String(next)])
        }
    }
}

extension PaginationStyle where Value: Collection {
    /// Returns a style for pages that are collections, with an offset that grows by the number of items.
    ///
    /// The list ends at an empty page.
    ///
    /// - Parameters:
    ///   - parameter: The query parameter for the offset.
    ///   - start: The offset that the service assumes if the first request has none; 0 by default.
    public static func offset(parameter: String = "offset", start: Int = 0) -> PaginationStyle {
        .offset(parameter: parameter, start: start, count: \.count)
    }
}

/// A page of a list.
public struct Page<Value: Sendable>: Sendable {
    /// The decoded body.
    public let value: Value
    /// The response with the page.
    public let response: Response
    /// The position of the page.
    package let position: PagePosition
    /// The position of the next page, to continue from later; nil on the last page.
    public internal(set) var next: PagePosition?
    /// The path and the query of the page's request, before any redirect.
    var path: String?

    /// Returns the number that the page's request sent in a query parameter, plus a step.
    ///
    /// - Parameters:
    ///   - first: The number to use if the request doesn't have the parameter.
    ///   - what: The name of the number in an error.
    /// - Throws: ``PaginationError`` if the value isn't a number, or the sum is too large.
    func number(
        _ parameter: String,
        or first: Int,
        plus step: Int,
        _ what: String
    ) throws(PaginationError) -> Int {
        let sent = position.parameter(parameter) ?? path.flatMap { Array($0.utf8).queryValue(of: parameter) } ?? ""
        guard let number = sent.isEmpty ? first : Int(sent) else {
            throw PaginationError(.cannotFollow("the parameter \(parameter.printable()) of the request isn't a number"))
        }
        let (sum, isTooLarge) = number.addingReportingOverflow(step)
        guard !isTooLarge else { throw PaginationError(.cannotFollow("\(what) above \(Int.max)")) }
        return sum
    }
}

/// An error thrown if a list can't be read to its last page.
public struct PaginationError: ExplainedError, Hashable {
    /// The problem.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// The location of the next page (redacted) can't be followed.
        case cannotFollow(String)
        /// The next page is on another origin, which must not receive the credentials.
        case otherOrigin(Origin)
        /// The list would never end: the next page was visited before, or the service returns the same pages for other
        /// numbers.
        case noProgress
    }

    /// The problem.
    public let problem: Problem

    init(_ problem: Problem) { self.problem = problem }

    /// Always "Pagination".
    package var failedStage: String { "Pagination" }

    package var explanation: Explanation {
        switch problem {
        case .cannotFollow(let what): Explanation("the next page cannot be followed: \(what)")
        case .otherOrigin(let origin):
            Explanation(
                "the next page is on another origin, \(origin)",
                "if you trust that origin, send it a separate request"
            )
        case .noProgress:
            Explanation(
                "the pages repeat: the next one has already been read",
                "check which next page the service returns, and whether it supports the parameter"
            )
        }
    }
}
