#if Tracing
package import HTTPChainCore

/// Random IDs of traces and spans, from a generator that is seeded once with random numbers of the system.
///
/// Getting a random number from the system for each ID would take longer than everything else in an unrecorded attempt.
///
/// The generator is xoshiro256** (Blackman and Vigna, "Scrambled linear pseudorandom number generators"). Its state is
/// larger than a trace ID, so the IDs of two programs don't collide more often than fully random IDs. IDs aren't
/// secret, and don't have to be unpredictable.
package struct TraceIDs: Sendable {
    private let generator: Locked<Xoshiro256>

    package init(seededBy random: any RandomSource) {
        generator = Locked(Xoshiro256(random.next(), random.next(), random.next(), random.next()))
    }

    /// Returns the two halves of a trace ID, and the ID of the trace's first span.
    package func root() -> (high: UInt64, low: UInt64, span: UInt64) {
        generator.withLock { ($0.next(), $0.next(), $0.next()) }
    }

    /// Returns the ID of a span.
    package func span() -> UInt64 { generator.withLock { $0.next() } }
}

/// The generator xoshiro256**, with a period of 2^256 - 1.
package struct Xoshiro256: Sendable {
    private var state: (UInt64, UInt64, UInt64, UInt64)

    /// Makes a generator with an initial state.
    ///
    /// A state of all zeros is replaced, because the generator would never leave it.
    package init(_ first: UInt64, _ second: UInt64, _ third: UInt64, _ fourth: UInt64) {
        state = (first | second | third | fourth == 0 ? 1 : first, second, third, fourth)
    }

    package mutating func next() -> UInt64 {
        let scrambled = Self.rotate(state.1 &* 5, by: 7) &* 9
        let shifted = state.1 << 17
        state.2 ^= state.0
        state.3 ^= state.1
        state.1 ^= state.2
        state.0 ^= state.3
        state.2 ^= shifted
        state.3 = Self.rotate(state.3, by: 45)
        return scrambled
    }

    private static func rotate(_ bits: UInt64, by count: UInt64) -> UInt64 { bits &<< count | bits &>> (64 - count) }
}
#endif
