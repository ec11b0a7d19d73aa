import HTTPChainValues
public import HTTPTypes

/// A record of a request's path through a chain, with the changes, the response and the duration of each stage.
///
/// Durations end at the head of the response; reading the body isn't included. Secrets are redacted.
public struct Trace: Sendable, CustomStringConvertible {
    /// A call of a stage, or of the transport.
    public struct Span: Sendable, Hashable {
        /// The index of the span in ``Trace/spans``.
        package let id: Int
        /// The span of the stage that called this one; `nil` for the outermost.
        package let parent: Int?
        /// The number of enclosing spans.
        package let depth: Int
        /// The name of the stage or transport.
        public let name: String
        /// The name of the stage's phase; empty for the transport and for stages without a particular place.
        package let phase: String
        /// The start of the span, relative to the start of the trace.
        package let start: Duration
        /// The duration of the span, including the spans within it.
        public let duration: Duration
        /// The part of ``duration`` outside the spans within it.
        package let ownTime: Duration
        /// The changes that the stage made before each call of `next`.
        package let requestChanges: [[MessageChange]]
        /// The changes that the stage made to the last response from `next`.
        ///
        /// If the stage responded itself, this is the whole response.
        package let responseChanges: [MessageChange]
        /// The stage's notes on its decisions, redacted; see ``Request/traceNotes``.
        public let notes: [String]
        /// The options of the call that the stage or the transport reads, as a caller writes them.
        package let optionsRead: [String]
        /// The outcome of the span.
        public let outcome: Outcome
    }

    /// The outcome of a span.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Outcome: Sendable, Hashable, CustomStringConvertible {
        /// The span ended with a response.
        case response(HTTPResponse.Status)
        /// The span ended with an error, given by its description.
        case failure(String)
        /// The span hadn't ended when the trace ended, because the stage didn't wait for it.
        case abandoned

        /// The status, or the error.
        public var description: String {
            switch self {
            case .response(let status): status.label
            case .failure(let text): text
            case .abandoned: "still running"
            }
        }
    }

    /// The method and URL of the request passed to the chain.
    package let request: String
    /// The spans in order of their start; the first is the outermost stage.
    public let spans: [Span]
    /// The outcome of the call.
    public let outcome: Outcome
    /// The duration of the call, until the head of the response or the error.
    public let duration: Duration
}
