import HTTPChainCore

/// An error as it is logged.
public struct LoggedError: Sendable, Hashable {
    /// The kind of the error, as metrics and spans tell it in `error.type`.
    ///
    /// "timeout"; the kind of a ``/HTTPChainCore/TransportError``, such as "connectionLost"; the status of an error that
    /// carries a response from 400 on; the name of the error's type otherwise. `CancellationError` for whatever was
    /// cancelled, which is no error to metrics and spans.
    public var type: String
    /// The sentence that says what happened, redacted, on one line and cut to 2,048 characters; what to do about it is
    /// no matter for a log.
    public var reason: String

    /// Makes an error.
    public init(type: String, reason: String) {
        self.type = type
        self.reason = reason
    }
}

extension LoggedError {
    static let cancellation = LoggedError(type: "CancellationError", reason: "the call was cancelled")

    private static let longestReason = 2048

    /// - Parameter type: What ``HTTPSemantics/errorType(of:isTimeUp:)`` says of it.
    init(_ error: any Error, type: String, redaction: LogRedaction) {
        self.type = type
        let reason: String
        switch error {
        case let error as TransportError:
            // What the platform says stands in the reason already, where it was worth a word.
            let cause = error.detail.isEmpty ? error.underlyingError.map { ": \($0)" } ?? "" : ""
            reason = error.reason + cause
        case let error as DecodingFailure:
            // Its own reason quotes the body, which is not shown unless it is asked for.
            let place = error.codingPath.isEmpty ? "" : " at \(error.codingPath)"
            reason = "the body is no value of type \(error.expectedType)\(place): \(error.detail)"
        case let error as any HTTPChainError:
            reason = error.reason
        default:
            reason = "\(error)"
        }
        // Cut before it is redacted: what is cut off may be long. And after it, for what redacting makes longer.
        let beginning = reason.beginning(upTo: 4 * Self.longestReason)
        let line = (beginning ?? reason).onOneLine(joinedBy: "; ")
        let cut = line.beginning(upTo: 2 * Self.longestReason) ?? line
        let isCutOff = beginning != nil || cut.utf8.count < line.utf8.count
        self.reason = redaction.text(cut, isCutOff: isCutOff).printable(upTo: Self.longestReason)
    }
}
