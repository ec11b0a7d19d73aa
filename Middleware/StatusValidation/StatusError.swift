public import HTTPChainCore
public import HTTPTypes

/// An error thrown if the status of a response isn't accepted.
public struct StatusError: ResponseError, ExplainedError {
    /// The complete response.
    ///
    /// An error handler can read its body from the beginning.
    ///
    /// If the body broke during the preview, reading it returns the bytes of the preview and then throws the error.
    public var response: Response
    /// The statuses accepted for this call.
    package let accepted: StatusSet
    /// The first bytes of the body, or `nil` if the stage's preview is off.
    public let preview: BodyPreview?
    /// The request and the response's head, redacted, with the preview.
    package let failedExchange: ExchangeSnapshot?
    /// The error that broke the body during the preview, or `nil` if there was none.
    package let cause: (any Error)?

    /// The rejected status.
    public var status: HTTPResponse.Status { response.status }

    /// Always "StatusValidationMiddleware".
    package var failedStage: String { "StatusValidationMiddleware" }

    package var explanation: Explanation {
        Explanation(
            "the status \(status.code) is not accepted (accepted: \(accepted))",
            "handle StatusError, or accept it for this call with statuses(adding: [\(status.code)])"
        )
    }
}
