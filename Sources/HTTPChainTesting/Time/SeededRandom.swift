public import HTTPChainCore

/// A source of reproducible random numbers: the same seed gives the same numbers, on every platform.
///
/// The generator is SplitMix64 (Steele, Lea and Flood, 2014). Its numbers are predictable, so use it only in tests.
public final class SeededRandom: RandomSource {
    private let state: Locked<UInt64>

    /// Creates the sequence of a seed.
    public init(seed: UInt64) {
        state = Locked(seed)
    }

    /// Returns the next 64 bits of the sequence.
    public func next() -> UInt64 {
        state.withLock { state in
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }
}

extension ChainEnvironment {
    /// Returns an environment for tests, with a virtual clock and reproducible random numbers.
    ///
    /// - Parameters:
    ///   - clock: The clock; by default a new one that only the test advances.
    ///   - seed: The seed of the random numbers; 0 by default.
    public static func virtual(_ clock: VirtualClock = VirtualClock(), seed: UInt64 = 0) -> ChainEnvironment {
        ChainEnvironment(time: clock, random: SeededRandom(seed: seed))
    }
}
