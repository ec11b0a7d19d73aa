/// A probe between two stages of a traced chain that records requests and responses.
struct TraceProbe: DeadlineKeepingMiddleware {
    let position: Int
    let recorder: TraceRecorder

    nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        let span = recorder.begin(
            position: position,
            parent: request.options[TraceParentNote.self],
            request: RequestState(request)
        )
        request.options[TraceParentNote.self] = TraceSpan(id: span, recorder: recorder)
        let redaction = request.redaction
        do {
            let response = try await next(request)
            recorder.end(
                span,
                with: .response(response.status),
                response: ResponseState(response, redaction: redaction)
            )
            return response
        } catch {
            recorder.end(span, with: .failure(error, redaction), response: nil)
            throw error
        }
    }
}

/// The current span of a request, so that nested spans find their parent even if a stage sends several requests at
/// once.
enum TraceParentNote: RequestNote {
    static var defaultValue: TraceSpan? { nil }
    static var affectsResponse: Bool { false }
}

extension RequestState {
    fileprivate init(_ request: borrowing Request) {
        self.init(
            request.head,
            body: "\(request.body)",
            options: request.options.names.filter { $0 != "\(TraceParentNote.self)" },
            redaction: request.redaction
        )
    }
}

extension ResponseState {
    fileprivate init(_ response: borrowing Response, redaction: Redaction) {
        self.init(
            response.head,
            body: "\(response.body)",
            options: response.options.names.filter { $0 != "\(SentRequestFact.self)" && $0 != "\(RedactionFact.self)" },
            redaction: redaction
        )
    }
}

extension Trace.Outcome {
    /// The outcome of a span that ended with an error.
    static func failure(_ error: any Error, _ redaction: Redaction) -> Self {
        let text = (error as? any HTTPChainError).map { "\($0.stage): \($0.reason)" } ?? "\(error)"
        return .failure(TraceRecorder.oneLine(text, redaction))
    }
}
