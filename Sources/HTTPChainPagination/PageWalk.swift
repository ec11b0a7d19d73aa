import HTTPChainCore
import HTTPChainSupport

/// Decides whether a list continues and where, and keeps track of the visited pages.
struct PageWalk: Sendable {
    private var seen: Set<PagePosition>
    /// The origin that the list's credentials belong to; it is known after the first response.
    private var home: Origin?

    init(from position: PagePosition) { seen = [position] }

    /// Records where a page came from.
    ///
    /// - Parameters:
    ///   - target: The origin of the request before any redirect.
    ///   - url: The URL of the response.
    mutating func arrived(at url: String?, target: Origin?) {
        if home == nil { home = target ?? url.flatMap { Origin($0) } }
        if let url { seen.insert(.url(Self.withoutFragment(url))) }
    }

    /// Returns the position to read next, with a complete URL.
    ///
    /// - Parameters:
    ///   - position: The next position according to the style.
    ///   - url: The URL of the last page, against which relative URLs are resolved (RFC 3986 §5).
    /// - Throws: ``PaginationError``.
    mutating func next(_ position: PagePosition, after url: String?) throws(PaginationError) -> PagePosition {
        var position = position
        if case .url(let reference) = position.place {
            let complete =
                url.map { URIReference(reference).resolved(against: URIReference($0)) } ?? URIReference(reference)
            var target = complete
            target.fragment = nil
            guard let origin = Origin(target.text), target.authority?.utf8.contains(UInt8(ascii: "@")) != true else {
                throw PaginationError(.cannotFollow(Redaction.standard.url(reference).printable()))
            }
            if let home, origin != home { throw PaginationError(.otherOrigin(origin)) }
            position = .url(target.text)
        }
        guard seen.insert(position).inserted else { throw PaginationError(.noProgress) }
        return position
    }

    private static func withoutFragment(_ url: String) -> String {
        var reference = URIReference(url)
        reference.fragment = nil
        return reference.text
    }
}
