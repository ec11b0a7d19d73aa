public import HTTPChainCore
import HTTPTypes

/// Follows redirects: sends the request to where a response points, until one does not.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     RedirectMiddleware(.limited(10).and(.httpsOnly))
/// }
/// let response = try await chain.send(.get("https://example.com/old"))
/// print(response.hops.last?.to ?? "not redirected")
/// ```
///
/// 301, 302, 303, 307 and 308 are followed (RFC 9110 §15.4). 303 asks for the new target with GET, or HEAD after HEAD;
/// 301 and 302 turn POST into GET, as browsers do. Then the body goes, and the fields that describe it. All else is
/// sent again as it was, so a body that can be read once ends in a ``RedirectError``.
///
/// `Location` is resolved as RFC 3986 §5 says, and percent-encoded where it needs it. User information in it is
/// dropped. A response that names no target that could be asked is returned as it came: no `Location`, several that
/// differ, no host, another scheme than http and https (an app's own `myapp://callback` is for the caller).
///
/// On the way to another origin (scheme, host or port), the request loses `Authorization`, `Cookie`,
/// `Proxy-Authorization`, `Host`, every field that counts as a secret (``/HTTPChainCore/Request/redaction``), the
/// fields that stages bound to another origin, and every option that is a credential; of a `Referer` the origin is
/// left, and nothing on the way from https to http. What was lost does not come back on a later hop. A stage further in
/// decides about each hop anew.
///
/// A redirect from https to http is refused, and one that would take a body to another origin (307, 308), unless the
/// policy allows it (``RedirectPolicy/allowing(_:)``).
///
/// A redirect that leads back to a request already sent is a loop, unless a stage has stored a cookie since
/// (``/HTTPChainCore/CookiesStored``). Of a redirect's body
/// up to 64 KiB are read, so that its connection can be used again.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/redirect``: inside what builds the request, outside caches, retries and
/// authentication, which all see each hop as a request of its own.
///
/// **Options.** ``CallRedirects`` (in short ``HTTPChainCore/Request/redirects(_:)``) sets the policy for one call;
/// ``/HTTPChainCore/Request/withoutRedirects()`` has none followed.
/// ``RedirectHops`` (in short ``HTTPChainCore/Response/hops``) tells which redirects were followed.
///
/// **Errors.** ``RedirectError`` for too many redirects, a loop, a body that cannot be sent again, and what a policy
/// refuses. What a policy only does not follow (``RedirectPolicy/never``, ``RedirectPolicy/sameOrigin``,
/// ``RedirectPolicy/httpsOnly``) is no error: the redirect is the response.
public struct RedirectMiddleware: ChainAwareMiddleware, DeadlineKeepingMiddleware {
    private let policy: RedirectPolicy

    /// Makes the stage.
    ///
    /// - Parameters:
    ///   - policy: Which redirects are followed; up to 20 by default.
    public init(_ policy: RedirectPolicy = .standard) {
        self.policy = policy
    }

    /// Outside everything that acts on each hop.
    public var phase: Phase { .redirect }

    /// The policy.
    public var summary: StageSummary {
        StageSummary("RedirectMiddleware", purpose: "follows redirects", settings: ["policy": "\(policy)"])
    }

    /// Redirects are followed from here on.
    public func capabilities(over inner: TransportCapabilities) -> TransportCapabilities {
        inner.contains(.followsRedirects) ? inner : inner.union([.followsRedirects, .redirectsOnlyWhenAllowed])
    }

    /// Passes the request on, again for each redirect.
    ///
    /// - Throws: ``RedirectError``; what the stages inside throw.
    @inline(__always)  // Into the protocol's witness, which saves each call a frame.
    public func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        let kept = request
        let response = try await next(request)
        guard RedirectJourney.isRedirect(response.status), !kept.options[WithoutRedirects.self] else { return response }
        return try await follow(response, to: kept, next: next)
    }

    private func follow(_ first: consuming Response, to request: Request, next: Next) async throws -> Response {
        var response = first
        let redaction = request.redaction
        var journey = RedirectJourney(
            request,
            policy: request.options[CallRedirects.self] ?? policy,
            redaction: redaction
        )
        while true {
            let answered = journey.request.head
            let step = journey.step(
                for: response.head,
                sentAs: response.request,
                storesCookies: response.options[CookiesStored.self]
            )
            switch step {
            case .finish:
                // A stage further in may have followed redirects of its own.
                if !journey.hops.isEmpty { response.hops = journey.hops + response.hops }
                return response
            case .fail(let problem, let hop):
                throw RedirectError(
                    problem: problem,
                    response: response,
                    hops: journey.hops,
                    refused: hop,
                    exchange: ExchangeSnapshot(
                        response.request ?? answered,
                        response: response.head,
                        redaction: redaction
                    ),
                    redaction: Sealed(redaction)
                )
            case .follow:
                await response.body.drain(time: request.environment.time)
                try Task.checkCancellation()
                request.noteRedirect()
                request.noteEvent("httpchain.redirect", [("httpchain.hop", .integer(Int64(journey.hops.count)))])
                response = try await next(journey.request)
            }
        }
    }
}
