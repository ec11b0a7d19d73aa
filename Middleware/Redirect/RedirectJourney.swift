import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// Decides how to handle the redirects of a call, without I/O.
struct RedirectJourney {
    /// The decision about a response.
    enum Step {
        /// The response is the result: it isn't a redirect, or the redirect isn't followed.
        case finish
        /// The redirect is followed: ``RedirectJourney/request`` is sent next.
        case follow
        /// The redirect is an error.
        case fail(RedirectError.Problem, RedirectHop)
    }

    /// The request of the last response, or the next request if a redirect is followed.
    private(set) var request: Request
    /// The hops followed so far.
    private(set) var hops: [RedirectHop] = []
    private let policy: RedirectPolicy
    private let redaction: Redaction
    /// The requests sent since a cookie was last stored.
    private var sent: Set<HTTPRequest> = []

    init(_ request: Request, policy: RedirectPolicy, redaction: Redaction) {
        self.request = request
        self.policy = policy
        self.redaction = redaction
    }

    /// Returns whether a status redirects the request.
    ///
    /// 300 leaves the choice to the user, 304 responds to a condition, and 305 and 306 are deprecated (RFC 9110 §15.4).
    static func isRedirect(_ status: HTTPResponse.Status) -> Bool {
        switch status.code {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    /// Decides how to handle a response.
    ///
    /// - Parameters:
    ///   - response: The head of the response.
    ///   - sentHead: The head as sent by the transport. It is needed if an inner stage made the request's URL absolute.
    ///   - storesCookies: Whether cookies of the response were stored. Only stored cookies change the next request.
    mutating func step(
        for response: HTTPResponse,
        sentAs sentHead: HTTPRequest?,
        storesCookies: Bool = false
    ) -> Step {
        guard Self.isRedirect(response.status), request.head.method != .connect,
            let base = base(sentAs: sentHead),
            let target = RedirectLocation.target(of: response, from: base)
        else { return .finish }
        var following = request
        following.redirect(
            to: target,
            status: response.status,
            from: Origin(scheme: base.scheme, authority: base.authority),
            redaction: redaction
        )
        let hop = RedirectHop(
            status: response.status,
            from: base.text,
            to: target.text,
            method: following.head.method
        )
        switch policy.decision(on: RedirectProposal(response: response, hop: hop, hops: hops)) {
        case .stop: return .finish
        case .refuse(let problem): return .fail(problem, hop)
        case .follow: break
        }
        guard hops.count < policy.bound else { return .fail(.tooManyHops(limit: policy.bound), hop) }
        if let problem = refusal(of: hop, with: following) { return .fail(problem, hop) }
        if storesCookies {
            sent.removeAll()
        } else {
            sent.insert(request.head)
        }
        guard !sent.contains(following.head) else { return .fail(.loop, hop) }
        guard following.body.isReplayable else { return .fail(.bodyNotReplayable, hop) }
        hops.append(hop)
        request = following
        return .follow
    }

    /// Returns the reason for refusing a hop that the policy would follow, or `nil` if the policy's allowances cover
    /// it.
    private func refusal(of hop: RedirectHop, with following: Request) -> RedirectError.Problem? {
        guard let source = Origin(hop.from), let destination = Origin(hop.to), source != destination else { return nil }
        if source.scheme == "https", destination.scheme != "https", !policy.allowances.contains(.downgrade) {
            return .downgrade
        }
        if !following.body.isEmpty, !policy.allowances.contains(.bodyToOtherOrigins) {
            return .bodyToOtherOrigin(destination)
        }
        return nil
    }

    /// The request's URL without user information, which is the base of a relative `Location`.
    private func base(sentAs sentHead: HTTPRequest?) -> URIReference? {
        let absolute = request.origin == nil ? sentHead.map { Request(head: $0) } : request
        guard var absolute, absolute.origin != nil else { return nil }
        // A request to the whole server (`*`) counts as one to its root path.
        if absolute.head.path?.utf8.first != UInt8(ascii: "/") { absolute.head.path = "/" }
        var base = URIReference(absolute.url)
        base.fragment = request.fragment
        if let at = base.authority?.utf8.lastIndex(of: UInt8(ascii: "@")) {
            base.authority = base.authority.map { String(Substring($0.utf8[at...].dropFirst())) }
        }
        return base
    }
}
