import HTTPTypes

/// The clock, random numbers and redaction rules of all stages.
///
/// Every stage reads ``Request/environment``. A test that sets a virtual environment on the request (or on the chain)
/// therefore controls the time for retry, cache, timeouts and all other stages, and gets the same random numbers in
/// each run.
public struct ChainEnvironment: Sendable {
    /// The clock and calendar.
    public var time: any TimeSource
    /// The random numbers for jitter, nonces and boundaries.
    public var random: any RandomSource
    /// The redaction rules for errors, traces, descriptions and logs.
    public var redaction: Redaction

    /// Makes an environment.
    ///
    /// - Parameters:
    ///   - time: The clock and calendar. Defaults to the system's.
    ///   - random: The random numbers. Defaults to the system's cryptographically secure ones.
    ///   - redaction: The redaction rules. Defaults to ``Redaction/standard``.
    public init(
        time: any TimeSource = ChainEnvironment.live.time,
        random: any RandomSource = ChainEnvironment.live.random,
        redaction: Redaction = .standard
    ) {
        self.time = time
        self.random = random
        self.redaction = redaction
    }

    /// The system's clock and its cryptographically secure random numbers.
    public static let live = ChainEnvironment(time: SystemTime(), random: SystemRandom())
}

extension ChainEnvironment {
    /// Unavailable: the system's environment is ``live``.
    @available(*, unavailable, renamed: "live")
    public static var system: ChainEnvironment { .live }

    /// Unavailable: the default is ``live``.
    @available(*, unavailable, renamed: "live")
    public static var `default`: ChainEnvironment { .live }
}

/// The request option for the environment; see also ``Request/environment``.
@usableFromInline
package enum EnvironmentNote: RequestOption, RequestNote {
    /// The live environment.
    @usableFromInline package static var defaultValue: ChainEnvironment { .live }
    /// Always `true`; stated explicitly, because inlinable code uses the option.
    @usableFromInline package static func isHarmless(_ value: ChainEnvironment) -> Bool { true }
}

extension Request {
    /// The environment of this call; the live one unless a test or the chain has set another.
    public var environment: ChainEnvironment {
        get { options[EnvironmentNote.self] }
        set { options[EnvironmentNote.self] = newValue }
    }

    /// The redaction rules of this call: the environment's rules, and fields bound to an origin
    /// (`OriginBoundFieldsNote`), regardless of their names.
    ///
    /// Use this to redact anything from a call that you show, for example in an error.
    public var redaction: Redaction {
        // Reads the redaction without copying the environment.
        let box = options.storage.box(EnvironmentNote.self, as: ChainEnvironment.self)
        let redaction = box?.value.redaction ?? .standard
        guard options.contains(OriginBoundFieldsNote.self) else { return redaction }
        return redaction.adding(boundFields: options[OriginBoundFieldsNote.self].keys, of: head.headerFields)
    }
}

extension RequestOptions {
    /// The same as ``Request/environment``, for a stage that keeps a request's options but not the request.
    package var environment: ChainEnvironment { self[EnvironmentNote.self] }

    /// The same as `environment.time.elapsed`, without copying the environment.
    package var elapsed: Duration {
        let box = storage.box(EnvironmentNote.self, as: ChainEnvironment.self)
        return box?.value.time.elapsed ?? SystemTime().elapsed
    }
}

/// The environment of a request, for a stage that needs it after passing the request on.
///
/// It is a single reference, or nil for the live environment.
@usableFromInline
package struct CallEnvironment: Sendable {
    @usableFromInline let box: OptionBox<ChainEnvironment>?

    /// - Parameter options: The options of the request.
    @inlinable
    package init(of options: borrowing RequestOptions) {
        box = options.storage.box(EnvironmentNote.self, as: ChainEnvironment.self)
    }

    /// The environment.
    package var value: ChainEnvironment { box?.value ?? EnvironmentNote.defaultValue }

    /// The same as `value.time.elapsed`, without copying the environment.
    @inlinable
    package var elapsed: Duration { box?.value.time.elapsed ?? SystemTime().elapsed }

    /// The same as ``elapsed``, in nanoseconds.
    ///
    /// For the system's clock it avoids `Duration`, whose 128-bit arithmetic takes longer than reading the clock.
    @inlinable
    package var nanoseconds: Int64 { box?.value.time.elapsed.clampedNanoseconds ?? SystemTime().nanoseconds }
}

extension ChainEnvironment: EffectComparable {
    /// Compares only the redaction, because a response doesn't depend on the clock and the random numbers of its
    /// request.
    package func hasSameEffect(as other: ChainEnvironment) -> Bool { redaction == other.redaction }
}
