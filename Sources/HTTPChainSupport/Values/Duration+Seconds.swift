extension Duration {
    /// The duration in seconds, with its fraction.
    package var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }

    /// Makes a duration of at most 10^18 seconds either way; one that isn't a number is zero.
    package static func clamped(seconds: Double) -> Duration {
        seconds.isNaN ? .zero : .seconds(min(max(seconds, -1e18), 1e18))
    }
}
