/// The paths that rejected even a new token; for some time, a 401 from them causes no refresh.
///
/// Otherwise a path that always responds with 401 would use up the refreshes of all others.
struct RejectingPaths: Sendable {
    /// Bounded, because paths may be built from server data.
    static let capacity = 64

    private let interval: Duration
    private var times: [String: Duration] = [:]

    /// - Parameter interval: The time for which a path is remembered.
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

    /// The path without its query.
    private static func key(_ path: String) -> String {
        String(Substring(path.utf8.prefix { $0 != UInt8(ascii: "?") }))
    }
}
