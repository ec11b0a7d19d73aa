public import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// A redirect that may not be followed, or cannot be.
public struct RedirectError: ResponseError {
    /// A reason why a redirect is not followed.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// There were more redirects than the limit allows.
        case tooManyHops(limit: Int)
        /// The same request was sent before, and nothing has changed since.
        case loop
        /// It leads from https to http, where everybody on the way can read and change what is sent.
        case downgrade
        /// It would take the body to this other origin.
        case bodyToOtherOrigin(Origin)
        /// The body has to be sent again (307, 308, or another method than POST) and can be read only once.
        case bodyNotReplayable
        /// A policy refuses it, for the reason given.
        case refused(String)
    }

    /// The reason why the redirect is not followed.
    public let problem: Problem
    /// The redirect that was not followed, whole.
    public var response: Response
    /// The hops that were followed before it.
    public let hops: [RedirectHop]
    /// The hop that was not followed.
    public let refused: RedirectHop
    /// The request and the redirect's head, redacted.
    public let exchange: ExchangeSnapshot?
    /// What counts as a secret in where the refused hop leads.
    let redaction: Sealed<Redaction>

    /// Always "RedirectMiddleware".
    public var stage: String { "RedirectMiddleware" }

    /// A description of what happened.
    public var reason: String { explanation.reason }

    /// Advice on what to do about it; `nil` if there is none.
    public var recoverySuggestion: String? { explanation.advice }

    /// As the server wrote it if there is user information in it, a part of which may be a path to a reader of URLs.
    private var shownTarget: String {
        let written = redaction.content.url(response.headers[.location] ?? "")
        return written.includes(Redaction.placeholder + "@") ? written : redaction.content.target(refused.to)
    }

    private var explanation: Explanation {
        switch problem {
        case .tooManyHops(let limit):
            Explanation(
                "a redirect beyond the limit of \(limit)",
                "raise it with .limited(…), or take .never to be given the redirect"
            )
        case .loop:
            Explanation(
                "the redirect to \(shownTarget) leads back to a request that was sent before, "
                    + "and no cookie was stored since",
                "see hops for the way"
            )
        case .downgrade:
            Explanation(
                "the redirect to \(shownTarget) leads from https to http, where everybody on the way can read and change "
                    + "what is sent",
                "have the server name https, or allow it with .allowing(.downgrade)"
            )
        case .bodyToOtherOrigin(let origin):
            Explanation(
                "the redirect \(refused.status.code) would take the body to another origin, \(origin)",
                "allow it with .allowing(.bodyToOtherOrigins), or follow it by hand"
            )
        case .bodyNotReplayable:
            Explanation(
                "the redirect \(refused.status.code) asks for the body again, which can be read only once",
                "send a body that can be read again (bytes, a file, HTTPBody.replayable), or follow it by hand"
            )
        case .refused(let why):
            Explanation("the redirect to \(shownTarget) is refused: \(why)")
        }
    }
}
