import HTTPChainCore
import HTTPChainSupport

/// Decides where a list goes on, and whether it may; it remembers where it has been.
struct PageWalk: Sendable {
    private var seen: Set<PagePosition>
    /// Where the credentials of the list belong; known from the first response on.
    private var home: Origin?

    init(from position: PagePosition) { seen = [position] }

    /// Notes where a page came from.
    ///
    /// - Parameters:
    ///   - target: The URL of the request before any redirect.
    ///   - url: The URL that the response came from.
    mutating func arrived(at url: String?, target: Origin?) {
        if home == nil { home = target ?? url.flatMap { Origin($0) } }
        if let url { seen.insert(.url(Self.withoutFragment(url))) }
    }

    /// The place that is to be read next, complete.
    ///
    /// - Parameters:
    ///   - position: What the style made of the last page.
    ///   - url: The URL of the last page, which relative ones are resolved against (RFC 3986 §5).
    /// - Throws: ``PaginationError``.
    mutating func next(_ position: PagePosition, after url: String?) throws(PaginationError) -> PagePosition {
        var position = position
        if case .url(let reference) = position.place {
            let complete =
                url.map { URIReference(reference).resolved(against: URIReference($0)) } ?? URIReference(reference)
            var target = complete
            target.fragment = nil
            guard let origin = Origin(target.text), target.authority?.utf8.contains(UInt8(ascii: "@")) != true else {
                throw PaginationError(.cannotFollow(Redaction.standard.url(reference)))
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
