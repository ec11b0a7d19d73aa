public import HTTPChainCore
import HTTPTypes

/// A redirect that may not be followed, or cannot be.
public struct RedirectError: ResponseError {
    /// What is wrong with the redirect.
    public enum Problem: Sendable, Hashable {
        /// There were more redirects than the limit allows.
        case tooManyHops(limit: Int)
        /// The same request was sent before, and nothing has changed since.
        case loop
        /// The body has to be sent again (307, 308, or another method than POST) and can be read only once.
        case bodyNotReplayable
        /// A policy refuses it, for the reason given.
        case refused(String)
    }

    /// What is wrong with the redirect.
    public let problem: Problem
    /// The redirect that was not followed, whole.
    public var response: Response
    /// The hops that were followed before it.
    public let hops: [RedirectHop]
    /// The hop that was not followed.
    public let refused: RedirectHop
    /// The request and the redirect's head, redacted.
    public let exchange: ExchangeSnapshot?
    /// Where the refused hop leads, redacted.
    let shownTarget: String

    /// Always "RedirectMiddleware".
    public var stage: String { "RedirectMiddleware" }

    /// What is wrong, and what to do about it.
    public var reason: String {
        switch problem {
        case .tooManyHops(let limit):
            "a redirect beyond the limit of \(limit); raise it with .limited(…), "
                + "or take .never to be given the redirect"
        case .loop:
            "the redirect to \(shownTarget) leads back to a request that was sent before, "
                + "and no cookie was set since; see hops for the way"
        case .bodyNotReplayable:
            "the redirect \(refused.status.code) asks for the body again, which can be read only once; "
                + "send a body that can be read again (bytes, a file, HTTPBody.replayable), or follow it by hand"
        case .refused(let why):
            "the redirect to \(shownTarget) is refused: \(why)"
        }
    }
}
