package import HTTPTypes

/// The object that keeps the cookies of a call's responses, if a stage does so.
///
/// Calls share a response that sets cookies only if they have the same object.
package enum CookieKeeperNote: RequestNote {
    package static var defaultValue: (any CookieKeeping)? { nil }
    package static var affectsResponse: Bool { false }
}

/// Keeps the cookies of responses that the cookie stage doesn't see: those received in the background, and those
/// discarded before another attempt.
package protocol CookieKeeping: AnyObject, Sendable {
    /// Stores the cookies that a response sets.
    ///
    /// - Parameters:
    ///   - fields: The fields of a response to the request.
    ///   - sent: The request as it was sent, if it is known.
    ///   - request: The request that the response belongs to.
    func keep(_ fields: HTTPFields, sentAs sent: HTTPRequest?, for request: borrowing Request) async

    /// Replaces a request's cookies with the jar's current ones.
    func renew(_ request: inout Request) async
}

extension Request {
    /// Stores the cookies of a discarded response, and replaces the request's cookies with the current ones (RFC 6265
    /// §3), because a server may bind a challenge to a session.
    package mutating func renewCookies(after response: borrowing Response) async {
        guard response.head.headerFields.contains(.setCookie) else { return }
        await keepCookies(of: response)
        await renewCookies()
    }

    /// Replaces the request's cookies with the current ones, because earlier responses of the call may have set some.
    package mutating func renewCookies() async {
        await options[CookieKeeperNote.self]?.renew(&self)
    }

    /// Stores the cookies of a response to this request, for responses that don't reach the cookie stage.
    package borrowing func keepCookies(of response: borrowing Response) async {
        guard response.head.headerFields.contains(.setCookie), let keeper = options[CookieKeeperNote.self] else {
            return
        }
        await keeper.keep(response.receivedFields, sentAs: response.request, for: self)
    }
}
