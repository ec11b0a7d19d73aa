package import HTTPTypes

/// The object that keeps the cookies of the responses to a call, if a stage does.
///
/// A response that sets cookies is shared by the calls that have the same one.
package enum CookieKeeper: RequestNote {
    package static var defaultValue: (any CookieKeeping)? { nil }
    package static var affectsResponse: Bool { false }
}

/// Keeps cookies of responses that the stage of the cookies does not see: one that is received in the background, and one
/// that is discarded before another attempt.
package protocol CookieKeeping: AnyObject, Sendable {
    /// Stores what a response sets.
    ///
    /// - Parameters:
    ///   - fields: The fields of a response to the request.
    ///   - sent: The request as it was sent, if it is known.
    ///   - request: The request that it answers.
    func keep(_ fields: HTTPFields, sentAs sent: HTTPRequest?, for request: borrowing Request) async

    /// Gives a request the cookies that it would be sent with now.
    func renew(_ request: inout Request) async
}

extension Request {
    /// Stores the cookies of a response that is discarded, and gives the request those that it would be sent with now,
    /// RFC 6265 §3: a server may bind a challenge to a session.
    package mutating func renewCookies(after response: borrowing Response) async {
        guard response.head.headerFields.contains(.setCookie), let keeper = options[CookieKeeper.self] else { return }
        await keeper.keep(response.receivedFields, sentAs: response.request, for: self)
        await keeper.renew(&self)
    }
}
