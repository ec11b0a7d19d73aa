#if Tracing
public import HTTPChainCore
public import HTTPTypes
import Instrumentation
public import Tracing

/// Makes a span for each attempt to send a request, and sends the trace context to the server.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     URLBuilderMiddleware(base: "https://api.example.com/v2")
///     RetryMiddleware()
///     TracingMiddleware()
/// }
/// let user = try await chain.send(.get("users/{id}", path: ["id": 42]))  // the span "GET /v2/users/{id}"
/// ```
///
/// **Spans** follow OpenTelemetry's conventions for HTTP clients: kind client, one for each attempt, children of the
/// caller's span. The name is the method and the template of the URL, if known, and never the path.
/// `http.request.resend_count` increases each time a request is sent again: for a retry, a redirect, or the response to
/// a challenge. The span ends when the response's body has been read, has broken, or was dropped.
///
/// **Events.** The span also contains events of outer stages that preceded the attempt: the wait before a retry
/// (`httpchain.retry.backoff`), a redirect (`httpchain.redirect`), a token refresh (`httpchain.auth.refresh`), and the
/// cache's reason for contacting the server (`httpchain.cache.forward`).
///
/// **Errors.** For a client, statuses of 400 and above are errors, with the status as `error.type`. Otherwise
/// `error.type` is "timeout", the kind of a ``/HTTPChainCore/TransportError``, or the name of the error's type. A
/// cancelled call or a dropped body isn't an error, because it is the caller's intention.
///
/// **Secrets.** `url.full` is redacted by the chain's rules (``/HTTPChainCore/Redaction``) and is still a URL. Header
/// fields are recorded only if listed by name, and secret values never are.
///
/// **Propagation.** The tracer writes its fields (`traceparent`, `tracestate`, `baggage`, or those of its format) into
/// the request, for the servers that ``TracePropagation`` allows (by default, all). If the program hasn't bootstrapped
/// an instrument, a ``W3CPropagator`` passes on the caller's trace.
///
/// **Cost.** Without an instrument and without a trace to pass on, the request is passed on unchanged. A span that its
/// tracer doesn't record gets no attributes. With a tracer that decides beforehand, such as `ShippingTracer`, such a
/// span isn't created at all: only the trace context is sent to the server.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/wire``: inside all stages that retry. A transport that creates spans itself,
/// such as `AsyncHTTPClientTransport`, doesn't do so for requests that this stage traces
/// (``/HTTPChainCore/Request/isTracedByStage``) or whose tracing is disabled.
///
/// **Options.** ``HTTPChainCore/Request/tracing(_:childOf:)`` and
/// ``/HTTPChainCore/Request/urlTemplate(_:)``.
///
/// **Errors.** Rethrows errors of the inner stages.
public struct TracingMiddleware: BuiltInStage, CallRecordingMiddleware {
    private let tracer: (any Tracer)?
    /// The tracer, if it decides before creating a span.
    private let sampling: (any SamplingTracer)?
    private let propagation: TracePropagation
    private let propagator: W3CPropagator
    let rules: SpanRules

    /// Makes the stage.
    ///
    /// - Parameters:
    ///   - tracer: The tracer. `nil`, the default, means the one that is set for the task or that the program has
    ///     bootstrapped.
    ///   - propagation: The servers that receive the trace context; all by default.
    ///   - propagator: The propagator used if no instrument is bootstrapped.
    ///   - requestFields: The request's header fields that become attributes; none by default.
    ///   - responseFields: The response's header fields that become attributes; none by default.
    ///   - knownMethods: The methods recorded by name; others are `_OTHER`. `nil`, the default, means those of RFC
    ///     9110, PATCH and QUERY, or those of the environment variable `OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS`.
    public init(
        tracer: (any Tracer)? = nil,
        propagatingTo propagation: TracePropagation = .everywhere,
        with propagator: W3CPropagator = W3CPropagator(),
        requestFields: [HTTPField.Name] = [],
        responseFields: [HTTPField.Name] = [],
        knownMethods: Set<String>? = nil
    ) {
        self.tracer = tracer
        sampling = tracer as? any SamplingTracer
        self.propagation = propagation
        self.propagator = propagator
        rules = SpanRules(
            knownMethods: knownMethods ?? HTTPSemantics.knownMethods(),
            requestFields: requestFields,
            responseFields: responseFields
        )
    }

    /// ``/HTTPChainCore/Phase/wire``: next to the transport.
    package var stagePhase: Phase { .wire }

    /// The options that the stage reads.
    package var stageOptions: [any RequestOption.Type] { [TracingOption.self] }

    /// The name, purpose and settings of the stage.
    package var stageSummary: StageSummary {
        StageSummary(
            "TracingMiddleware",
            purpose: "makes spans of attempts",
            settings: [
                "tracer": tracer.map { StageSummary.name(of: type(of: $0)) } ?? "as bootstrapped",
                "propagates to": propagation.description,
            ]
        )
    }

    /// Reports a second tracing stage, which would make two spans for each attempt, and invalid origins in the
    /// propagation rule.
    package func stageProblems(at place: ChainPlace) -> [ChainProblem] {
        let invalid = propagation.invalid.map {
            ChainProblem(
                stage: "TracingMiddleware",
                problem: "TracingMiddleware propagates to \"\(Redaction.standard.url($0))\", which is not an origin",
                fix: "write scheme and host, such as \"https://api.example.com\""
            )
        }
        guard (place.inside + place.nested).contains(where: { $0 is TracingMiddleware }) else { return invalid }
        return invalid + [
            ChainProblem(
                stage: "TracingMiddleware",
                problem: "two TracingMiddleware make two spans of each attempt",
                fix: "remove the outer one"
            )
        ]
    }

    /// Always `true`, because an instrument may be bootstrapped at any time.
    package var recordsCalls: Bool { true }

    package func wantsRecord(of request: borrowing Request) -> Bool {
        guard Self.isTraced(request) else { return false }
        if let sampling { return sampling.mayRecord(childOf: Self.context(of: request)?.traceContext) }
        if tracer != nil { return true }
        let instrument = InstrumentationSystem.instrument
        if Self.isNothing(instrument) { return false }
        guard let sampling = instrument as? any SamplingTracer else { return true }
        return sampling.mayRecord(childOf: Self.context(of: request)?.traceContext)
    }

    /// Returns whether an instrument is the no-op one.
    ///
    /// Types are compared for speed, because this runs for each request.
    private static func isNothing(_ instrument: any Instrument) -> Bool {
        type(of: instrument) == NoOpInstrument.self || type(of: instrument) == NoOpTracer.self
    }

    private static let traced = PreparedOption(TracedByStageNote.self, true)

    /// Passes the request on within a separate span.
    ///
    /// - Throws: Errors from the inner stages.
    public nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        guard Self.isTraced(request) else {
            request.options.set(Self.traced)
            return try await next(request)
        }
        if let sampling { return try await trace(request, sampledBy: sampling, next) }
        if let tracer { return try await trace(request, with: tracer, next) }
        let instrument = InstrumentationSystem.instrument
        if Self.isNothing(instrument) {
            propagateAlone(&request)
            return try await next(request)
        }
        if let sampling = instrument as? any SamplingTracer {
            return try await trace(request, sampledBy: sampling, next)
        }
        let tracer = InstrumentationSystem.tracer
        guard tracer is NoOpTracer else { return try await trace(request, with: tracer, next) }
        // The bootstrapped instrument doesn't make spans, but propagates its context.
        request.options.set(Self.traced)
        if let context = Self.context(of: request), propagation.allows(request) {
            instrument.inject(context, into: &request.headers, using: FieldInjector())
        }
        return try await next(request)
    }

    /// Returns whether the call is traced.
    private static func isTraced(_ request: borrowing Request) -> Bool {
        !request.options.contains(TracingOption.self) || request.options[TracingOption.self].isOn
    }

    /// Returns the context set for the call, or otherwise the task's.
    private static func context(of request: borrowing Request) -> InstrumentationContext? {
        guard request.options.contains(TracingOption.self) else { return .current }
        return request.options[TracingOption.self].context ?? .current
    }

    /// Passes on the caller's trace if no instrument is bootstrapped.
    private func propagateAlone(_ request: inout Request) {
        let context = Self.context(of: request)
        guard propagator.hasSomething(in: context), propagation.allows(request) else { return }
        propagator.injectAttempt(context, into: &request.headers, random: request.environment.random)
    }

    /// Sends an attempt after the tracer has decided about its span.
    private func trace(
        _ request: consuming Request,
        sampledBy tracer: any SamplingTracer,
        _ next: Next
    ) async throws -> Response {
        request.options.set(Self.traced)
        let context = Self.context(of: request)
        switch tracer.sample(childOf: context?.traceContext) {
        case .dropped(let trace):
            if propagation.allows(request) {
                W3CPropagator.inject(trace, of: context, into: &request.headers)
            }
            return try await next(request)
        case .recorded(let trace):
            let attempt = beginAttempt(of: &request)
            let span = tracer.startSpan(
                attempt.name,
                as: trace,
                in: context ?? .topLevel,
                ofKind: .client,
                at: attempt.clock.start,
                file: #fileID
            )
            return try await record(attempt, of: request, in: span, of: tracer, next)
        }
    }

    private func trace(
        _ request: consuming Request,
        with tracer: any Tracer,
        _ next: Next
    ) async throws -> Response {
        request.options.set(Self.traced)
        let attempt = beginAttempt(of: &request)
        let span = tracer.startSpan(
            attempt.name,
            context: Self.context(of: request) ?? .topLevel,
            ofKind: .client,
            at: attempt.clock.start
        )
        return try await record(attempt, of: request, in: span, of: tracer, next)
    }

    /// The data of an attempt before it is sent.
    private struct Attempt {
        let name: String
        let template: String?
        let resendCount: Int
        /// The events of outer stages.
        ///
        /// This attempt consumes them, even if it isn't recorded.
        ///
        /// The next attempt has its own events.
        let events: [StageEvent]
        let clock: SpanClock
    }

    private func beginAttempt(of request: inout Request) -> Attempt {
        let record = request.recordCall()
        let template = request.knownTemplate(in: record)
        return Attempt(
            name: rules.name(method: request.method, template: template),
            template: template,
            resendCount: record.countTransmission(),
            events: record.takeEvents(),
            clock: SpanClock(request.options)
        )
    }

    /// Sends an attempt within its span, and records its outcome on it.
    private func record(
        _ attempt: consuming Attempt,
        of request: consuming Request,
        in span: any Span,
        of tracer: any Tracer,
        _ next: Next
    ) async throws -> Response {
        if propagation.allows(request) {
            tracer.inject(span.context, into: &request.headers, using: FieldInjector())
        }
        guard span.isRecording else { return try await pass(request, within: span, attempt.clock, next) }
        span.updateAttributes {
            $0.merge(rules.attributes(of: request, template: attempt.template, resendCount: attempt.resendCount))
        }
        let recording = AttemptSpan(span, clock: attempt.clock, redaction: request.redaction)
        recording.add(attempt.events)
        if next.capabilities.contains(.reportsConnections) { recording.listen(to: &request) }
        do {
            let sent = consume request
            var response = try await InstrumentationContext.withValue(span.context) { try await next(sent) }
            recording.answered(response.head, rules: rules)
            response.body = response.body.notifying { recording.end($0) }
            return response
        } catch {
            recording.fail(error)
            throw error
        }
    }

    /// Passes on a request whose span isn't recorded, without waiting for its end.
    private func pass(
        _ request: consuming Request,
        within span: any Span,
        _ clock: SpanClock,
        _ next: Next
    ) async throws -> Response {
        defer { span.end(at: clock.now) }
        let sent = consume request
        return try await InstrumentationContext.withValue(span.context) { try await next(sent) }
    }
}

/// Writes the fields of the trace context into a request.
struct FieldInjector: Injector {
    func inject(_ value: String, forKey key: String, into carrier: inout HTTPFields) {
        guard let name = HTTPField.Name(key) else { return }
        carrier[name] = value
    }
}
#endif
