import HTTPChainCore

/// An error in the form in which it is logged.
public struct LoggedError: Sendable, Hashable {
    /// The kind of the error, as in the `error.type` of metrics and spans.
    ///
    /// It is "timeout", the kind of a ``/HTTPChainCore/TransportError`` (such as "connectionLost"), the status if the
    /// error contains a response with 400 or above, or otherwise the name of the error's type. For anything cancelled,
    /// it is `CancellationError`; metrics and spans don't count that as an error.
    public var type: String
    /// The description, redacted, on one line, and truncated to 2,048 characters.
    ///
    /// Advice on what to do is omitted.
    public var reason: String

    /// Makes an error.
    package init(type: String, reason: String) {
        self.type = type
        self.reason = reason
    }
}

extension LoggedError {
    package static let cancellation = LoggedError(type: "CancellationError", reason: "the call was cancelled")

    private static let longestReason = 2048

    /// - Parameter type: The result of ``HTTPSemantics/errorType(of:isTimeUp:)``.
    init(_ error: any Error, type: String, redaction: LogRedaction) {
        self.type = type
        let reason: String
        switch error {
        case let error as TransportError:
            // The reason already includes the platform's text if that is useful.
            let cause = error.detail.isEmpty ? error.underlyingError.map { ": \($0)" } ?? "" : ""
            reason = error.reason + cause
        case let error as DecodingFailure:
            // The error's own reason quotes the body, which is logged only on request.
            let place = error.codingPath.isEmpty ? "" : " at \(error.codingPath)"
            reason = "the body is not a value of type \(error.expectedType)\(place): \(error.detail)"
        case let error as any HTTPChainError:
            reason = error.reason
        default:
            reason = "\(error)"
        }
        // The text is truncated before redaction, because it may be long, and again afterwards, because redaction may
        // lengthen it.
        let beginning = reason.beginning(upTo: 4 * Self.longestReason)
        let line = (beginning ?? reason).onOneLine(joinedBy: "; ")
        let cut = line.beginning(upTo: 2 * Self.longestReason) ?? line
        let isCutOff = beginning != nil || cut.utf8.count < line.utf8.count
        self.reason = redaction.text(cut, isCutOff: isCutOff).printable(upTo: Self.longestReason)
    }
}
