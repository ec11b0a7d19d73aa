public import HTTPTypes

/// The head of the request for this response, as the transport sent it.
///
/// Outer stages only see the request that they passed on, before its URL was built, its fields were set or a redirect
/// was followed. The transport attaches the head that was finally sent.
package enum SentRequestFact: ResponseOption {
    /// No request: the transport doesn't report it.
    package static var defaultValue: HTTPRequest? { nil }
}

extension Response {
    /// The head of the request for this response, as the transport sent it; `nil` if the transport doesn't report it,
    /// or a stage made the response.
    public var request: HTTPRequest? {
        get { options[SentRequestFact.self] }
        set { options[SentRequestFact.self] = newValue }
    }
}
