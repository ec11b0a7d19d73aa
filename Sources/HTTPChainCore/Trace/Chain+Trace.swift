import HTTPTypes

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
    /// - Returns: The response or error that ``send(_:)`` would have returned or thrown, and the trace, which is also
    ///   available if the call fails.
    public func trace(_ request: consuming Request) async -> TracedCall {
        fillEnvironment(of: &request)
        // A nested trace numbers its spans separately, so the number of an outer span is meaningless in it.
        request.options.remove(TraceParentNote.self)
        let time = request.environment.time
        let recorder = TraceRecorder(stages: tracedStages(request.options), time: time)
        var links: [any Middleware] = []
        for (position, stage) in stages.enumerated() {
            links += [TraceProbe(position: position, recorder: recorder), stage]
        }
        links.append(TraceProbe(position: stages.count, recorder: recorder))
        let redaction = request.redaction
        let label = "\(request.head.method) \(redaction.url(request.url))"
        let result: Result<Response, any Error>
        let outcome: Trace.Outcome
        do {
            let response = try await with(links, order: .unchecked).send(request)
            result = .success(response)
            outcome = .response(response.status)
        } catch {
            result = .failure(error)
            outcome = .failure(error, redaction)
        }
        return TracedCall(result: result, trace: recorder.trace(of: label, ending: outcome, redaction: redaction))
    }

    private func tracedStages(_ options: RequestOptions) -> [TracedStage] {
        stages.map { stage in
            TracedStage(
                stage.summary.name,
                phase: stage.phase == .anywhere ? "" : stage.phase.name,
                optionsRead: options.expressions(readBy: stage.optionsRead)
            )
        } + [TracedStage(transport.name, phase: "", optionsRead: options.expressions(readBy: transport.optionsRead))]
    }
}
