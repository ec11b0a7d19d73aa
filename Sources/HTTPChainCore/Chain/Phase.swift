/// The place of a stage in a chain, outermost first.
///
/// The order follows from the dependencies between concerns, which errors explain. The check accepts stages of the
/// same phase in any order, and a stage whose phase is ``anywhere`` in any place.
///
/// Some phases are shared, and the order within them may matter:
///
/// | phase | stages that share it | whether their order matters |
/// | --- | --- | --- |
/// | ``call`` | call log, registry of calls, the consumer's progress | no: each sees the call as a whole; the deadline has a separate phase inside, so that they see its expiry as a timeout |
/// | ``deadline`` | total deadlines | no: the nearest counts |
/// | ``build`` | URL builder, headers, request processor, multipart | yes: each sees what the outer ones have built, so the URL builder comes first if others need the origin, and multipart comes before processors that read the body |
/// | ``authenticate`` | several schemes | yes: the outer scheme is preferred |
/// | ``wire`` | attempt log, metrics, tracing, wire progress | no: none changes what the others see |
///
/// Circuit breakers and load shedding share ``breaker``. Every other phase has a single stage.
///
/// Your own chains and stages may define phases between those of this package:
///
/// ```swift
/// extension Phase {
///     /// Seals what authentication has finished, once for each attempt.
///     static let seal = Phase("seal", between: .authenticate, and: .attempt, because: "it covers the credentials too")
/// }
/// ```
public struct Phase: Sendable, Hashable, CustomStringConvertible {
    /// The name, which is also the ``description``.
    package let name: String
    /// The reason for this phase's place, which completes the sentence "A must be outside B: …".
    package var reason: String { text.content }
    private let text: Uncompared<String>
    /// The distance from the caller, or nil for ``anywhere``.
    private let position: Double?

    private init(_ name: String, at position: Double?, because reason: String) {
        self.name = name
        text = Uncompared(reason)
        self.position = position
    }

    /// Makes a phase between two others, for your own stages.
    ///
    /// Two phases made between the same neighbors have the same place and aren't ordered relative to each other. To
    /// order them, make the second one between the first and its neighbor.
    ///
    /// - Parameters:
    ///   - name: The name for tables and traces.
    ///   - outer: The phase just outside it. If `outer` or `inner` is ``anywhere``, the new phase has the place of the
    ///     other one.
    ///   - inner: The phase just inside it.
    ///   - reason: The reason for the phase's place, which completes the sentence "A must be outside B: …".
    public init(_ name: String, between outer: Phase, and inner: Phase, because reason: String) {
        let place =
            switch (outer.position, inner.position) {
            case (let outer?, let inner?): (outer + inner) / 2
            case (let place?, nil), (nil, let place?): place
            case (nil, nil): nil as Double?
            }
        self.init(name, at: place, because: reason)
    }

    /// Whether stages of this phase must be outside stages of the other one; false if either phase is ``anywhere``.
    package func isOutside(_ other: Phase) -> Bool {
        guard let position, let otherPosition = other.position else { return false }
        return position < otherPosition
    }

    /// The name, as printed by ``Chain/explain()`` and traces.
    public var description: String { name }
}

extension Phase {
    /// No particular place.
    public static let anywhere = Phase("anywhere", at: nil, because: "it can be anywhere")

    /// Error handlers.
    public static let failure = Phase("failure", at: 1, because: "it must see the failures of all other stages")

    /// Once for each call: call log, call registry, the consumer's progress.
    public static let call = Phase(
        "call",
        at: 2,
        because: "it acts once for each call, even one served from a cache, and sees how it ends"
    )

    /// The deadline of the whole call.
    ///
    /// Inside ``call``, so that logs and registries see a timeout. If they were further in, they would see a
    /// cancellation.
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
        because: "further in, it would turn 304, 401 and 503 into errors before cache, auth and retry see them"
    )

    /// URL builder, headers, request processor, multipart.
    public static let build = Phase(
        "build",
        at: 5,
        because: "the stages inside may repeat the request, so it must be complete"
    )

    /// Redirects.
    public static let redirect = Phase(
        "redirect",
        at: 6,
        because: "each hop is cached separately, and credentials are chosen again for each"
    )

    /// Cookies, just inside redirects.
    public static let cookies = Phase(
        "cookies",
        at: 6.5,
        because: "each hop of a redirect sends and stores its own cookies, and the cache sees which were sent"
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
        because: "there is one lookup for each call; revalidation is retried and authenticated like any request"
    )

    /// Coalescing of identical calls.
    public static let coalesce = Phase(
        "coalesce",
        at: 10,
        because: "calls share a transfer only if the cache has no response for them"
    )

    /// Resumable uploads.
    public static let upload = Phase(
        "upload",
        at: 10.5,
        because: "each part of an upload is retried, authenticated and limited on its own"
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
        because: "each hedged attempt is authenticated and limited separately"
    )

    /// Basic, digest, bearer, sessions.
    public static let authenticate = Phase(
        "authenticate",
        at: 13,
        because: "credentials are created for each attempt and its origin"
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
        because: "an attempt that is waiting for its turn must not count as in flight"
    )

    /// Concurrency limits.
    public static let concurrencyLimit = Phase(
        "concurrency limit",
        at: 13.75,
        because: "the time in its queue does not count towards the time of an attempt"
    )

    /// Once for each attempt: the attempt's own timeout.
    public static let attempt = Phase("attempt", at: 14, because: "it guards each attempt")

    /// Signing: inner stages see the request as it is sent, and must not change the signed parts.
    ///
    /// The phase is inside waits for a rate limit or permit, during which a signature would age. It is also inside all
    /// stages that add credentials, digests and encodings, because the signature covers them.
    public static let sign = Phase(
        "sign",
        at: 14.5,
        because: "a signature covers the attempt as it is sent, and any later change invalidates it"
    )

    /// Wire log, metrics, tracing, wire progress.
    public static let wire = Phase("wire", at: 15, because: "it sees exactly what is sent")

    /// The phases of this package, outermost first; ``anywhere`` is not among them.
    package static let standard: [Phase] = [
        .failure, .call, .deadline, .decode, .validate, .build, .redirect, .cookies, .compress, .digest, .cache,
        .coalesce, .upload, .retry, .hedge, .authenticate, .breaker, .rateLimit, .concurrencyLimit, .attempt, .sign,
        .wire,
    ]
}
