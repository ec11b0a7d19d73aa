import HTTPChainCore
import HTTPChainSupport

/// The site that caused a request; it determines which `SameSite` and `Partitioned` cookies the request carries.
///
/// A program that calls its own servers doesn't need this, because every request counts as same-site by default. A
/// program that shows pages, such as a browser or a mail reader, sets the page that caused the request.
public struct SiteContext: Sendable, Hashable {
    private enum Kind: Hashable {
        case sameSite
        case page(Site)
        case unknown
    }

    private let kind: Kind
    private let isNavigation: Bool

    /// The request comes from the site that it goes to; this is the default.
    public static let sameSite = SiteContext(kind: .sameSite, isNavigation: false)

    /// The request comes from a page.
    ///
    /// Pages belong to the same site if their scheme and registrable domain are the same: RFC 6265bis §5.2.
    ///
    /// - Parameters:
    ///   - url: The URL of the top-level page, not of a frame. If it has no host, the request counts as coming from
    ///     another site.
    ///   - isNavigation: Whether the response replaces the page, for example after a click on a link; false by default.
    public static func page(_ url: String, isNavigation: Bool = false) -> SiteContext {
        let site = Origin(url).map { Site($0) }
        return SiteContext(kind: site.map(Kind.page) ?? .unknown, isNavigation: isNavigation)
    }

    func isSameSite(as origin: Origin) -> Bool {
        switch kind {
        case .sameSite: true
        case .page(let site): site == Site(origin)
        case .unknown: false
        }
    }

    /// Whether cookies with `SameSite=Lax`, or without the attribute, are sent with a request from another site: RFC
    /// 6265bis §5.8.3.
    func sendsLaxCookies(withSafeMethod isSafe: Bool) -> Bool { isNavigation && isSafe }

    /// Whether a response to a request from another site may set `SameSite` cookies: RFC 6265bis §5.7 step 17.
    var storesSameSiteCookies: Bool { isNavigation }

    /// The partition of `Partitioned` cookies: the site of the page.
    func partition(for origin: Origin) -> String? {
        switch kind {
        case .sameSite: Site(origin).description
        case .page(let site): site.description
        case .unknown: nil
        }
    }
}

/// A scheme and a registrable domain: RFC 6265bis §5.2.
struct Site: Sendable, Hashable, CustomStringConvertible {
    let scheme: String
    let domain: String

    init(_ origin: Origin) {
        scheme = origin.scheme
        domain = PublicSuffixList.registrableDomain(of: origin.server) ?? origin.host
    }

    var description: String { "\(scheme)://\(domain)" }
}
