#if Tracing
import HTTPChainCore

/// Random ids of traces and spans, from a generator that the system's random numbers are asked for once: to ask them for
/// each id would take longer than all else that an attempt costs which is not recorded.
///
/// The generator is xoshiro256** (Blackman and Vigna, "Scrambled linear pseudorandom number generators"), whose state is
/// wider than a trace's id: two programs have the same ids no more often than ids that are random throughout. Ids are not
/// secret, and neither is what comes next.
struct TraceIDs: Sendable {
    private let generator: Locked<Xoshiro256>

    init(seededBy random: any RandomSource) {
        generator = Locked(Xoshiro256(random.next(), random.next(), random.next(), random.next()))
    }

    /// Both halves of the id of a trace, and the id of its first span.
    func root() -> (high: UInt64, low: UInt64, span: UInt64) {
        generator.withLock { ($0.next(), $0.next(), $0.next()) }
    }

    /// The id of a span.
    func span() -> UInt64 { generator.withLock { $0.next() } }
}

/// The generator xoshiro256**, with a period of 2^256 - 1.
struct Xoshiro256: Sendable {
    private var state: (UInt64, UInt64, UInt64, UInt64)

    /// A generator whose state is these numbers; the one state that it never leaves, all zeros, is replaced.
    init(_ first: UInt64, _ second: UInt64, _ third: UInt64, _ fourth: UInt64) {
        state = (first | second | third | fourth == 0 ? 1 : first, second, third, fourth)
    }

    mutating func next() -> UInt64 {
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

    @inline(__always)
    private static func rotate(_ bits: UInt64, by count: UInt64) -> UInt64 { bits &<< count | bits &>> (64 - count) }
}
#endif
