/// Where in a chain a stage belongs, outermost first.
///
/// The order follows from what each concern needs of the others; ``reason`` says what. Stages of one phase may stand
/// in any order among themselves, and a stage without a phase may stand anywhere.
public enum Phase: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// Error handlers.
    case failure
    /// Once for each call: call log, total deadline, call registry, the consumer's progress.
    case call
    /// Serializers.
    case decode
    /// Status validation.
    case validate
    /// URL builder, headers, request processor, multipart.
    case build
    /// Redirects.
    case redirect
    /// Content codings.
    case compress
    /// Content digests.
    case digest
    /// Caches.
    case cache
    /// Coalescing of identical calls.
    case coalesce
    /// Retries.
    case retry
    /// Hedging.
    case hedge
    /// Basic, digest, bearer, sessions.
    case authenticate
    /// Once for each attempt: circuit breaker, rate limit, attempt timeout.
    case attempt
    /// Wire log, metrics, tracing, wire progress.
    case wire

    /// Why stages of this phase stand where they do.
    public var reason: String {
        switch self {
        case .failure: "it must see the failure of every other stage"
        case .call: "it acts once for each call, answers from a cache included"
        case .decode:
            "it turns the finished response into the caller's type, and its own failures are errors of the call"
        case .validate: "further in, it would turn 304, 401 and 503 into errors that cache, auth and retry need to see"
        case .build: "what follows may repeat the request, which must be complete by then"
        case .redirect: "each hop is cached on its own, and credentials are decided again for each"
        case .compress: "the cache stores encoded bytes, and digests cover them"
        case .digest: "a digest covers the encoded content"
        case .cache: "there is one look-up for a call; revalidation is retried and authenticated like any request"
        case .coalesce: "calls join only when the cache has no answer for them"
        case .retry: "each attempt gets a fresh token and passes the breaker, the limits and the attempt's own deadline"
        case .hedge: "each hedged attempt is authenticated and limited on its own"
        case .authenticate: "credentials are made for each attempt and for the origin it goes to"
        case .attempt: "it guards each attempt"
        case .wire: "it sees exactly what is sent"
        }
    }

    /// Outer phases come first.
    public static func < (lhs: Phase, rhs: Phase) -> Bool { lhs.rawValue < rhs.rawValue }
}
