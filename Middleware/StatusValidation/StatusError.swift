public import HTTPChainCore
public import HTTPTypes

/// The server answered with a status that is not accepted.
public struct StatusError: ResponseError {
    /// The response, whole: an error handler can read its body from the beginning.
    ///
    /// When the body broke while its first bytes were looked at, reading it gives those bytes and then the error.
    public var response: Response
    /// The statuses that were accepted for this call.
    public let accepted: StatusSet
    /// The first bytes of the body; `nil` when the stage was told not to look at them.
    public let preview: BodyPreview?
    /// The request and the response's head, redacted, with the preview.
    public let exchange: ExchangeSnapshot?
    /// The error that broke the body while its first bytes were looked at; `nil` when nothing did.
    public let underlyingError: (any Error)?

    /// The status that is not accepted.
    public var status: HTTPResponse.Status { response.status }

    /// Always "StatusValidationMiddleware".
    public var stage: String { "StatusValidationMiddleware" }

    /// A description of what happened.
    public var reason: String { explanation.reason }

    /// Advice on what to do about it; `nil` if there is none.
    public var recoverySuggestion: String? { explanation.advice }

    private var explanation: Explanation {
        Explanation(
            "the status \(status.code) is not accepted (accepted: \(accepted))",
            "handle StatusError, or accept it for this call with alsoAccepting([\(status.code)])"
        )
    }
}
