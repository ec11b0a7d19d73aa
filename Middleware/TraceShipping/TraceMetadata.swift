#if Tracing
import HTTPChainTracing
public import Logging
import Tracing

extension Logger.MetadataProvider {
    /// Says to which trace and span a line of a log belongs: `trace_id`, `span_id` and `trace_flags`, by the context of
    /// the task.
    ///
    /// ```swift
    /// LoggingSystem.bootstrap(
    ///     { label, provider in RemoteLogHandler(label: label, sink: shipper, metadataProvider: provider) },
    ///     metadataProvider: .traces
    /// )
    /// ```
    ///
    /// It knows the traces of a ``ShippingTracer`` and of a ``/HTTPChainTracing/W3CPropagator``.
    public static var traces: Logger.MetadataProvider {
        Logger.MetadataProvider {
            guard let trace = InstrumentationContext.current?.traceContext else { return [:] }
            return [
                "trace_id": .string(trace.traceID), "span_id": .string(trace.spanID),
                "trace_flags": .string(String(trace.traceparent.unicodeScalars.suffix(2))),
            ]
        }
    }
}
#endif
