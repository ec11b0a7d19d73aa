public import HTTPChainCore

/// The number of refreshes that a stage allows in an interval, to prevent loops.
///
/// A server that rejects every new token, or issues expired ones, would otherwise cause a token request for each call.
public struct RefreshLimit: Sendable, Hashable {
    /// The maximum number of refreshes started in one interval.
    package let count: Int
    /// The length of the sliding interval.
    package let interval: Duration

    /// Makes a limit.
    ///
    /// - Parameters:
    ///   - count: The maximum number of refreshes started in one interval. `.max` allows any number; negative
    ///     numbers count as 0.
    ///   - interval: The length of the interval, at least a second.
    public init(_ count: Int, within interval: Duration) {
        self.count = max(0, count)
        // An interval of zero or less would allow any number, which only the largest count may do.
        self.interval = count == .max ? .zero : max(.seconds(1), interval)
    }

    /// Five in 30 seconds.
    @usableFromInline package static let standard = RefreshLimit(5, within: .seconds(30))
    /// Any number.
    package static let none = RefreshLimit(.max, within: .zero)
}

extension RefreshLimit: CustomStringConvertible, DescribedValue {
    /// The limit, such as "5 in 30.0 seconds".
    package var words: String { self == .none ? "none" : "\(count) in \(interval)" }
}
