import FlyingFox

/// A request that is not served, and what the sender is told.
struct Refusal: Error {
    /// The status of the answer.
    var status: HTTPStatusCode
    /// What is wrong, and what to do about it.
    var reason: String
    /// Whether the connection ends with the answer, because the rest of the request was not read.
    var closes = false
    /// The methods that would be served.
    var allowed: String?

    static func malformed(_ reason: String) -> Refusal { Refusal(status: .badRequest, reason: reason) }
}
