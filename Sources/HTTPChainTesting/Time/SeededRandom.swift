public import HTTPChainCore

/// Random numbers that are the same on each run: the same seed gives the same numbers, on every platform.
///
/// The generator is SplitMix64 (Steele, Lea and Flood, 2014). It is for tests alone: its numbers can be guessed.
public final class SeededRandom: RandomSource {
    private let state: Locked<UInt64>

    /// Starts the sequence that belongs to a seed.
    public init(seed: UInt64) {
        state = Locked(seed)
    }

    /// The next 64 bits of the sequence.
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
    /// An environment that a test controls: a virtual clock, and random numbers that are the same on each run.
    ///
    /// - Parameters:
    ///   - clock: The clock; a new one that the test does not move by default.
    ///   - seed: Which random numbers; 0 by default.
    public static func virtual(_ clock: VirtualClock = VirtualClock(), seed: UInt64 = 0) -> ChainEnvironment {
        ChainEnvironment(time: clock, random: SeededRandom(seed: seed))
    }
}
