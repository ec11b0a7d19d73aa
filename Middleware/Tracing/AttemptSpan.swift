#if Tracing
import Foundation
import HTTPChainCore
import HTTPTypes
import Tracing

/// The span of a single attempt.
///
/// It records the outcome, and is ended once.
final class AttemptSpan: Sendable {
    private let span: any Span
    private let clock: SpanClock
    private let redaction: Redaction
    private let protocolName = Locked<String?>(nil)

    init(_ span: any Span, clock: SpanClock, redaction: Redaction) {
        self.span = span
        self.clock = clock
        self.redaction = redaction
    }

    /// Adds events of outer stages that preceded the attempt.
    func add(_ events: [StageEvent]) {
        for event in events {
            var attributes: SpanAttributes = [:]
            for (name, value) in event.attributes {
                switch value {
                case .integer(let number): attributes.set(name, value: .int64(number))
                case .number(let number): attributes.set(name, value: .double(number))
                case .decimal(let number): attributes.set(name, value: .string("\(number)"))
                case .string(let text): attributes.set(name, value: .string(shown(text)))
                default: break
                }
            }
            span.addEvent(SpanEvent(name: event.name, at: clock.instant(of: event.time), attributes: attributes))
        }
    }

    private func shown(_ text: String) -> String { redaction.text(text, upTo: Redaction.longestShown) }

    /// Subscribes to the transport's report of the connection's protocol.
    func listen(to request: inout Request) {
        let listener = request.options[ConnectionReportNote.self]
        request.options[ConnectionReportNote.self] = { [protocolName] metrics in
            protocolName.withLock { $0 = metrics.protocolName }
            listener?(metrics)
        }
    }

    /// Records the head of the response.
    func answered(_ head: HTTPResponse, rules: SpanRules) {
        span.updateAttributes { $0.merge(rules.attributes(of: head, redaction: redaction)) }
        // The status says what is wrong. A description would only repeat it.
        if HTTPSemantics.isError(head.status.code) { span.setStatus(SpanStatus(code: .error)) }
    }

    /// Records the end of the response's body.
    func end(_ end: BodyEnd) {
        if case .failed(let error) = end { return fail(error) }
        finish()
    }

    /// Records the failure of the attempt or the response's body.
    func fail(_ error: any Error) {
        if let type = HTTPSemantics.errorType(of: error, isTimeUp: clock.isTimeUp) {
            let text = shown((error as? any HTTPChainError)?.reason ?? "\(error)")
            span.addEvent(
                SpanEvent(
                    name: "exception",
                    at: clock.now,
                    attributes: [
                        "exception.type": .string(String(reflecting: Swift.type(of: error))),
                        "exception.message": .string(text),
                    ]
                )
            )
            span.updateAttributes { $0.set("error.type", value: .string(type)) }
            span.setStatus(SpanStatus(code: .error, message: text))
        }
        finish()
    }

    private func finish() {
        if let version = protocolName.withLock({ $0 }).flatMap(HTTPSemantics.protocolVersion) {
            span.updateAttributes { $0.set("network.protocol.version", value: .string(version)) }
        }
        span.end(at: clock.now)
    }
}

/// The clock of a span: the date of the span's start, and a monotonic clock from then on.
struct SpanClock: Sendable {
    private let time: any TimeSource
    private let beginning: Duration
    private let bound: TimeBound
    /// The start time of the span.
    let start: DefaultTracerClock.Timestamp

    init(_ options: RequestOptions) {
        time = options.environment.time
        beginning = time.elapsed
        bound = TimeBound(options, start: beginning)
        let nanoseconds = time.date.timeIntervalSince1970 * 1e9
        start = DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: UInt64(exactly: nanoseconds.rounded()) ?? 0)
    }

    /// Whether the time limit of the attempt has passed.
    var isTimeUp: Bool { bound.hasPassed(at: time.elapsed) }

    /// Converts a time of the environment's clock to a date.
    func instant(of elapsed: Duration) -> DefaultTracerClock.Timestamp {
        let passed = (elapsed - beginning).components
        let nanoseconds = passed.seconds &* 1_000_000_000 &+ passed.attoseconds / 1_000_000_000
        return DefaultTracerClock.Timestamp(
            nanosecondsSinceEpoch: start.nanosecondsSinceEpoch &+ UInt64(bitPattern: nanoseconds)
        )
    }

    var now: DefaultTracerClock.Timestamp { instant(of: max(beginning, time.elapsed)) }
}
#endif
