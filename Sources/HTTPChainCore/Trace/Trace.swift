public import HTTPTypes

/// The record of one request's way through a chain: what each stage changed, what it answered, and how long it took.
///
/// Times run until the head of the response; the body is left to its reader. Secrets are redacted.
public struct Trace: Sendable, CustomStringConvertible {
    /// One passage through a stage, or through the transport.
    public struct Span: Sendable, Hashable {
        /// The place of the span in ``Trace/spans``.
        public let id: Int
        /// The span of the stage that called this one; `nil` for the outermost.
        public let parent: Int?
        /// The number of spans that this one lies within.
        public let depth: Int
        /// The stage's or the transport's name.
        public let name: String
        /// The stage's phase; `nil` for the transport and for stages that may stand anywhere.
        public let phase: Phase
        /// The time at which the span began, since the trace did.
        public let start: Duration
        /// The time that it took, with all that lies within it.
        public let duration: Duration
        /// The part of ``duration`` that no span within it accounts for.
        public let ownTime: Duration
        /// The changes that the stage made before it called `next`, for each time it did.
        public let requestChanges: [[MessageChange]]
        /// The changes that the stage made to the last response it got from `next`; the whole response, when it
        /// answered by itself.
        public let responseChanges: [MessageChange]
        /// The remarks of the stage on its decisions, redacted: ``Request/traceNotes``.
        public let notes: [String]
        /// The outcome of the span.
        public let outcome: Outcome
    }

    /// The outcome of a span.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Outcome: Sendable, Hashable, CustomStringConvertible {
        /// With a response.
        case response(HTTPResponse.Status)
        /// With an error, described.
        case failure(String)
        /// Not before the trace did: the stage went on without waiting for it.
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

    /// Method and URL of the request as it was given to the chain.
    public let request: String
    /// The spans in the order they began; the first is the outermost stage.
    public let spans: [Span]
    /// The outcome of the call.
    public let outcome: Outcome
    /// The time that the call took, until the head of the response or the error.
    public let duration: Duration
}

/// A call that was traced: its result, and what happened on the way.
public struct TracedCall: Sendable {
    /// The response that the chain returned, or the error that it threw.
    public let result: Result<Response, any Error>
    /// The record of the call's way through the chain.
    public let trace: Trace

    /// The response, or the error the chain threw.
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
    /// For looking, not for production: every passage between two stages is noted down.
    ///
    /// - Returns: The response or error as ``send(_:)`` would have given it, and the trace; a failed call has one too.
    public func trace(_ request: consuming Request) async -> TracedCall {
        fillEnvironment(of: &request)
        // A trace inside another has spans of its own: the number of one outside means nothing in it.
        request.options.remove(TraceParent.self)
        let time = request.environment.time
        let recorder = TraceRecorder(stages: stages, transportName: transport.name, time: time)
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
