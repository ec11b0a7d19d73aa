extension Duration {
    /// The duration in seconds, with its fraction.
    package var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
