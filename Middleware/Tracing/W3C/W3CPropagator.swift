#if Tracing
import HTTPChainCore
import HTTPChainSupport
public import HTTPTypes
public import Instrumentation

/// Passes traces on as W3C Trace Context and W3C Baggage say, for a program that has bootstrapped no instrument.
///
/// It makes no spans: a server that receives a request reads the trace of it, and the chain tells it to the servers that
/// are asked in turn, each attempt with an id of its own.
///
/// ```swift
/// var context = InstrumentationContext.topLevel
/// W3CPropagator().extract(incoming.headerFields, into: &context, using: FieldExtractor())
/// try await InstrumentationContext.withValue(context) {
///     try await chain.send(.get("https://api.example.com/plants"))
/// }
/// ```
///
/// It is an `Instrument`, too, and can be bootstrapped as such.
public struct W3CPropagator: Instrument {
    /// Whether a request that belongs to no trace begins one, which nobody records.
    public let startsTraces: Bool

    /// Makes a propagator.
    ///
    /// - Parameter startsTraces: Whether a request that belongs to no trace begins one; `false` by default, so that it
    ///   carries no fields.
    public init(startsTraces: Bool = false) {
        self.startsTraces = startsTraces
    }

    /// Reads `traceparent`, `tracestate` and `baggage`; what is malformed counts as missing.
    public func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier,
        into context: inout InstrumentationContext,
        using extractor: Extract
    ) where Extract.Carrier == Carrier {
        if let parent = extractor.extract(key: "traceparent", from: carrier) {
            let state = extractor.extract(key: "tracestate", from: carrier)
            context.traceContext = TraceContext(traceparent: parent, tracestate: state)
        }
        if let baggage = extractor.extract(key: "baggage", from: carrier).map(Baggage.init), !baggage.entries.isEmpty {
            context.baggage = baggage
        }
    }

    /// Writes `traceparent`, `tracestate` and `baggage` where the context has them.
    public func inject<Carrier, Inject: Injector>(
        _ context: InstrumentationContext,
        into carrier: inout Carrier,
        using injector: Inject
    ) where Inject.Carrier == Carrier {
        if let trace = context.traceContext {
            injector.inject(trace.traceparent, forKey: "traceparent", into: &carrier)
            if let state = trace.tracestate { injector.inject(state, forKey: "tracestate", into: &carrier) }
        }
        if let baggage = context.baggage, !baggage.entries.isEmpty {
            injector.inject(baggage.description, forKey: "baggage", into: &carrier)
        }
    }

    /// Whether there is anything to tell a server.
    func hasSomething(in context: InstrumentationContext?) -> Bool {
        guard !startsTraces else { return true }
        guard let context, !context.isEmpty else { return false }
        return context.traceContext != nil || context.baggage != nil
    }

    /// As ``inject(_:into:using:)``, with the id of a new attempt as the parent.
    func injectAttempt(_ context: InstrumentationContext?, into fields: inout HTTPFields, random: any RandomSource) {
        var context = context ?? .topLevel
        if let trace = context.traceContext {
            context.traceContext = trace.child(spanID: random.next())
        } else if startsTraces {
            context.traceContext = TraceContext(
                random: random.next(),
                random.next(),
                spanID: random.next(),
                isSampled: false
            )
        }
        inject(context, into: &fields, using: FieldInjector())
    }

    /// As ``inject(_:into:using:)`` of a context, with this trace in the place of its own.
    static func inject(_ trace: TraceContext, of context: InstrumentationContext?, into fields: inout HTTPFields) {
        set(.traceparent, to: trace.traceparent, in: &fields)
        if let state = trace.tracestate { set(.tracestate, to: state, in: &fields) }
        guard let context, !context.isEmpty, let baggage = context.baggage, !baggage.entries.isEmpty else { return }
        set(.baggage, to: baggage.description, in: &fields)
    }

    private static func set(_ name: HTTPField.Name, to value: String, in fields: inout HTTPFields) {
        // To append is faster than to replace what is not there.
        if fields.contains(name) {
            fields[name] = value
        } else {
            fields.append(HTTPField(name: name, value: value))
        }
    }
}

extension HTTPField.Name {
    // In lower case, as W3C Trace Context §3.2.1 wants them sent; those of HTTPTypes begin with a capital.
    fileprivate static let traceparent = Self(constant: "traceparent")
    fileprivate static let tracestate = Self(constant: "tracestate")
    fileprivate static let baggage = Self(constant: "baggage")
}

/// Reads the fields of a trace from a message's header; repeated fields count as one (RFC 9110 §5.3).
public struct FieldExtractor: Extractor {
    /// Makes an extractor.
    public init() {}

    /// The value of a field.
    public func extract(key: String, from carrier: HTTPFields) -> String? {
        guard let name = HTTPField.Name(key) else { return nil }
        let values = carrier[values: name]
        return values.isEmpty ? nil : values.joined(separator: ",")
    }
}

extension InstrumentationContext {
    private enum TraceContextKey: InstrumentationContextKey {
        typealias Value = TraceContext
        static var nameOverride: String? { "httpchain-trace-context" }
    }

    private enum BaggageKey: InstrumentationContextKey {
        typealias Value = Baggage
        static var nameOverride: String? { "httpchain-baggage" }
    }

    /// The trace that ``W3CPropagator`` passes on.
    public var traceContext: TraceContext? {
        get { self[TraceContextKey.self] }
        set { self[TraceContextKey.self] = newValue }
    }

    /// The baggage that ``W3CPropagator`` passes on.
    public var baggage: Baggage? {
        get { self[BaggageKey.self] }
        set { self[BaggageKey.self] = newValue }
    }
}
#endif
