#if AllTests && Tracing
import HTTPChainCore
import HTTPChainTesting
import HTTPChainTracing
import InMemoryTracing
import Tracing

let url = "https://api.example.com/plants"

extension FinishedInMemorySpan {
    /// The attributes in words.
    var texts: [String: String] {
        var texts: [String: String] = [:]
        attributes.forEach { name, value in
            switch value {
            case .string(let text): texts[name] = text
            case .int64(let number): texts[name] = String(number)
            case .stringArray(let list): texts[name] = list.joined(separator: "|")
            default: texts[name] = "\(value)"
            }
        }
        return texts
    }

    var duration: Duration {
        .nanoseconds(Int64(endInstant.nanosecondsSinceEpoch - startInstant.nanosecondsSinceEpoch))
    }
}

/// A tracer whose sampler has decided against every trace.
final class SampledOutTracer: Tracer {
    struct Span: Tracing.Span {
        let context: InstrumentationContext
        let writes: Locked<Int>
        let ends: Locked<Int>
        var isRecording: Bool { false }
        var operationName: String {
            get { "" }
            nonmutating set { writes.withLock { $0 += 1 } }
        }
        var attributes: SpanAttributes {
            get { [:] }
            nonmutating set { writes.withLock { $0 += 1 } }
        }
        func setStatus(_ status: SpanStatus) { writes.withLock { $0 += 1 } }
        func addEvent(_ event: SpanEvent) { writes.withLock { $0 += 1 } }
        func addLink(_ link: SpanLink) { writes.withLock { $0 += 1 } }
        func recordError<Instant: TracerInstant>(
            _ error: any Error,
            attributes: SpanAttributes,
            at instant: @autoclosure () -> Instant
        ) { writes.withLock { $0 += 1 } }
        func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) { ends.withLock { $0 += 1 } }
    }

    let writes = Locked(0)
    let ends = Locked(0)

    func startSpan<Instant: TracerInstant>(
        _ operationName: String,
        context: @autoclosure () -> InstrumentationContext,
        ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant,
        function: String,
        file fileID: String,
        line: UInt
    ) -> Span {
        Span(context: context(), writes: writes, ends: ends)
    }

    func forceFlush() {}

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier,
        into context: inout InstrumentationContext,
        using extractor: Extract
    ) where Extract.Carrier == Carrier {}

    func inject<Carrier, Inject: Injector>(
        _ context: InstrumentationContext,
        into carrier: inout Carrier,
        using injector: Inject
    ) where Inject.Carrier == Carrier {
        injector.inject(
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00",
            forKey: "traceparent",
            into: &carrier
        )
    }
}
#endif
