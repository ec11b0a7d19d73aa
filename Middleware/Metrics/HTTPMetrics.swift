/// The metrics that ``MetricsMiddleware`` records, for backends and dashboards that must be configured beforehand.
///
/// Those that begin with `http.client` are OpenTelemetry's; those that begin with `httpchain` are this package's.
package enum HTTPMetrics {
    /// One metric.
    package struct Description: Sendable, Hashable {
        /// The kind of instrument.
        package enum Instrument: String, Sendable, Hashable {
            /// Values that are counted by size.
            case histogram
            /// A value that only increases.
            case counter
            /// A value that increases and decreases.
            case upDownCounter
        }

        /// The name, which is the label of the swift-metrics instrument.
        package let name: String
        /// The unit in UCUM notation: `s`, `By`, `{request}`.
        package let unit: String
        /// The kind of instrument.
        package let instrument: Instrument
        /// The upper bounds of a histogram's buckets, in ``unit``; empty for other instruments.
        package let boundaries: [Double]
    }

    /// The bucket bounds, in seconds, that OpenTelemetry recommends for durations.
    ///
    /// Pass these to the backend: its default bounds are usually for milliseconds.
    package static let durationBoundaries: [Double] = [
        0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
    ]

    /// Bucket bounds, in bytes, for the sizes of bodies: powers of four from 64 bytes to 1 GiB.
    package static let sizeBoundaries: [Double] = (3...15).map { Double(1 << (2 * $0)) }

    /// The duration of attempts, until the end of the response's body.
    package static let requestDuration = histogram("http.client.request.duration", "s")

    /// The number of attempts in flight.
    package static let activeRequests = counter("http.client.active_requests", "{request}", .upDownCounter)

    /// The size of the request bodies that attempts send, after encoding.
    package static let requestBodySize = histogram("http.client.request.body.size", "By")

    /// The size of the response bodies that attempts receive, before decoding.
    package static let responseBodySize = histogram("http.client.response.body.size", "By")

    /// The time until the head of the response arrives.
    package static let timeToFirstByte = histogram("httpchain.client.time_to_first_byte", "s")

    /// The duration of calls, including all attempts, until the end of the response's body.
    package static let callDuration = histogram("httpchain.client.call.duration", "s")

    /// The number of calls in flight.
    package static let activeCalls = counter("httpchain.client.active_calls", "{call}", .upDownCounter)

    /// The size of the content that callers send, before encoding.
    ///
    /// Typed values aren't counted, because they have no size before they are encoded.
    package static let callRequestSize = histogram("httpchain.client.call.request.size", "By")

    /// The size of the content that callers read, after decoding.
    package static let callResponseSize = histogram("httpchain.client.call.response.size", "By")

    /// The number of retries after a failure.
    package static let retries = counter("httpchain.client.call.retries", "{retry}")

    /// The number of redirects followed.
    package static let redirects = counter("httpchain.client.call.redirects", "{redirect}")

    /// The number of results of the cache nearest to the caller, by `httpchain.cache.result`.
    package static let cacheResults = counter("httpchain.client.call.cache", "{call}")

    /// The metrics recorded for each attempt.
    package static let ofAttempts = [
        requestDuration, activeRequests, requestBodySize, responseBodySize, timeToFirstByte,
    ]

    /// The metrics recorded for each call.
    package static let ofCalls = [
        callDuration, activeCalls, callRequestSize, callResponseSize, retries, redirects, cacheResults,
    ]

    private static func histogram(_ name: String, _ unit: String) -> Description {
        let boundaries = unit == "s" ? durationBoundaries : sizeBoundaries
        return Description(name: name, unit: unit, instrument: .histogram, boundaries: boundaries)
    }

    private static func counter(
        _ name: String,
        _ unit: String,
        _ instrument: Description.Instrument = .counter
    ) -> Description {
        Description(name: name, unit: unit, instrument: instrument, boundaries: [])
    }
}
