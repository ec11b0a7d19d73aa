/// The metrics that ``MetricsMiddleware`` records, for backends and dashboards that want to know them beforehand.
///
/// Those that begin with `http.client` are OpenTelemetry's; those that begin with `httpchain` are of this package.
public enum HTTPMetrics {
    /// One metric.
    public struct Description: Sendable, Hashable {
        /// The way values become a metric.
        #if hasAttribute(nonexhaustive)
        @nonexhaustive
        #endif
        public enum Instrument: String, Sendable, Hashable {
            /// Values are counted by size.
            case histogram
            /// It only grows.
            case counter
            /// It goes up and down.
            case upDownCounter
        }

        /// The name, which is the label of the swift-metrics instrument.
        public let name: String
        /// The unit, as UCUM writes it: `s`, `By`, `{request}`.
        public let unit: String
        /// The way values become a metric.
        public let instrument: Instrument
        /// The upper bounds of a histogram's buckets, in ``unit``; empty for what is no histogram.
        public let boundaries: [Double]
        /// The sentence that says what it measures.
        public let purpose: String
    }

    /// The bounds, in seconds, that OpenTelemetry advises for durations.
    ///
    /// A backend that is not told uses its own, which are mostly for milliseconds: give it these.
    public static let durationBoundaries: [Double] = [
        0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
    ]

    /// Bounds, in bytes, that suit the sizes of bodies: powers of four from 64 bytes to 1 GiB.
    public static let sizeBoundaries: [Double] = (3...15).map { Double(1 << (2 * $0)) }

    /// The time that attempts take, until the response's body has ended.
    public static let requestDuration = histogram("http.client.request.duration", "s", "Duration of attempts")

    /// The number of attempts at the moment.
    public static let activeRequests = Description(
        name: "http.client.active_requests",
        unit: "{request}",
        instrument: .upDownCounter,
        boundaries: [],
        purpose: "Attempts in flight"
    )

    /// The number of bytes of the request's body that attempts send, as encoded.
    public static let requestBodySize = histogram(
        "http.client.request.body.size",
        "By",
        "Size of the bodies that attempts send"
    )

    /// The number of bytes of the response's body that attempts receive, as encoded.
    public static let responseBodySize = histogram(
        "http.client.response.body.size",
        "By",
        "Size of the bodies that attempts receive"
    )

    /// The time until the response's head is there.
    public static let timeToFirstByte = histogram(
        "httpchain.client.time_to_first_byte",
        "s",
        "Time until the head of the response"
    )

    /// The time that calls take, with all their attempts, until the response's body has ended.
    public static let callDuration = histogram("httpchain.client.call.duration", "s", "Duration of calls")

    /// The number of calls at the moment.
    public static let activeCalls = Description(
        name: "httpchain.client.active_calls",
        unit: "{call}",
        instrument: .upDownCounter,
        boundaries: [],
        purpose: "Calls in flight"
    )

    /// The number of bytes that the caller gives, before they are encoded; bodies that are typed values have no size
    /// yet.
    public static let callRequestSize = histogram(
        "httpchain.client.call.request.size",
        "By",
        "Size of the content that callers send"
    )

    /// The number of bytes that the caller reads, after they were decoded.
    public static let callResponseSize = histogram(
        "httpchain.client.call.response.size",
        "By",
        "Size of the content that callers read"
    )

    /// The number of requests that were sent again after a failure.
    public static let retries = counter("httpchain.client.call.retries", "{retry}", "Retries")

    /// The number of redirects that were followed.
    public static let redirects = counter("httpchain.client.call.redirects", "{redirect}", "Redirects followed")

    /// The number of answers of the cache nearest to the caller, by `httpchain.cache.result`.
    public static let cacheResults = counter("httpchain.client.call.cache", "{call}", "What the cache did")

    /// Those that are recorded for each attempt.
    public static let ofAttempts = [
        requestDuration, activeRequests, requestBodySize, responseBodySize, timeToFirstByte,
    ]

    /// Those that are recorded for each call.
    public static let ofCalls = [
        callDuration, activeCalls, callRequestSize, callResponseSize, retries, redirects, cacheResults,
    ]

    private static func histogram(_ name: String, _ unit: String, _ purpose: String) -> Description {
        Description(
            name: name,
            unit: unit,
            instrument: .histogram,
            boundaries: unit == "s" ? durationBoundaries : sizeBoundaries,
            purpose: purpose
        )
    }

    private static func counter(_ name: String, _ unit: String, _ purpose: String) -> Description {
        Description(name: name, unit: unit, instrument: .counter, boundaries: [], purpose: purpose)
    }
}
