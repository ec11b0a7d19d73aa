public import HTTPChainCore
import HTTPTypes

/// Follows redirects until it receives a response that isn't one.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     RedirectMiddleware(.limited(10).and(.httpsOnly))
/// }
/// let response = try await chain.send(.get("https://example.com/old"))
/// print(response.hops.last?.to ?? "not redirected")
/// ```
///
/// 301, 302, 303, 307 and 308 are followed (RFC 9110 §15.4). 303 requests the new target with GET, or HEAD after HEAD.
/// 301 and 302 turn POST into GET, as in browsers. In these cases the body and the fields that describe it are removed.
/// Any other request is resent unchanged, so a body that can be read only once leads to a ``RedirectError``.
///
/// `Location` is resolved according to RFC 3986 §5, and percent-encoded if necessary. User information in it is
/// dropped. A response without a valid target is returned unchanged: it has no `Location`, several different ones, no
/// host, or a scheme other than http and https (an app's own `myapp://callback` is for the caller).
///
/// A redirect to another origin (scheme, host or port) removes `Authorization`, `Cookie`, `Proxy-Authorization`,
/// `Host`, all secret fields (``/HTTPChainCore/Request/redaction``), fields that stages have limited to another origin,
/// and all options that are credentials. `Referer` is reduced to its origin, and removed from https to http. Removed
/// fields don't return on a later hop. Inner stages handle each hop separately.
///
/// A redirect from https to http, or one that would send a body to another origin (307, 308), is refused unless the
/// policy allows it (``RedirectPolicy/allowing(_:)``).
///
/// A redirect to a request that was already sent counts as a loop, unless a stage has stored a cookie since then
/// (`CookiesStoredFact`). Up to 64 KiB of a redirect's body are read, so that its connection can be reused.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/redirect``: inside stages that build the request, and outside caches,
/// retries and authentication, which handle each hop as a separate request.
///
/// **Options.** ``HTTPChainCore/Request/redirects(_:)`` sets the policy of one call. With `redirects(false)`, none are
/// followed. ``HTTPChainCore/Response/hops`` lists the followed redirects.
///
/// **Errors.** ``RedirectError`` for too many redirects, a loop, a body that can't be sent again, and refusals by a
/// policy. If a policy merely doesn't follow a redirect (``RedirectPolicy/never``, ``RedirectPolicy/sameOrigin``,
/// ``RedirectPolicy/httpsOnly``), the redirect is returned as the response.
public struct RedirectMiddleware: ChainAwareMiddleware, DeadlineKeepingMiddleware, BuiltInStage {
    private let policy: RedirectPolicy

    /// Makes the stage.
    ///
    /// - Parameters:
    ///   - policy: The redirect policy. By default, up to 20 redirects are followed.
    public init(_ policy: RedirectPolicy = .standard) {
        self.policy = policy
    }

    /// Outside all stages that handle each hop.
    package var stagePhase: Phase { .redirect }

    /// The options that the stage reads.
    package var stageOptions: [any RequestOption.Type] { [RedirectOption.self] }

    /// The policy.
    package var stageSummary: StageSummary {
        StageSummary("RedirectMiddleware", purpose: "follows redirects", settings: ["policy": policy.description])
    }

    /// Adds the capability to follow redirects.
    package func stageCapabilities(over inner: TransportCapabilities) -> TransportCapabilities {
        inner.contains(.followsRedirects) ? inner : inner.union([.followsRedirects, .redirectsOnlyWhenAllowed])
    }

    /// Passes the request on, and then the request of each redirect.
    ///
    /// - Throws: ``RedirectError``; rethrows errors of the inner stages, without the claim that nothing was sent if a
    ///   redirect has turned a write into a GET.
    @inline(__always)  // Into the protocol's witness, which saves each call a frame.
    public nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        let kept = request
        let response = try await next(request)
        guard RedirectJourney.isRedirect(response.status), !kept.options[NoRedirectsNote.self] else { return response }
        return try await follow(response, to: kept, next: next)
    }

    private func follow(_ first: consuming Response, to request: Request, next: Next) async throws -> Response {
        var response = first
        let redaction = request.redaction
        var journey = RedirectJourney(
            request,
            policy: request.options[RedirectOption.self].applied(to: policy) ?? .never,
            redaction: redaction
        )
        while true {
            let answered = journey.request.head
            let step = journey.step(
                for: response.head,
                sentAs: response.request,
                storesCookies: response.options[CookiesStoredFact.self]
            )
            switch step {
            case .finish:
                // An inner stage may have followed redirects itself.
                if !journey.hops.isEmpty { response.hops = journey.hops + response.hops }
                return response
            case .fail(let problem, let hop):
                throw RedirectError(
                    problem: problem,
                    response: response,
                    hops: journey.hops,
                    refused: hop,
                    failedExchange: ExchangeSnapshot(
                        response.request ?? answered,
                        response: response.head,
                        redaction: redaction
                    ),
                    redaction: Sealed(redaction)
                )
            case .follow:
                request.noteRedirect()
                request.noteEvent("httpchain.redirect", [("httpchain.hop", .integer(Int64(journey.hops.count)))])
                // Its cookies belong to the request that it responds to, not to the next one.
                if response.request == nil { response.request = answered }
                do {
                    response = try await next(journey.request, discarding: response)
                } catch {
                    // The server has performed a write whose method the redirect changed (RFC 9110 §15.4.4).
                    let hasActed = !request.method.isSafe && journey.request.method != request.method
                    throw hasActed ? error.afterSending : error
                }
            }
        }
    }
}
