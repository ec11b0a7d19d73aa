extension Duration {
    /// The duration in seconds, with its fraction.
    package var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }

    /// Makes a duration from a number of seconds, clamped to ±10^18; NaN becomes zero.
    package static func clamped(seconds: Double) -> Duration {
        seconds.isNaN ? .zero : .seconds(min(max(seconds, -1e18), 1e18))
    }
}
