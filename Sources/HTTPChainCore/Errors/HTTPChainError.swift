public import Foundation

/// An error of this package, which tells which stage failed, why and what to do, about which exchange, and what caused
/// it.
///
/// ``reason`` is the fact, fit for a log; `recoverySuggestion` is the advice, for the person who develops or operates
/// the program; ``description`` is both.
///
/// Cancellation is not among them: it is always `CancellationError`.
public protocol HTTPChainError: LocalizedError, CustomStringConvertible, CustomReflectable {
    /// The stage or transport that failed, as ``Chain/explain()`` names it.
    var stage: String { get }
    /// The sentence that says what happened and to what, with no secrets; what to do about it is `recoverySuggestion`.
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

    /// The number of attempts that were made before this error; `nil` where that is not known, as for most errors that
    /// no stage tried to repair.
    ///
    /// It is the one place to ask, whatever the error: a transport's after retries, a status that stayed the same, a
    /// body of the last attempt that cannot be decoded, an error that wraps another.
    public var attempts: Int? {
        if let count = (self as? any AnnotatedError)?.notes.attemptCount { return count }
        if let response = (self as? any ResponseError)?.response { return response.attempts }
        return exchange?.attempts ?? (underlyingError as? any HTTPChainError)?.attempts
    }

    /// The same as `description`, where Foundation asks for it (`localizedDescription`).
    public var errorDescription: String? { description }
    /// The same as ``reason``.
    public var failureReason: String? { reason }
    /// Advice on what to do about it, in one sentence; `nil` where there is nothing to do, and unless the error has
    /// one.
    public var recoverySuggestion: String? { nil }
    /// There is no help book.
    public var helpAnchor: String? { nil }

    /// Stage, reason, advice, exchange and cause, on a few lines.
    public var description: String { baseDescription }

    /// The parts of the description: what `dump` shows.
    ///
    /// Other properties may hold a response as the server sent it, or a URL as the user wrote it.
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

    /// Errors of ours redact what they say; others say what they like.
    private static func words(of cause: any Error) -> String {
        let words = "\(cause)"
        return cause is any HTTPChainError ? words : Redaction.standard.text(words, upTo: Redaction.longestShown)
    }
}
