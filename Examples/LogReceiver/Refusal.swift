import FlyingFox

/// An error that refuses a request, with the reason for its sender.
struct Refusal: Error {
    /// The response's status.
    var status: HTTPStatusCode
    /// The problem, and how to fix it.
    var reason: String
    /// Whether the connection closes after the response, because the rest of the request wasn't read.
    var closes = false
    /// The allowed methods.
    var allowed: String?

    static func malformed(_ reason: String) -> Refusal { Refusal(status: .badRequest, reason: reason) }
}
