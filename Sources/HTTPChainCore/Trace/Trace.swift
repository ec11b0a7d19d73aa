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
        /// The stage's phase; ``Phase/anywhere`` for the transport and for stages without a particular place.
        package let phase: Phase
        /// The start of the span, relative to the start of the trace.
        package let start: Duration
        /// The duration of the span, including the spans within it.
        public let duration: Duration
        /// The part of ``duration`` outside the spans within it.
        package let ownTime: Duration
        /// The changes that the stage made before each call of `next`.
        package let requestChanges: [[MessageChange]]
        /// The changes that the stage made to the last response from `next`; the whole response if the stage responded
        /// itself.
        package let responseChanges: [MessageChange]
        /// The stage's notes on its decisions, redacted; see ``Request/traceNotes``.
        public let notes: [String]
        /// The options of the call that the stage or the transport reads, as a caller writes them.
        package internal(set) var optionsRead: [String] = []
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
        /// The span hadn't ended when the trace did: the stage didn't wait for it.
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

/// The result of a traced call, and its trace.
public struct TracedCall: Sendable {
    /// The response that the chain returned, or the error that it threw.
    public let result: Result<Response, any Error>
    /// The trace of the call.
    public let trace: Trace

    /// The response; throws the chain's error if it failed.
    public var response: Response {
        get throws { try result.get() }
    }
}

extension TracedCall: CustomStringConvertible {
    /// The trace as a table.
    public var description: String { trace.description }
}

extension Chain {
    /// Sends a request and records what each stage does to it.
    ///
    /// Use this for debugging, not in production, because everything passed between stages is recorded.
    ///
    /// - Returns: The response or error that ``send(_:)`` would have returned or thrown, and the trace, which failed
    ///   calls have too.
    public func trace(_ request: consuming Request) async -> TracedCall {
        fillEnvironment(of: &request)
        // A nested trace has separate spans, in which an outer span's number has no meaning.
        request.options.remove(TraceParent.self)
        let time = request.environment.time
        let recorder = TraceRecorder(stages: stages, transport: transport, options: request.options, time: time)
        var links: [any Middleware] = []
        for (position, stage) in stages.enumerated() {
            links += [TraceProbe(position: position, recorder: recorder), stage]
        }
        links.append(TraceProbe(position: stages.count, recorder: recorder))
        let redaction = request.redaction
        let label = "\(request.head.method) \(redaction.url(request.url))"
        let result: Result<Response, any Error>
        do {
            result = .success(try await with(links, order: .unchecked).send(request))
        } catch {
            result = .failure(error)
        }
        return TracedCall(result: result, trace: recorder.trace(of: label, ending: result, redaction: redaction))
    }
}
