package import HTTPChainRedaction
import HTTPChainSupport
package import HTTPChainTime

/// Collects the spans of a traced call.
package final class TraceRecorder: Sendable {
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

    private let stages: [TracedStage]
    private let time: any TimeSource
    private let origin: Duration
    private let entries = Locked<[Entry]>([])

    /// - Parameters:
    ///   - stages: The stages, outermost first, and the transport.
    ///   - time: The clock of the call.
    package init(stages: [TracedStage], time: any TimeSource) {
        self.stages = stages
        self.time = time
        origin = time.elapsed
    }

    package func begin(position: Int, parent: TraceSpan?, request: RequestState) -> Int {
        let start = time.elapsed - origin
        return entries.withLock { entries in
            // The option is missing if a stage sends a newly made request, and its span is meaningless if the request
            // comes from another trace. In both cases, the parent is the open span of the stage outside.
            let parent =
                parent.flatMap { $0.recorder === self ? $0.id : nil }
                ?? entries.lastIndex { $0.position == position - 1 && $0.end == nil }
            entries.append(Entry(position: position, parent: parent, start: start, request: request))
            return entries.count - 1
        }
    }

    package func end(_ span: Int, with outcome: Trace.Outcome, response: ResponseState?) {
        let end = time.elapsed - origin
        entries.withLock { entries in
            entries[span].end = end
            entries[span].outcome = outcome
            entries[span].response = response
        }
    }

    package func add(_ note: String, to span: Int) {
        entries.withLock { $0[span].notes.append(note) }
    }

    package func trace(of request: String, ending outcome: Trace.Outcome, redaction: Redaction) -> Trace {
        let duration = time.elapsed - origin
        let entries = entries.withLock { $0 }
        var spans: [Trace.Span] = []
        for (id, entry) in entries.enumerated() {
            let calls = entries.filter { $0.parent == id }
            let took = (entry.end ?? duration) - entry.start
            let inside = Self.union(calls.map { ($0.start, $0.end ?? duration) })
            let answer = calls.last { $0.response != nil }?.response
            let stage = stages[entry.position]
            spans.append(
                Trace.Span(
                    id: id,
                    parent: entry.parent,
                    depth: entry.parent.map { spans[$0].depth + 1 } ?? 0,
                    name: stage.name,
                    phase: stage.phase,
                    start: entry.start,
                    duration: took,
                    ownTime: max(.zero, took - inside),
                    requestChanges: calls.map { entry.request.changes(to: $0.request) },
                    responseChanges: entry.response?.changes(from: answer) ?? [],
                    notes: entry.notes.map { Self.oneLine($0, redaction) },
                    optionsRead: stage.optionsRead,
                    outcome: entry.outcome
                )
            )
        }
        return Trace(request: request, spans: spans, outcome: outcome, duration: duration)
    }

    package static func oneLine(_ text: String, _ redaction: Redaction) -> String {
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

/// A stage, or the transport, of a traced chain.
package struct TracedStage: Sendable {
    fileprivate let name: String
    fileprivate let phase: String
    fileprivate let optionsRead: [String]

    /// - Parameters:
    ///   - name: The name of the stage or the transport.
    ///   - phase: The name of its phase; empty for the transport and for a stage without a particular place.
    ///   - optionsRead: The options of the request that it reads, as a caller writes them.
    package init(_ name: String, phase: String, optionsRead: [String]) {
        self.name = name
        self.phase = phase
        self.optionsRead = optionsRead
    }
}

/// A span of a trace.
package struct TraceSpan: Sendable {
    package let id: Int
    package let recorder: TraceRecorder

    package init(id: Int, recorder: TraceRecorder) {
        self.id = id
        self.recorder = recorder
    }
}
