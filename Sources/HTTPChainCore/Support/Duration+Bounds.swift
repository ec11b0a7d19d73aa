extension Duration {
    /// 100 years: longer than anybody waits, and short enough to be counted in nanoseconds and added up.
    package static let longest = Duration.seconds(100 * 365 * 86_400 as Int64)

    /// The duration, or the nearest from zero to ``longest``.
    package var bounded: Duration { min(max(self, .zero), .longest) }

    /// Whole nanoseconds; of a ``bounded`` duration.
    package var nanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }

    /// Whole nanoseconds, or the nearest number of them that there is.
    @usableFromInline
    package var clampedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isBeyond) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isTooLong || isBeyond ? (seconds < 0 ? .min : .max) : sum
    }

    /// Seconds with a fraction, for people to read.
    package var label: String {
        let milliseconds = Double(bounded.nanoseconds / 1_000_000)
        return "\(milliseconds / 1000) s"
    }
}
