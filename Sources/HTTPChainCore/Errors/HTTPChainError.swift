public import Foundation

/// An error of this package: the failed stage, the reason, the advice, the exchange and the cause.
///
/// ``reason`` says what happened, for logs; `recoverySuggestion` says what to do, for developers and operators;
/// ``description`` has both.
///
/// Cancellation isn't one of these errors: it is always `CancellationError`.
public protocol HTTPChainError: LocalizedError, CustomStringConvertible, CustomReflectable {
    /// The stage or transport that failed, as ``Chain/explain()`` names it.
    var stage: String { get }
    /// What happened and to what, in one sentence without secrets; for advice, see `recoverySuggestion`.
    var reason: String { get }
    /// Advice on how to fix it, in one sentence; `nil` by default.
    var recoverySuggestion: String? { get }
    /// The request and the response so far, redacted; `nil` if there was no exchange yet.
    var exchange: ExchangeSnapshot? { get }
    /// The error that caused this one.
    var underlyingError: (any Error)? { get }
}

extension HTTPChainError {
    /// The default value, `nil`.
    public var exchange: ExchangeSnapshot? { nil }
    /// The default value, `nil`.
    public var underlyingError: (any Error)? { nil }

    /// The number of attempts made before this error, or `nil` if unknown, as for most errors that no stage tried to
    /// recover from.
    ///
    /// It is available for all kinds of errors: a transport's error after retries, a persistent error status, a body of
    /// the last attempt that can't be decoded, or an error that wraps another.
    public var attempts: Int? {
        for case let error as any HTTPChainError in causes {
            if let count = (error as? any AnnotatedError)?.notes.attemptCount { return count }
            if let response = (error as? any ResponseError)?.response { return response.attempts }
            if let count = error.exchange?.attempts { return count }
        }
        return nil
    }

    /// The same as `description`, for Foundation's `localizedDescription`.
    public var errorDescription: String? { description }
    /// The same as ``reason``.
    public var failureReason: String? { reason }
    /// Advice on how to fix it, in one sentence.
    ///
    /// Defaults to `nil`.
    public var recoverySuggestion: String? { nil }

    /// Always `nil`.
    public var helpAnchor: String? { nil }

    /// Stage, reason, advice, exchange and cause, on a few lines.
    public var description: String { baseDescription }

    /// The parts of the description, for `dump`.
    ///
    /// Omits other properties, which may contain the server's original response, or a URL as the user wrote it.
    public var customMirror: Mirror {
        let children: KeyValuePairs<String, Any> = [
            "stage": stage, "reason": reason, "recoverySuggestion": recoverySuggestion as Any,
            "exchange": exchange as Any, "underlyingError": underlyingError.map(Self.words(of:)) as Any,
        ]
        return Mirror(self, children: children, displayStyle: .struct)
    }

    var baseDescription: String { description(of: underlyingError) }

    func description(of cause: (any Error)?) -> String {
        var text = Explanation(reason, recoverySuggestion).text(of: stage)
        if let exchange { text += "\n  \(exchange)" }
        if let cause {
            text += "\n  caused by: \(Self.words(of: cause))"
        }
        return text
    }

    /// Returns the description of an error.
    ///
    /// Errors of this package redact their descriptions. Those of other errors are redacted here.
    ///
    /// An error that is its own cause is described a limited number of times.
    private static func words(of cause: any Error) -> String {
        guard Causes.described < Causes.limit else { return "…" }
        let words = Causes.$described.withValue(Causes.described + 1) { "\(cause)" }
        return cause is any HTTPChainError ? words : Redaction.standard.text(words, upTo: Redaction.longestShown)
    }
}
