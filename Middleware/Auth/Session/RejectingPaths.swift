/// The paths that rejected even a token that was just refreshed: for a while a 401 from there is no reason for a refresh.
///
/// A path that always answers 401 would otherwise use up the refreshes of all the others.
struct RejectingPaths: Sendable {
    /// Paths may be built of what servers say, so that there must be an end to them.
    static let capacity = 64

    private let interval: Duration
    private var times: [String: Duration] = [:]

    /// - Parameter interval: How long a path is remembered.
    init(for interval: Duration) {
        self.interval = interval
    }

    mutating func note(_ path: String, at now: Duration) {
        guard interval > .zero else { return }
        if times.count >= Self.capacity {
            times = times.filter { now - $0.value < interval }
            if times.count >= Self.capacity, let oldest = times.min(by: { $0.value < $1.value }) {
                times[oldest.key] = nil
            }
        }
        times[Self.key(path)] = now
    }

    func contains(_ path: String, at now: Duration) -> Bool {
        guard !times.isEmpty, let time = times[Self.key(path)] else { return false }
        return now - time < interval
    }

    /// A query makes no other path.
    private static func key(_ path: String) -> String {
        String(Substring(path.utf8.prefix { $0 != UInt8(ascii: "?") }))
    }
}
