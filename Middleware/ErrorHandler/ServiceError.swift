public import HTTPChainCore
import HTTPChainSupport
public import HTTPTypes

/// An error with details from the service or a handler, as a value.
///
/// ```swift
/// do {
///     …
/// } catch let error as ServiceError<ProblemDetails> {
///     print(error.details.title ?? "", error.status?.code ?? 0)
/// }
/// ```
///
/// ``original`` is the original error, with all of its information.
public struct ServiceError<Details: Sendable>: HTTPChainError {
    /// The details from the service or a handler.
    public let details: Details
    /// The response in the error, with its complete body, or `nil` if the call failed without one.
    public let response: Response?
    /// The original error of the inner stages, such as a `StatusError` or a `TransportError`.
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

    /// A description of what happened: the first 16 KiB of the details if they are `CustomStringConvertible`, with
    /// secrets redacted.
    public var reason: String {
        guard let text = (details as? any CustomStringConvertible)?.description, !text.isEmpty else {
            return "the call failed with \(Details.self); its details say why"
        }
        return redaction.content.text(text, upTo: Redaction.longestShown).printableLines
    }

    /// The response's status, or `nil` if the call failed without a response.
    public var status: HTTPResponse.Status? { response?.status }

    /// Always "ErrorHandlerMiddleware".
    public var stage: String { "ErrorHandlerMiddleware" }

    /// The original error: ``original``.
    public var underlyingError: (any Error)? { original }
}
