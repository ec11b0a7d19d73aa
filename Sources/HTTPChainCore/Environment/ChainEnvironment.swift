/// Where stages get the time and chance from.
///
/// Every stage reads ``Request/environment``, so a test that sets a virtual one on the request (or on the chain) moves
/// time for retry, cache, timeouts and the rest at once, and sees the same random numbers each run.
public struct ChainEnvironment: Sendable {
    /// Clock and calendar.
    public var time: any TimeSource
    /// Random numbers: jitter, nonces, boundaries.
    public var random: any RandomSource

    /// Makes an environment; by default the system's clock and its cryptographically secure random numbers.
    public init(time: any TimeSource = SystemTime(), random: any RandomSource = SystemRandom()) {
        self.time = time
        self.random = random
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
}
