import Foundation
public import HTTPChainCore
public import HTTPTypes

/// The error for a stream of events that can't be opened or read.
public struct EventStreamError: ExplainedError {
    /// The problem.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// The server responded with a status other than 200, and the policy doesn't retry.
        case status(HTTPResponse.Status)
        /// The response's content type isn't that of the requested stream; `nil` if the response has none.
        case contentType(String?, expected: String)
        /// A line, an ID or a type is longer than allowed.
        case lineTooLong(limit: ByteCount)
        /// The data of an event is larger than allowed.
        case eventTooLarge(limit: ByteCount)
        /// A JSON text sequence doesn't begin with a record separator, RFC 7464 §2.1.
        case notASequence
        /// The server sent nothing for this long, not even a comment.
        case silent(Duration)
        /// The server ended the stream before it was complete.
        case ended
        /// The stream must be reopened, but the request's body can be read only once.
        case notReplayable
        /// The stream already has a reader.
        case alreadyRead
        /// The data of an event can't be decoded to the requested type.
        case undecodable(type: String, codingPath: String, detail: String)
    }

    /// The problem.
    public let problem: Problem
    /// The number of consecutive failed attempts to open the stream, or 0 if the error is unrelated to that.
    public let failures: Int
    /// The request and the head of the response, redacted.
    package let failedExchange: ExchangeSnapshot?
    /// The error that led to this one.
    package let cause: (any Error)?

    /// Always "EventStream".
    package var failedStage: String { "EventStream" }

    package init(
        _ problem: Problem,
        failures: Int = 0,
        exchange: ExchangeSnapshot? = nil,
        underlyingError: (any Error)? = nil
    ) {
        self.problem = problem
        self.failures = failures
        failedExchange = exchange
        cause = underlyingError
    }

    init(decoding type: Any.Type, from bytes: Data, cause: any Error) {
        let failure = DecodingFailure(type, from: bytes, head: HTTPResponse(status: .ok), cause: cause)
        let shown = failure.preview.bytes.isEmpty ? "there is no data" : "it begins: \(failure.preview)"
        self.init(
            .undecodable(
                type: failure.expectedType,
                codingPath: failure.codingPath,
                detail: "\(failure.detail); \(shown)"
            )
        )
    }

    /// Returns the same error with details of the stream.
    func with(failures: Int, exchange: ExchangeSnapshot?) -> EventStreamError {
        EventStreamError(problem, failures: failures, exchange: exchange, underlyingError: underlyingError)
    }

    package var explanation: Explanation {
        switch problem {
        case .status(let status) where StatusSet.redirection.contains(status.code):
            Explanation(
                "the server responded with \(status.label) instead of the stream",
                "add a RedirectMiddleware to the chain, or request the URL that it names"
            )
        case .status(let status): Explanation("the server responded with \(status.label) instead of the stream")
        case .contentType(let found, let expected):
            Explanation(
                "the response is \(found ?? "of no media type") and not \(expected)",
                "check the address, and name the format with options.format"
            )
        case .lineTooLong(let limit):
            Explanation("a line of the stream is longer than the limit of \(limit)", "raise options.limits")
        case .eventTooLarge(let limit):
            Explanation(
                "an event is larger than the limit of \(limit)",
                "raise options.limits.event, or read the body with eventParts(), which does not buffer events"
            )
        case .notASequence:
            Explanation("the body is not a JSON text sequence: it does not begin with a record separator")
        case .silent(let limit):
            Explanation(
                "the server sent nothing for \(limit.label)",
                "raise options.watchdog if the server is silent for longer, or have it send comments"
            )
        case .ended: Explanation("the server ended the stream before it was complete")
        case .notReplayable:
            Explanation(
                "the stream cannot be opened again, because the request's body can be read only once",
                "use a body of bytes, a file or a factory"
            )
        case .alreadyRead: Explanation("the stream has already been read", "get another one with events(_:)")
        case .undecodable(let type, let path, let detail):
            Explanation("an event is not a value of type \(type)\(path.isEmpty ? "" : " at \(path)"): \(detail)")
        }
    }
}
