extension Duration {
    /// 100 years; this is longer than any wait, and short enough for sums in nanoseconds.
    package static let longest = Duration.seconds(100 * 365 * 86_400 as Int64)

    /// The duration, clamped to the range from zero to ``longest``.
    package var bounded: Duration { min(max(self, .zero), .longest) }

    /// The number of whole nanoseconds of a ``bounded`` duration.
    package var nanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }

    /// The number of whole nanoseconds, clamped to 64 bits.
    @usableFromInline
    package var clampedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isBeyond) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isTooLong || isBeyond ? (seconds < 0 ? .min : .max) : sum
    }

    /// The number of seconds with a fraction, for display.
    package var label: String {
        let milliseconds = Double(bounded.nanoseconds / 1_000_000)
        return "\(milliseconds / 1000) s"
    }
}
