import Foundation
public import HTTPChainCore
import HTTPChainSupport
import HTTPTypes
public import Metrics

/// Measures each attempt or each call: duration, requests in flight, sizes, retries, redirects, and cache results.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     MetricsMiddleware(each: .call)
///     RetryMiddleware()
///     MetricsMiddleware()
/// }
/// ```
///
/// **Metrics.** The module's page lists them, and ``buckets`` has the bounds of histograms. Those of attempts are
/// OpenTelemetry's for HTTP clients, with `http.client.request.duration` in seconds. Those of calls are this package's
/// own: the time that the caller waits, the number of retries and redirects, and the cache results.
///
/// **Time.** Durations and sizes are recorded when the response's body has been read, has broken, or was dropped. A
/// size is the number of bytes transferred until then.
///
/// **Attributes.** `http.request.method`, `server.address`, `server.port`, `http.response.status_code`, and
/// `error.type`; more can be enabled (``MetricsDetails``). Statuses of 400 and above and thrown errors are errors.
/// Cancelled calls and unread bodies aren't, and have no `error.type`.
///
/// **Number of series.** Unknown methods are recorded as `_OTHER`, as are servers, templates and outcomes beyond
/// ``MetricsLimits``. All series of a metric have the same attribute names, as Prometheus requires. Attributes that
/// don't apply are empty, which Prometheus treats as missing labels.
///
/// **Cost.** Instruments are created once for each series and kept. If its series is known and its bodies are in
/// memory, a call allocates nothing, except a record of the call if calls are measured or templates recorded.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/call`` for calls and ``/HTTPChainCore/Phase/wire`` for attempts, the
/// default.
///
/// **Options.** ``/HTTPChainCore/Request/urlTemplate(_:)``.
///
/// **Errors.** Rethrows errors of the inner stages.
public struct MetricsMiddleware: BuiltInStage, CallRecordingMiddleware {
    private let unit: MetricsUnit
    private let tellsTemplate: Bool
    private let tellsVersion: Bool
    private let table: MetricsTable

    /// The upper bounds of the buckets of each histogram, by the name of the metric, for backends that must be
    /// configured beforehand.
    ///
    /// Durations are in seconds, with the bounds that OpenTelemetry recommends; sizes are in bytes, in powers of four
    /// from 64 bytes to 1 GiB.
    public static var buckets: [String: [Double]] {
        var buckets: [String: [Double]] = [:]
        for metric in HTTPMetrics.ofAttempts + HTTPMetrics.ofCalls where metric.instrument == .histogram {
            buckets[metric.name] = metric.boundaries
        }
        return buckets
    }

    /// Makes the stage.
    ///
    /// - Parameters:
    ///   - unit: Whether attempts or calls are measured; attempts by default.
    ///   - factory: The factory of the instruments. `nil`, the default, means the program's bootstrapped factory at the
    ///     time of the first request.
    ///   - details: The additional attributes; none by default.
    ///   - limits: The limits on the number of series.
    ///   - knownMethods: The methods recorded by name; others are `_OTHER`. `nil`, the default, means those of RFC
    ///     9110, PATCH and QUERY, or those of the environment variable `OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS`.
    public init(
        each unit: MetricsUnit = .attempt,
        factory: (any MetricsFactory)? = nil,
        telling details: Set<MetricsDetails> = [],
        limits: MetricsLimits = MetricsLimits(),
        knownMethods: Set<String>? = nil
    ) {
        self.unit = unit
        tellsTemplate = details.contains(.urlTemplate)
        tellsVersion = details.contains(.protocolVersion)
        table = MetricsTable(
            unit: unit,
            factory: factory,
            details: details,
            limits: limits,
            knownMethods: knownMethods ?? HTTPSemantics.knownMethods()
        )
    }

    /// ``/HTTPChainCore/Phase/call`` for calls, ``/HTTPChainCore/Phase/wire`` for attempts.
    package var stagePhase: Phase { unit == .call ? .call : .wire }

    /// The name, purpose and settings of the stage.
    package var stageSummary: StageSummary {
        StageSummary(
            "MetricsMiddleware",
            purpose: "measures exchanges",
            settings: ["measures": unit == .call ? "each call" : "each attempt", "limits": "\(table.limits.text)"]
        )
    }

    /// Reports a second stage that measures the same unit, because everything would be counted twice.
    package func stageProblems(at place: ChainPlace) -> [ChainProblem] {
        let isTwice = (place.inside + place.nested).contains { ($0 as? MetricsMiddleware)?.unit == unit }
        guard isTwice else { return [] }
        let what = unit == .call ? "call" : "attempt"
        return [
            ChainProblem(
                stage: "MetricsMiddleware",
                problem: "two MetricsMiddleware measure each \(what)",
                fix: "remove the outer one",
                severity: .warning
            )
        ]
    }

    /// Whether templates of attempts are recorded.
    ///
    /// Only the URL builder has them.
    package var recordsCalls: Bool { unit == .attempt && tellsTemplate }

    package func wantsRecord(of request: borrowing Request) -> Bool { recordsCalls }

    /// Passes the request on and measures it.
    ///
    /// - Throws: Errors from the inner stages.
    public nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        switch unit {
        case .attempt: try await measureAttempt(request, next)
        case .call: try await measureCall(request, next)
        }
    }

    private func measureAttempt(_ request: consuming Request, _ next: Next) async throws -> Response {
        let clock = Stopwatch(request.options)
        var template: String?
        if tellsTemplate { template = request.knownTemplate(in: request.callRecord) }
        let series = table.series(for: request.head, method: request.method.rawValue, template: template)
        series.begin()
        let sent = MeteredSize(&request)
        let report = tellsVersion ? ProtocolReport(&request, next) : nil
        do {
            var response = try await next(request)
            let answer = OutcomeKey(response.status.code)
            let toHead = clock.elapsed
            if let size = response.settledSize {
                series.end(answer.over(report?.version), toHead, sent: sent.value, received: size, toHead: toHead)
                return response
            }
            response.meterBody { size, end in
                let outcome = answer.ended(end, isTimeUp: clock.isTimeUp).over(report?.version)
                series.end(outcome, clock.elapsed, sent: sent.value, received: size, toHead: toHead)
            }
            return response
        } catch {
            let outcome = OutcomeKey(throwing: error, isTimeUp: clock.isTimeUp).over(report?.version)
            series.end(outcome, clock.elapsed, sent: sent.value)
            throw error
        }
    }

    private func measureCall(_ request: consuming Request, _ next: Next) async throws -> Response {
        let call = MeteredCall(
            clock: Stopwatch(request.options),
            table: table,
            method: request.method.rawValue,
            target: request.head.authority == nil ? nil : request.head.withoutFields,
            template: request.options[URLTemplateNote.self],
            tellsTemplate: tellsTemplate,
            record: request.recordCall(),
            sent: MeteredSize(&request)
        )
        call.begin()
        do {
            var response = try await next(request)
            let answer = OutcomeKey(response.status.code)
            let cache = CacheResult(response.headers)
            if let size = response.settledSize {
                call.end(answer, received: size, cache: cache)
                return response
            }
            response.meterBody { size, end in
                call.end(answer.ended(end, isTimeUp: call.clock.isTimeUp), received: size, cache: cache)
            }
            return response
        } catch {
            call.end(OutcomeKey(throwing: error, isTimeUp: call.clock.isTimeUp))
            throw error
        }
    }
}
