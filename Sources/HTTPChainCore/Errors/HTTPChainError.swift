public import Foundation

/// What every error of this package tells: which stage failed, why and what to do, about which exchange, and what
/// caused it.
///
/// Cancellation is not among them: it is always `CancellationError`.
public protocol HTTPChainError: LocalizedError, CustomStringConvertible {
    /// The stage or transport that failed, as ``Chain/explain()`` names it.
    var stage: String { get }
    /// What happened and what to do about it, in one or two sentences with no secrets.
    var reason: String { get }
    /// The request as it stood and the answer so far, redacted; `nil` when there was no exchange yet.
    var exchange: ExchangeSnapshot? { get }
    /// The error that led to this one.
    var underlyingError: (any Error)? { get }
}

extension HTTPChainError {
    /// No exchange unless the error has one.
    public var exchange: ExchangeSnapshot? { nil }
    /// No cause unless the error has one.
    public var underlyingError: (any Error)? { nil }

    /// The same as `description`, where Foundation asks for it (`localizedDescription`).
    public var errorDescription: String? { description }
    /// The same as ``reason``.
    public var failureReason: String? { reason }
    /// Nothing beyond ``reason``, which says what to do.
    public var recoverySuggestion: String? { nil }
    /// There is no help book.
    public var helpAnchor: String? { nil }

    /// Stage, reason, exchange and cause, on a few lines.
    public var description: String { baseDescription }

    var baseDescription: String {
        var text = "\(stage): \(reason)"
        if let exchange { text += "\n  \(exchange)" }
        if let underlyingError { text += "\n  caused by: \(underlyingError)" }
        return text
    }
}
