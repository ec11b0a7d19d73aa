import HTTPChainCore
import HTTPChainLogShipper
import HTTPChainMetrics
import HTTPChainRemoteLogging
import HTTPChainTraceShipping
import HTTPChainTracing

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
            try scenario("tracing.off", [TracingMiddleware(tracer: ShippingTracer(Nowhere()))], .off),
            try scenario("tracing.sampledout", [TracingMiddleware(tracer: ShippingTracer(Nowhere(), sampler: .never))]),
            try scenario("tracing.recorded", [TracingMiddleware(tracer: ShippingTracer(Nowhere()))]),
        ]
    }

    private static func scenario(
        _ name: String,
        _ stages: [any Middleware],
        _ tracing: CallTracing? = nil
    ) throws -> Scenario {
        let chain = try Chain(stages, transport: CannedTransport())
        var template = ChainScenarios.request()
        if let tracing { template = template.tracing(tracing) }
        return Scenario(name: "telemetry.\(name)") { [template] count in
            for _ in 0..<count {
                _ = try await chain.send(template)
            }
        }
    }
}

/// Takes everything and keeps nothing.
private struct Nowhere: LogSink {
    func log(_ record: consuming LogRecord) {}
}
