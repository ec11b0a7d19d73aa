#if Tracing
public import HTTPChainCore
public import HTTPTypes
import Instrumentation
public import Tracing

/// Makes a span of each attempt to send a request, and tells the server which trace it belongs to.
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
/// **Spans** follow OpenTelemetry's conventions for HTTP clients: of the kind client, one for each attempt, a child of
/// the caller's span. Its name is the method and the template of the URL, where one is known, and never the path. A
/// request that is sent again, for whatever reason, counts up `http.request.resend_count`: a retry, a redirect, the
/// answer to a challenge. The span ends with the response's body: when it was read to its end, broke or was dropped.
///
/// **Events.** What stages further out did before an attempt is on its span: the wait before a retry
/// (`httpchain.retry.backoff`), a redirect (`httpchain.redirect`), a token that was refreshed (`httpchain.auth.refresh`),
/// why the cache asked the server (`httpchain.cache.forward`).
///
/// **Errors.** Answers from 400 on are errors, to a client; `error.type` is the status then. It is otherwise "timeout",
/// the kind of a ``/HTTPChainCore/TransportError``, or the name of the error's type. A call that was cancelled, and a body
/// that was dropped, is no error: the caller wanted it so.
///
/// **Nothing secret.** `url.full` is redacted as the chain says (``/HTTPChainCore/Redaction``) and stays a URL. Header
/// fields are recorded where they are asked for by name, and their values never where they count as secrets.
///
/// **Propagation.** The tracer writes its fields (`traceparent`, `tracestate`, `baggage`, or what its format has) into
/// the request, for the servers that ``TracePropagation`` allows; all by default. Where the program has bootstrapped no
/// instrument, a ``W3CPropagator`` passes the trace of the caller on.
///
/// **Cost.** Without an instrument, and without a trace to pass on, the request goes through untouched. A span that
/// its tracer does not record gets no attributes. A tracer that decides beforehand, such as `ShippingTracer`, makes no
/// span then: the server is told the trace, and that is all.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/wire``: inside all that sends again. A transport with spans of its own, such as
/// `AsyncHTTPClientTransport`, makes none of what the stage traces (``/HTTPChainCore/TracedByStage``), nor of what is not
/// to be traced.
///
/// **Options.** ``CallTracingOption`` (``HTTPChainCore/Request/tracing(_:)``) and ``/HTTPChainCore/URLTemplate``.
///
/// **Throws** nothing of its own.
public struct TracingMiddleware: ChainAwareMiddleware, DeadlineKeepingMiddleware, CallRecordingMiddleware {
    private let tracer: (any Tracer)?
    /// The tracer, where it decides beforehand.
    private let sampling: (any SamplingTracer)?
    private let propagation: TracePropagation
    private let propagator: W3CPropagator
    let rules: SpanRules

    /// Makes the stage.
    ///
    /// - Parameters:
    ///   - tracer: Makes the spans; `nil`, the default, for the one that the program has bootstrapped or that is set for
    ///     the task.
    ///   - propagation: Which servers are told of the trace; all by default.
    ///   - propagator: Tells them where no instrument is bootstrapped.
    ///   - requestFields: The request's header fields that become attributes; none by default.
    ///   - responseFields: The response's header fields that become attributes; none by default.
    ///   - knownMethods: The methods that are told by name, others being `_OTHER`; `nil`, the default, for those of
    ///     RFC 9110, PATCH and QUERY, or for those of the environment's `OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS`.
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

    /// Next to the transport.
    public var phase: Phase { .wire }

    /// The name, purpose and settings of the stage.
    public var summary: StageSummary {
        StageSummary(
            "TracingMiddleware",
            purpose: "makes spans of attempts",
            settings: [
                "tracer": tracer.map { StageSummary.name(of: type(of: $0)) } ?? "as bootstrapped",
                "propagates to": propagation.description,
            ]
        )
    }

    /// A second stage of this kind, which would make two spans of each attempt, and what is no origin among those that
    /// are told of traces.
    public func problems(at place: ChainPlace) -> [ChainProblem] {
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

    /// Always: an instrument may be bootstrapped at any time.
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

    /// Whether an instrument is the one that stands for none; asked in this way because it is asked for each request.
    private static func isNothing(_ instrument: any Instrument) -> Bool {
        type(of: instrument) == NoOpInstrument.self || type(of: instrument) == NoOpTracer.self
    }

    private static let traced = PreparedOption(TracedByStage.self, true)

    /// Passes the request on within a span of its own.
    ///
    /// - Throws: What the stages inside throw.
    public func intercept(_ request: consuming Request, next: Next) async throws -> Response {
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
        // What is bootstrapped makes no spans, and passes on what it knows.
        request.options.set(Self.traced)
        if let context = Self.context(of: request), propagation.allows(request) {
            instrument.inject(context, into: &request.headers, using: FieldInjector())
        }
        return try await next(request)
    }

    /// Whether the call is to be traced.
    private static func isTraced(_ request: borrowing Request) -> Bool {
        !request.options.contains(CallTracingOption.self) || request.options[CallTracingOption.self].isOn
    }

    /// The context that the call names, or that of the task.
    private static func context(of request: borrowing Request) -> InstrumentationContext? {
        guard request.options.contains(CallTracingOption.self) else { return .current }
        return request.options[CallTracingOption.self].context ?? .current
    }

    /// Passes the caller's trace on, where nothing is bootstrapped.
    private func propagateAlone(_ request: inout Request) {
        let context = Self.context(of: request)
        guard propagator.hasSomething(in: context), propagation.allows(request) else { return }
        propagator.injectAttempt(context, into: &request.headers, random: request.environment.random)
    }

    /// Sends an attempt about whose span the tracer decides first.
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

    /// What is known of an attempt before it is sent.
    private struct Attempt {
        let name: String
        let template: String?
        let resendCount: Int
        /// Taken by this attempt, recorded or not: the next one has its own.
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

    /// Sends an attempt within its span, and writes on that what becomes of it.
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

    /// Passes a request on whose span is not recorded: there is nothing to say, and no end to wait for.
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

/// Writes the fields of a trace into a request.
struct FieldInjector: Injector {
    func inject(_ value: String, forKey key: String, into carrier: inout HTTPFields) {
        guard let name = HTTPField.Name(key) else { return }
        carrier[name] = value
    }
}
#endif
