#if Tracing
import HTTPChainCore
import HTTPChainSupport
public import HTTPTypes
public import Instrumentation

/// Propagates traces as W3C Trace Context and W3C Baggage, for a program that hasn't bootstrapped an instrument.
///
/// It doesn't make spans. A server reads the trace of a request that it receives, and the chain passes the trace on to
/// the servers that it calls, with a separate ID for each attempt.
///
/// ```swift
/// var context = InstrumentationContext.topLevel
/// W3CPropagator().extract(incoming.headerFields, into: &context)
/// try await InstrumentationContext.withValue(context) {
///     try await chain.send(.get("https://api.example.com/plants"))
/// }
/// ```
///
/// It is also an `Instrument`, and can be bootstrapped.
public struct W3CPropagator: Instrument {
    /// Whether a request without a trace starts one, which isn't recorded.
    package let startsTraces: Bool

    /// Makes a propagator.
    ///
    /// - Parameter startsTraces: Whether a request without a trace starts one. The default is `false`, so that such a
    ///   request has no trace fields.
    public init(startsTraces: Bool = false) {
        self.startsTraces = startsTraces
    }

    /// Reads `traceparent`, `tracestate` and `baggage` of a message.
    ///
    /// Malformed fields count as missing.
    public func extract(_ fields: HTTPFields, into context: inout InstrumentationContext) {
        extract(fields, into: &context, using: FieldExtractor())
    }

    /// Reads `traceparent`, `tracestate` and `baggage`.
    ///
    /// Malformed fields count as missing.
    public func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier,
        into context: inout InstrumentationContext,
        using extractor: Extract
    ) where Extract.Carrier == Carrier {
        if let parent = extractor.extract(key: "traceparent", from: carrier) {
            let state = extractor.extract(key: "tracestate", from: carrier)
            context.traceContext = TraceContext(traceparent: parent, tracestate: state)
        }
        if let text = extractor.extract(key: "baggage", from: carrier) {
            let baggage = Baggage(text)
            if !baggage.entries.isEmpty { context.baggage = baggage }
        }
    }

    /// Writes `traceparent`, `tracestate` and `baggage` if the context has them.
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

    /// Returns whether there is anything to send to a server.
    func hasSomething(in context: InstrumentationContext?) -> Bool {
        guard !startsTraces else { return true }
        guard let context, !context.isEmpty else { return false }
        return context.traceContext != nil || context.baggage != nil
    }

    /// Like ``inject(_:into:using:)``, with the ID of a new attempt as the parent.
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

    /// Like ``inject(_:into:using:)``, with this trace instead of the context's own.
    static func inject(_ trace: TraceContext, of context: InstrumentationContext?, into fields: inout HTTPFields) {
        set(.traceparent, to: trace.traceparent, in: &fields)
        if let state = trace.tracestate { set(.tracestate, to: state, in: &fields) }
        guard let context, !context.isEmpty, let baggage = context.baggage, !baggage.entries.isEmpty else { return }
        set(.baggage, to: baggage.description, in: &fields)
    }

    private static func set(_ name: HTTPField.Name, to value: String, in fields: inout HTTPFields) {
        // Appending is faster than replacing a missing field.
        if fields.contains(name) {
            fields[name] = value
        } else {
            fields.append(HTTPField(name: name, value: value))
        }
    }
}

extension HTTPField.Name {
    // The names are in lower case, as W3C Trace Context §3.2.1 recommends. Those in HTTPTypes are capitalized.
    fileprivate static let traceparent = Self(constant: "traceparent")
    fileprivate static let tracestate = Self(constant: "tracestate")
    fileprivate static let baggage = Self(constant: "baggage")
}

/// Reads the fields of a trace from the header of a message.
///
/// Repeated fields are joined (RFC 9110 §5.3).
package struct FieldExtractor: Extractor {
    package init() {}

    package func extract(key: String, from carrier: HTTPFields) -> String? {
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
