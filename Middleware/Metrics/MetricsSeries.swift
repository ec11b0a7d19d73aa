import HTTPChainCore
import Metrics

/// The instruments of one method, server and template.
final class MetricsSeries: Sendable {
    /// The instruments of one outcome.
    ///
    /// These are the factory's own handlers. The methods of a `Recorder` are generic, so that recording a value would
    /// take longer than everything else in an attempt.
    private final class Instruments: Sendable {
        let outcome: OutcomeKey
        let duration: any RecorderHandler
        let sent: any RecorderHandler
        let received: any RecorderHandler
        /// The time until the head of the response.
        ///
        /// Only for attempts.
        let toHead: (any RecorderHandler)?

        init(
            _ outcome: OutcomeKey,
            _ unit: MetricsUnit,
            _ histogram: (HTTPMetrics.Description) -> any RecorderHandler
        ) {
            let isAttempt = unit == .attempt
            self.outcome = outcome
            duration = histogram(isAttempt ? HTTPMetrics.requestDuration : HTTPMetrics.callDuration)
            sent = histogram(isAttempt ? HTTPMetrics.requestBodySize : HTTPMetrics.callRequestSize)
            received = histogram(isAttempt ? HTTPMetrics.responseBodySize : HTTPMetrics.callResponseSize)
            toHead = isAttempt ? histogram(HTTPMetrics.timeToFirstByte) : nil
        }
    }

    private struct State {
        /// The instruments by outcome.
        ///
        /// There are so few that a linear search is faster than hashing.
        var instruments: [Instruments] = []
        var cache: [CacheResult: any CounterHandler] = [:]
    }

    private let attributes: [(String, String)]
    private let unit: MetricsUnit
    private let tellsVersion: Bool
    private let limit: Int
    private let factory: any MetricsFactory
    /// The number of active attempts.
    ///
    /// Calls aren't counted here, because their target isn't known when they begin.
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

    /// Records the beginning of an attempt.
    func begin() {
        active?.increment(by: 1.0)
    }

    /// Records the end of an attempt or a call.
    ///
    /// - Parameters:
    ///   - outcome: The outcome.
    ///   - duration: The duration in nanoseconds.
    ///   - sent: The number of bytes sent of the request's body; `nil` if unknown.
    ///   - received: The number of bytes received of the response's body; `nil` if there is no response.
    ///   - toHead: The time until the response head arrived, in nanoseconds.
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
        let instruments = Instruments(outcome, unit) { metric in
            factory.makeRecorder(label: metric.name, dimensions: dimensions, aggregate: true)
        }
        state.instruments.append(instruments)
        return instruments
    }
}
