import HTTPChainCore
import HTTPChainLogShipper
import HTTPChainMetrics
import HTTPChainRemoteLogging
import HTTPChainTraceShipping
import HTTPChainTracing
import HTTPTypes
import Instrumentation

/// What metrics and traces add to a call; the numbers go nowhere, as with a backend that costs nothing.
public enum TelemetryScenarios {
    /// The chain without them.
    public static let baseline = "telemetry.none"

    /// The baseline, and each stage over it.
    public static func all() throws -> [Scenario] {
        [
            try scenario("none", []),
            try scenario("metrics.attempts", [MetricsMiddleware()]),
            try scenario("metrics.calls", [MetricsMiddleware(each: .call)]),
            // No tracer, and no trace to pass on.
            try scenario("tracing.idle", [TracingMiddleware()]),
            // What any tracer must do that tells a server of a trace: set a field.
            try scenario("field", HTTPField.Name("traceparent").map { [HeaderStage($0, unsampled)] } ?? []),
            try scenario("tracing.off", [TracingMiddleware(tracer: ShippingTracer(Nowhere()))], isTraced: false),
            try scenario(
                "tracing.sampledout",
                [TracingMiddleware(tracer: ShippingTracer(Nowhere(), sampler: .ratio(0)))]
            ),
            try scenario(
                "tracing.unsampled",
                [TracingMiddleware(tracer: ShippingTracer(Nowhere()))],
                parent: unsampled
            ),
            try scenario("tracing.recorded", [TracingMiddleware(tracer: ShippingTracer(Nowhere()))]),
        ]
    }

    /// The field of a caller that does not record its trace.
    private static let unsampled = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"

    private static func scenario(
        _ name: String,
        _ stages: [any Middleware],
        isTraced: Bool = true,
        parent: String? = nil
    ) throws -> Scenario {
        let chain = try Chain(stages, transport: CannedTransport())
        var template = ChainScenarios.request()
        if !isTraced { template = template.tracing(false) }
        var context: InstrumentationContext?
        if let trace = parent.flatMap({ TraceContext(traceparent: $0) }) {
            context = .topLevel
            context?.traceContext = trace
        }
        return Scenario(name: "telemetry.\(name)") { [template, context] count in
            try await InstrumentationContext.withValue(context) {
                for _ in 0..<count {
                    _ = try await chain.send(template)
                }
            }
        }
    }
}

/// Takes everything and keeps nothing.
private struct Nowhere: LogSink {
    func log(_ record: consuming LogRecord) {}
}
