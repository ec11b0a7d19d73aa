import HTTPChainCore
import Metrics

/// The instruments of one method, server and template.
final class MetricsSeries: Sendable {
    /// The instruments of one outcome.
    ///
    /// They are those of the factory itself: through a `Recorder`, whose methods are generic, each value would take longer
    /// than all else that an attempt costs.
    private final class Instruments: Sendable {
        let outcome: OutcomeKey
        let duration: any RecorderHandler
        let sent: any RecorderHandler
        let received: any RecorderHandler
        /// Of attempts alone.
        let toHead: (any RecorderHandler)?

        init(
            _ outcome: OutcomeKey,
            duration: any RecorderHandler,
            sent: any RecorderHandler,
            received: any RecorderHandler,
            toHead: (any RecorderHandler)?
        ) {
            self.outcome = outcome
            self.duration = duration
            self.sent = sent
            self.received = received
            self.toHead = toHead
        }
    }

    private struct State {
        /// Few: looked through faster than hashed.
        var instruments: [Instruments] = []
        var cache: [CacheResult: any CounterHandler] = [:]
    }

    private let attributes: [(String, String)]
    private let unit: MetricsUnit
    private let tellsVersion: Bool
    private let limit: Int
    private let factory: any MetricsFactory
    /// Of attempts alone: where a call goes is not known when it begins.
    private let active: (any MeterHandler)?
    private let retries: (any CounterHandler)?
    private let redirects: (any CounterHandler)?
    private let state = Locked(State())

    init(
        _ attributes: [(String, String)],
        unit: MetricsUnit,
        tellsVersion: Bool,
        limit: Int,
        factory: any MetricsFactory
    ) {
        self.attributes = attributes
        self.unit = unit
        self.tellsVersion = tellsVersion
        self.limit = limit
        self.factory = factory
        active =
            unit == .call
            ? nil : factory.makeMeter(label: HTTPMetrics.activeRequests.name, dimensions: attributes)
        func counter(_ metric: HTTPMetrics.Description) -> (any CounterHandler)? {
            unit == .attempt ? nil : factory.makeCounter(label: metric.name, dimensions: attributes)
        }
        retries = counter(HTTPMetrics.retries)
        redirects = counter(HTTPMetrics.redirects)
    }

    /// An attempt is in flight.
    func begin() {
        active?.increment(by: 1.0)
    }

    /// It is no longer.
    ///
    /// - Parameters:
    ///   - outcome: How it ended.
    ///   - duration: How many nanoseconds it took.
    ///   - sent: How many bytes of its body were sent; nil where that is not known.
    ///   - received: How many bytes of the response's body came; nil without a response.
    ///   - toHead: How many nanoseconds it took until the head of the response was there.
    func end(
        _ outcome: OutcomeKey,
        _ duration: Int64,
        sent: Int64?,
        received: Int64? = nil,
        toHead: Int64? = nil
    ) {
        active?.decrement(by: 1.0)
        let instruments = instruments(for: outcome)
        instruments.duration.record(Double(duration) / 1e9)
        if let sent { instruments.sent.record(sent) }
        if let received { instruments.received.record(received) }
        if let toHead { instruments.toHead?.record(Double(toHead) / 1e9) }
    }

    /// Counts the retries, redirects and cache result of a call.
    func count(retries: Int, redirects: Int, cache: CacheResult?) {
        if retries > 0 { self.retries?.increment(by: Int64(retries)) }
        if redirects > 0 { self.redirects?.increment(by: Int64(redirects)) }
        guard let cache else { return }
        let counter = state.withLock { state in
            if let counter = state.cache[cache] { return counter }
            let counter = factory.makeCounter(
                label: HTTPMetrics.cacheResults.name,
                dimensions: attributes + [("httpchain.cache.result", cache.rawValue)]
            )
            state.cache[cache] = counter
            return counter
        }
        counter.increment(by: 1)
    }

    private func instruments(for outcome: OutcomeKey) -> Instruments {
        state.withLock { state in
            if let known = state.instruments.first(where: { $0.outcome == outcome }) { return known }
            if state.instruments.count >= limit {
                if let other = state.instruments.first(where: { $0.outcome == .other }) { return other }
                return add(.other, to: &state)
            }
            return add(outcome, to: &state)
        }
    }

    private func add(_ outcome: OutcomeKey, to state: inout State) -> Instruments {
        var dimensions = attributes
        dimensions.append(("http.response.status_code", outcome.status == 0 ? "" : String(outcome.status)))
        dimensions.append(("error.type", outcome.error ?? ""))
        if tellsVersion { dimensions.append(("network.protocol.version", outcome.version ?? "")) }
        func histogram(_ metric: HTTPMetrics.Description) -> any RecorderHandler {
            factory.makeRecorder(label: metric.name, dimensions: dimensions, aggregate: true)
        }
        let isAttempt = unit == .attempt
        let instruments = Instruments(
            outcome,
            duration: histogram(isAttempt ? HTTPMetrics.requestDuration : HTTPMetrics.callDuration),
            sent: histogram(isAttempt ? HTTPMetrics.requestBodySize : HTTPMetrics.callRequestSize),
            received: histogram(isAttempt ? HTTPMetrics.responseBodySize : HTTPMetrics.callResponseSize),
            toHead: isAttempt ? histogram(HTTPMetrics.timeToFirstByte) : nil
        )
        state.instruments.append(instruments)
        return instruments
    }
}
