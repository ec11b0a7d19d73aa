import HTTPTypes

/// The time and random numbers of all stages, and the rules that say what is a secret to them.
///
/// Every stage reads ``Request/environment``, so a test that sets a virtual one on the request (or on the chain) moves
/// time for retry, cache, timeouts and the rest at once, and sees the same random numbers each run.
public struct ChainEnvironment: Sendable {
    /// Clock and calendar.
    public var time: any TimeSource
    /// Random numbers: jitter, nonces, boundaries.
    public var random: any RandomSource
    /// The rules that say what is secret in errors, traces, descriptions and logs.
    public var redaction: Redaction

    /// Makes an environment.
    ///
    /// - Parameters:
    ///   - time: Clock and calendar; the system's by default.
    ///   - random: Random numbers; the system's cryptographically secure ones by default.
    ///   - redaction: What counts as a secret; ``Redaction/standard`` by default.
    public init(
        time: any TimeSource = SystemTime(),
        random: any RandomSource = SystemRandom(),
        redaction: Redaction = .standard
    ) {
        self.time = time
        self.random = random
        self.redaction = redaction
    }

    /// The system's clock and its cryptographically secure random numbers.
    public static let live = ChainEnvironment()
}

/// The request option that carries the environment; ``Request/environment`` is the short way to it.
public enum EnvironmentOption: RequestOption {
    /// The live environment.
    public static var defaultValue: ChainEnvironment { .live }
}

extension Request {
    /// The clock and randomness for this call; the live ones unless a test or the chain set others.
    public var environment: ChainEnvironment {
        get { options[EnvironmentOption.self] }
        set { options[EnvironmentOption.self] = newValue }
    }

    /// The rules that say what is secret in this call: what the environment says, and what was bound to one origin
    /// (``OriginBoundFields``), under whatever name.
    ///
    /// A stage that shows anything of a call, such as in an error, redacts it with this.
    public var redaction: Redaction {
        let redaction = environment.redaction
        guard options.contains(OriginBoundFields.self) else { return redaction }
        return redaction.adding(boundFields: options[OriginBoundFields.self].keys, of: head.headerFields)
    }
}

extension RequestOptions {
    /// As ``Request/environment``, for a stage that keeps the options of a request and not the request.
    package var environment: ChainEnvironment { self[EnvironmentOption.self] }

    /// As `environment.time.elapsed`, without a copy of the environment.
    package var elapsed: Duration {
        let box = storage.box(EnvironmentOption.self, as: ChainEnvironment.self)
        return box?.value.time.elapsed ?? SystemTime().elapsed
    }
}

/// The environment of a request, for a stage that needs it after it has passed the request on.
///
/// One reference, or none where it is the live one. A stage that kept the options instead would make those inside copy
/// them when they set one.
@usableFromInline
package struct CallEnvironment: Sendable {
    @usableFromInline let box: OptionBox<ChainEnvironment>?

    /// - Parameter options: The options of the request.
    @inlinable
    package init(of options: borrowing RequestOptions) {
        box = options.storage.box(EnvironmentOption.self, as: ChainEnvironment.self)
    }

    /// The environment.
    package var value: ChainEnvironment { box?.value ?? EnvironmentOption.defaultValue }

    /// As `value.time.elapsed`, without a copy of the environment.
    @inlinable
    package var elapsed: Duration { box?.value.time.elapsed ?? SystemTime().elapsed }

    /// As ``elapsed``, in nanoseconds: where the clock is the system's without a `Duration`, whose arithmetic of 128 bits
    /// takes longer than to read the clock.
    @inlinable
    package var nanoseconds: Int64 { box?.value.time.elapsed.clampedNanoseconds ?? SystemTime().nanoseconds }
}
