public import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// An error thrown if a redirect can't or may not be followed.
public struct RedirectError: ResponseError, ExplainedError {
    /// The reason why a redirect isn't followed.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// There were more redirects than the limit allows.
        case tooManyHops(limit: Int)
        /// The same request was already sent, and no cookie has been stored since.
        case loop
        /// The redirect leads from https to http, so that anyone on the path could read and change the messages.
        case downgrade
        /// The redirect would send the body to this other origin.
        case bodyToOtherOrigin(Origin)
        /// The body must be sent again (307, 308, or a method other than POST), but it can be read only once.
        case bodyNotReplayable
        /// A policy refuses the redirect, for this reason.
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

    /// The target without its fragment.
    ///
    /// If it contains user information, it is shown as sent by the server, because a URL parser may mistake a part of
    /// it for a path or a fragment.
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
