public import HTTPChainCore
public import HTTPTypes

/// A call failed, and the service (or a handler) said more about it: its details, as a value.
///
/// ```swift
/// do {
///     …
/// } catch let error as ServiceError<ProblemDetails> {
///     print(error.details.title ?? "", error.status?.code ?? 0)
/// }
/// ```
///
/// The error as it came is ``original``: nothing that it knew is lost.
public struct ServiceError<Details: Sendable>: HTTPChainError {
    /// The details that the service gave.
    public let details: Details
    /// The response that is the error, its body whole; `nil` when the call failed without one.
    public let response: Response?
    /// The error as it came from the stages inside: a `StatusError`, a `TransportError`.
    public let original: any Error
    /// The request and the response of the original error, redacted.
    public let exchange: ExchangeSnapshot?
    private let redaction: Sealed<Redaction>

    init(_ details: Details, of failure: CallFailure, redaction: Redaction) {
        self.details = details
        response = failure.response
        original = failure.error
        exchange = (failure.error as? any HTTPChainError)?.exchange
        self.redaction = Sealed(redaction)
    }

    /// The sentence that says what happened: the first 16 KiB of the details if they describe themselves, secrets
    /// redacted.
    public var reason: String {
        guard let text = (details as? any CustomStringConvertible)?.description, !text.isEmpty else {
            return "the call failed with \(Details.self); its details say why"
        }
        return redaction.content.text(text, upTo: Redaction.longestShown)
    }

    /// The response's status; `nil` when the call failed without a response.
    public var status: HTTPResponse.Status? { response?.status }

    /// Always "ErrorHandlerMiddleware".
    public var stage: String { "ErrorHandlerMiddleware" }

    /// The error as it came: ``original``.
    public var underlyingError: (any Error)? { original }
}
