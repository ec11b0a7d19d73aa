#if Tracing
import HTTPChainTracing
public import Logging
import Tracing

extension Logger.MetadataProvider {
    /// Adds the task's trace and span to log lines: `trace_id`, `span_id` and `trace_flags`.
    ///
    /// ```swift
    /// LoggingSystem.bootstrap(
    ///     { label, provider in RemoteLogHandler(label: label, sink: shipper, metadataProvider: provider) },
    ///     metadataProvider: .traces
    /// )
    /// ```
    ///
    /// It supports the traces of a ``ShippingTracer`` and a ``/HTTPChainTracing/W3CPropagator``.
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
