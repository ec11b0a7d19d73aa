/// A source of random numbers that can be used by several tasks at once.
public protocol RandomSource: Sendable {
    /// Returns 64 random bits.
    func next() -> UInt64
}

/// The system's cryptographically secure generator.
package struct SystemRandom: RandomSource {
    package init() {}

    package func next() -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }
}

extension RandomSource {
    /// Returns a number uniformly distributed in `range`.
    package func double(in range: ClosedRange<Double>) -> Double {
        let unit = Double(next() >> 11) * 0x1p-53
        return range.lowerBound + (range.upperBound - range.lowerBound) * unit
    }

    /// Returns `count` random bytes.
    package func bytes(_ count: Int) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(count)
        while result.count < count {
            withUnsafeBytes(of: next()) { result.append(contentsOf: $0.prefix(count - result.count)) }
        }
        return result
    }
}
