/// The place of a stage in a chain, outermost first.
///
/// The order follows from what each concern needs of the others; ``reason`` says what. The check leaves stages of one
/// phase in the order they are given, and a stage that belongs ``anywhere`` is not bound to any place.
///
/// Some phases are shared, and then the order inside them may matter to you:
///
/// | phase | stages that share it | whether their order matters |
/// | --- | --- | --- |
/// | ``call`` | call log, registry of calls, the consumer's progress | no: each sees the call as a whole; the deadline has a phase of its own inside, so that they see its end as a timeout |
/// | ``deadline`` | total deadlines | no: the nearest counts |
/// | ``build`` | URL builder, headers, request processor, multipart | yes: each sees what those outside have built, so the URL builder comes first where others ask for the origin, and multipart before processors that look at the body |
/// | ``authenticate`` | schemes side by side | yes: the outer scheme is preferred |
/// | ``wire`` | attempt log, metrics, tracing, wire progress | no: none changes what the others see |
///
/// In every other phase one stage stands alone.
///
/// Chains and stages of your own may define phases between those of this package:
///
/// ```swift
/// extension Phase {
///     /// Seals what authentication has finished, once for each attempt.
///     static let seal = Phase("seal", between: .authenticate, and: .attempt, because: "it covers the credentials too")
/// }
/// ```
public struct Phase: Sendable, Hashable, CustomStringConvertible {
    /// The name, as ``Chain/explain()`` and traces print it.
    public let name: String
    /// Why stages of this phase stand where they do: the end of the sentence "A must stand outside B: …".
    public let reason: String
    /// The distance from the caller; nil for ``anywhere``.
    private let position: Double?

    private init(_ name: String, at position: Double?, because reason: String) {
        self.name = name
        self.reason = reason
        self.position = position
    }

    /// Makes a phase between two others.
    ///
    /// Two phases that are made between the same two have the same place, and are not ordered among themselves; to
    /// order them, make the second one between the first and its neighbor.
    ///
    /// - Parameters:
    ///   - name: The name for tables and traces.
    ///   - outer: The phase just outside it. With ``anywhere`` here or as `inner`, the new phase takes the place of the
    ///     other one.
    ///   - inner: The phase just inside it.
    ///   - reason: Why its stages stand there, to end the sentence "A must stand outside B: …".
    public init(_ name: String, between outer: Phase, and inner: Phase, because reason: String) {
        let place =
            switch (outer.position, inner.position) {
            case (let outer?, let inner?): (outer + inner) / 2
            case (let place?, nil), (nil, let place?): place
            case (nil, nil): nil as Double?
            }
        self.init(name, at: place, because: reason)
    }

    /// Whether stages of this phase must stand outside stages of the other one; false when either may stand anywhere.
    public func isOutside(_ other: Phase) -> Bool {
        guard let position, let otherPosition = other.position else { return false }
        return position < otherPosition
    }

    /// The name.
    public var description: String { name }

    /// Phases are the same when they have the same name and place.
    public static func == (lhs: Phase, rhs: Phase) -> Bool {
        lhs.position == rhs.position && lhs.name == rhs.name
    }

    /// Hashes name and place.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(position)
    }
}

extension Phase {
    /// No place in particular.
    public static let anywhere = Phase("anywhere", at: nil, because: "it may stand anywhere")

    /// Error handlers.
    public static let failure = Phase("failure", at: 1, because: "it must see the failure of every other stage")

    /// Once for each call: call log, call registry, the consumer's progress.
    public static let call = Phase(
        "call",
        at: 2,
        because: "it acts once for each call, answers from a cache included, and sees how it ends"
    )

    /// The deadline of the whole call.
    ///
    /// Inside ``call``: a log or a registry further in would see that the call was cancelled, and not that its time
    /// was up.
    public static let deadline = Phase(
        "deadline",
        at: 2.5,
        because: "it limits the time of everything that the call waits for"
    )

    /// Serializers.
    public static let decode = Phase(
        "decode",
        at: 3,
        because: "it turns the finished response into the caller's type, and its own failures are errors of the call"
    )

    /// Status validation.
    public static let validate = Phase(
        "validate",
        at: 4,
        because: "further in, it would turn 304, 401 and 503 into errors that cache, auth and retry need to see"
    )

    /// URL builder, headers, request processor, multipart.
    public static let build = Phase(
        "build",
        at: 5,
        because: "what follows may repeat the request, which must be complete by then"
    )

    /// Redirects.
    public static let redirect = Phase(
        "redirect",
        at: 6,
        because: "each hop is cached on its own, and credentials are decided again for each"
    )

    /// Content codings.
    public static let compress = Phase(
        "compress",
        at: 7,
        because: "the cache stores encoded bytes, and digests cover them"
    )

    /// Content digests.
    public static let digest = Phase("digest", at: 8, because: "a digest covers the encoded content")

    /// Caches.
    public static let cache = Phase(
        "cache",
        at: 9,
        because: "there is one look-up for a call; revalidation is retried and authenticated like any request"
    )

    /// Coalescing of identical calls.
    public static let coalesce = Phase(
        "coalesce",
        at: 10,
        because: "calls join only when the cache has no answer for them"
    )

    /// Retries.
    public static let retry = Phase(
        "retry",
        at: 11,
        because: "each attempt gets a fresh token and passes the breaker, the limits and the attempt's own deadline"
    )

    /// Hedging.
    public static let hedge = Phase(
        "hedge",
        at: 12,
        because: "each hedged attempt is authenticated and limited on its own"
    )

    /// Basic, digest, bearer, sessions.
    public static let authenticate = Phase(
        "authenticate",
        at: 13,
        because: "credentials are made for each attempt and for the origin it goes to"
    )

    /// Circuit breaker and load shedding.
    public static let breaker = Phase(
        "breaker",
        at: 13.25,
        because: "it refuses an attempt before the attempt waits for anything"
    )

    /// Rate limits.
    public static let rateLimit = Phase(
        "rate limit",
        at: 13.5,
        because: "an attempt that waits for its turn must not hold a place among those that are in flight"
    )

    /// Concurrency limits.
    public static let concurrencyLimit = Phase(
        "concurrency limit",
        at: 13.75,
        because: "its queue is no part of the time that an attempt may take"
    )

    /// Once for each attempt: the attempt's own timeout.
    public static let attempt = Phase("attempt", at: 14, because: "it guards each attempt")

    /// Wire log, metrics, tracing, wire progress.
    public static let wire = Phase("wire", at: 15, because: "it sees exactly what is sent")

    /// The phases of this package, outermost first; ``anywhere`` is not among them.
    public static let standard: [Phase] = [
        .failure, .call, .deadline, .decode, .validate, .build, .redirect, .compress, .digest, .cache, .coalesce,
        .retry, .hedge, .authenticate, .breaker, .rateLimit, .concurrencyLimit, .attempt, .wire,
    ]
}
