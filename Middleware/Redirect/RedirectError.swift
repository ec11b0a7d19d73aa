public import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// Thrown if a redirect may not be followed, or can't be.
public struct RedirectError: ResponseError, ExplainedError {
    /// The reason why a redirect isn't followed.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// There were more redirects than the limit allows.
        case tooManyHops(limit: Int)
        /// The same request was sent before, and no cookie was stored since.
        case loop
        /// It leads from https to http, where anyone on the path can read and change the messages.
        case downgrade
        /// It would send the body to this other origin.
        case bodyToOtherOrigin(Origin)
        /// The body must be sent again (307, 308, or another method than POST), but can be read only once.
        case bodyNotReplayable
        /// A policy refuses it, for this reason.
        case refused(String)
    }

    /// The reason why the redirect isn't followed.
    public let problem: Problem
    /// The complete response with the redirect.
    public var response: Response
    /// The hops followed before it.
    public let hops: [RedirectHop]
    /// The hop that wasn't followed.
    package let refused: RedirectHop
    /// The request and the redirect's head, redacted.
    package let failedExchange: ExchangeSnapshot?
    /// The redaction for the target of the refused hop.
    let redaction: Sealed<Redaction>

    /// Always "RedirectMiddleware".
    package var failedStage: String { "RedirectMiddleware" }

    /// The target without its fragment, as sent by the server if it contains user information, part of which may look
    /// like a path or a fragment to a URL parser.
    private var shownTarget: String {
        let written = redaction.content.url(response.headers[.location] ?? "")
        guard written.includes(Redaction.placeholder + "@") else { return redaction.content.target(refused.to) }
        return Redaction.withoutFragment(written)
    }

    package var explanation: Explanation {
        switch problem {
        case .tooManyHops(let limit):
            Explanation(
                "a redirect beyond the limit of \(limit)",
                "raise it with .limited(…), or use .never to receive the redirect"
            )
        case .loop:
            Explanation(
                "the redirect to \(shownTarget) leads back to a request that was sent before, "
                    + "and no cookie was stored since",
                "see hops for the way"
            )
        case .downgrade:
            Explanation(
                "the redirect to \(shownTarget) leads from https to http, where anyone on the network can read and change "
                    + "what is sent",
                "have the server redirect to https, or allow it with .allowing(.downgrade)"
            )
        case .bodyToOtherOrigin(let origin):
            Explanation(
                "the redirect \(refused.status.code) would send the body to another origin, \(origin)",
                "allow it with .allowing(.bodyToOtherOrigins), or follow it by hand"
            )
        case .bodyNotReplayable:
            Explanation(
                "the redirect \(refused.status.code) needs the body again, but it can be read only once",
                "send a body that can be read again (bytes, a file, HTTPBody.replayable), or follow it by hand"
            )
        case .refused(let why):
            Explanation("the redirect to \(shownTarget) is refused: \(why)")
        }
    }
}
