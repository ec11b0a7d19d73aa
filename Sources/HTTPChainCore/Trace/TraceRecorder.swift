/// A probe between two stages of a traced chain that records requests and responses.
struct TraceProbe: DeadlineKeepingMiddleware {
    let position: Int
    let recorder: TraceRecorder

    func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        let span = recorder.begin(
            position: position,
            parent: request.options[TraceParent.self],
            request: RequestState(request)
        )
        request.options[TraceParent.self] = TraceSpan(id: span, recorder: recorder)
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
            recorder.end(span, with: .failure(TraceRecorder.oneLine(error, redaction)), response: nil)
            throw error
        }
    }
}

/// The current span of a request, so that nested spans find their parent even if a stage sends several requests at
/// once.
enum TraceParent: RequestNote {
    static var defaultValue: TraceSpan? { nil }
    static var affectsResponse: Bool { false }
}

/// Collects the spans of a traced call.
final class TraceRecorder: Sendable {
    private struct Entry: Sendable {
        let position: Int
        let parent: Int?
        let start: Duration
        let request: RequestState
        var end: Duration?
        var outcome = Trace.Outcome.abandoned
        var response: ResponseState?
        var notes: [String] = []
    }

    private let names: [(name: String, phase: Phase)]
    /// The options of the request that each stage and the transport read, as a caller writes them.
    private let reads: [[String]]
    private let time: any TimeSource
    private let origin: Duration
    private let entries = Locked<[Entry]>([])

    init(stages: [any Middleware], transport: any Transport, options: RequestOptions, time: any TimeSource) {
        names = stages.map { ($0.summary.name, $0.phase) } + [(transport.name, .anywhere)]
        reads =
            stages.map { options.expressions(readBy: $0.optionsRead) } + [
                options.expressions(readBy: transport.optionsRead)
            ]
        self.time = time
        origin = time.elapsed
    }

    func begin(position: Int, parent: TraceSpan?, request: RequestState) -> Int {
        let start = time.elapsed - origin
        return entries.withLock { entries in
            // The option is missing if a stage sends a newly made request, and its span is meaningless if the request
            // comes from another trace. In both cases the parent is the open span outside.
            let parent =
                parent.flatMap { $0.recorder === self ? $0.id : nil }
                ?? entries.lastIndex { $0.position == position - 1 && $0.end == nil }
            entries.append(Entry(position: position, parent: parent, start: start, request: request))
            return entries.count - 1
        }
    }

    func end(_ span: Int, with outcome: Trace.Outcome, response: ResponseState?) {
        let end = time.elapsed - origin
        entries.withLock { entries in
            entries[span].end = end
            entries[span].outcome = outcome
            entries[span].response = response
        }
    }

    func add(_ note: String, to span: Int) {
        entries.withLock { $0[span].notes.append(note) }
    }

    func trace(of request: String, ending result: Result<Response, any Error>, redaction: Redaction) -> Trace {
        let duration = time.elapsed - origin
        let entries = entries.withLock { $0 }
        var spans: [Trace.Span] = []
        for (id, entry) in entries.enumerated() {
            let calls = entries.filter { $0.parent == id }
            let took = (entry.end ?? duration) - entry.start
            let inside = Self.union(calls.map { ($0.start, $0.end ?? duration) })
            let answer = calls.last { $0.response != nil }?.response
            let (name, phase) = names[entry.position]
            spans.append(
                Trace.Span(
                    id: id,
                    parent: entry.parent,
                    depth: entry.parent.map { spans[$0].depth + 1 } ?? 0,
                    name: name,
                    phase: phase,
                    start: entry.start,
                    duration: took,
                    ownTime: max(.zero, took - inside),
                    requestChanges: calls.map { entry.request.changes(to: $0.request) },
                    responseChanges: entry.response?.changes(from: answer) ?? [],
                    notes: entry.notes.map { Self.oneLine($0, redaction) },
                    optionsRead: reads[entry.position],
                    outcome: entry.outcome
                )
            )
        }
        let outcome: Trace.Outcome =
            switch result {
            case .success(let response): .response(response.status)
            case .failure(let error): .failure(Self.oneLine(error, redaction))
            }
        return Trace(request: request, spans: spans, outcome: outcome, duration: duration)
    }

    static func oneLine(_ error: any Error, _ redaction: Redaction) -> String {
        let text = (error as? any HTTPChainError).map { "\($0.stage): \($0.reason)" } ?? "\(error)"
        return oneLine(text, redaction)
    }

    private static func oneLine(_ text: String, _ redaction: Redaction) -> String {
        redaction.text(text, upTo: Redaction.longestShown).onOneLine().printable()
    }

    /// Returns the total time covered by the union of the intervals, which must be sorted by start.
    private static func union(_ intervals: [(start: Duration, end: Duration)]) -> Duration {
        var total = Duration.zero
        var reached = Duration.zero
        for (start, end) in intervals where end > reached {
            total += end - max(start, reached)
            reached = end
        }
        return total
    }
}
