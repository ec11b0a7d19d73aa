/// The number of refreshes after which a stage takes them for a loop.
///
/// A server that rejects every new token, or hands out tokens that have expired already, would otherwise make each
/// call a new request for a token.
public struct RefreshLimit: Sendable, Hashable, CustomStringConvertible {
    /// The number of refreshes that are begun in one interval, at most.
    public let count: Int
    /// The length of the interval, which ends now at any time.
    public let interval: Duration

    /// Makes a limit.
    ///
    /// - Parameters:
    ///   - count: How many refreshes are begun in one interval, at most; a negative number counts as 0.
    ///   - interval: The length of the interval.
    public init(_ count: Int, within interval: Duration) {
        self.count = max(0, count)
        self.interval = interval
    }

    /// Five in 30 seconds.
    public static let standard = RefreshLimit(5, within: .seconds(30))
    /// Any number.
    public static let none = RefreshLimit(.max, within: .zero)

    /// The limit, such as "5 in 30.0 seconds".
    public var description: String { self == .none ? "none" : "\(count) in \(interval)" }
}

/// Counts the refreshes of the last interval.
struct RefreshWindow: Sendable {
    private let limit: RefreshLimit
    private var times: [Duration] = []

    init(_ limit: RefreshLimit) {
        self.limit = limit
    }

    /// Whether one more may begin.
    mutating func hasRoom(at now: Duration) -> Bool {
        times.removeAll { now - $0 >= limit.interval }
        return times.count < limit.count
    }

    /// Whether one more may begin; it is counted if so.
    mutating func admit(at now: Duration) -> Bool {
        guard hasRoom(at: now) else { return false }
        times.append(now)
        return true
    }

    /// Takes back what ``admit(at:)`` counted: the refresh was abandoned.
    mutating func withdraw(_ time: Duration) {
        if let index = times.lastIndex(of: time) { times.remove(at: index) }
    }
}
