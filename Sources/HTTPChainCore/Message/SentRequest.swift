public import HTTPTypes

/// The head of the request that a response answers, as the transport sent it.
///
/// Stages on the outside know the request only as it passed them: before its URL was built, its fields were set, a
/// redirect was followed. A transport attaches what went out in the end.
package enum SentRequest: ResponseOption {
    /// The transport did not say.
    package static var defaultValue: HTTPRequest? { nil }
}

extension Response {
    /// The head of the request that this response answers, as the transport sent it; `nil` when it did not say, and
    /// for a response that a stage made.
    public var request: HTTPRequest? {
        get { options[SentRequest.self] }
        set { options[SentRequest.self] = newValue }
    }
}
