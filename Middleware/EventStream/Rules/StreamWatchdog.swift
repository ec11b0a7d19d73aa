import HTTPChainCore

/// The time for which a server may be silent before its connection counts as lost.
///
/// A connection can be dead for hours before the system notices. Anything that arrives counts, comments above all:
/// servers send them as heartbeats. Only the time in which somebody waits for the next event counts, so that a slow reader
/// is no silent server.
public struct StreamWatchdog: Sendable, Hashable, CustomStringConvertible {
    /// The limit as long as nothing is learned; `nil` for none.
    public let limit: Duration?
    /// The number of missed heartbeats that are one too many; `nil` where nothing is learned.
    let factor: Int?
    /// The shortest limit that is learned.
    let minimum: Duration

    /// The server may be silent as long as it likes.
    public static let off = StreamWatchdog(limit: nil, factor: nil, minimum: .zero)

    /// The server may be silent for so long.
    public static func after(_ limit: Duration) -> StreamWatchdog {
        StreamWatchdog(limit: limit.bounded, factor: nil, minimum: .zero)
    }

    /// The server may be silent for as long as a few of its heartbeats take, once it has sent some.
    ///
    /// A heartbeat is a comment. Of the gaps between the last ones the longest counts, so that heartbeats which a server
    /// leaves out while it sends events do no harm.
    ///
    /// - Parameters:
    ///   - limit: The limit before heartbeats were seen, and the longest one; 5 minutes by default.
    ///   - factor: After how many heartbeats' time the connection counts as lost; 3 by default.
    ///   - minimum: What a learned limit is never shorter than; 10 seconds by default.
    public static func learning(
        limit: Duration = .seconds(300),
        factor: Int = 3,
        minimum: Duration = .seconds(10)
    ) -> StreamWatchdog {
        StreamWatchdog(limit: limit.bounded, factor: max(1, factor), minimum: minimum.bounded)
    }

    /// "off", "300.0 s", "300.0 s, or 3 heartbeats".
    public var description: String {
        guard let limit else { return "off" }
        return limit.label + (factor.map { ", or \($0) heartbeats" } ?? "")
    }
}

/// The record of a server's silences: a pure value.
struct SilenceWatch: Sendable {
    /// The number of gaps that are remembered.
    private static let memory = 4

    let watchdog: StreamWatchdog
    private var lastHeartbeat: Duration?
    private var gaps: [Duration] = []

    init(_ watchdog: StreamWatchdog) {
        self.watchdog = watchdog
    }

    /// A connection was opened: the time without one is no gap.
    mutating func opened() {
        lastHeartbeat = nil
    }

    /// A comment arrived.
    mutating func heartbeat(at now: Duration) {
        defer { lastHeartbeat = now }
        // Comments that arrive together are one heartbeat.
        guard watchdog.factor != nil, let lastHeartbeat, now > lastHeartbeat else { return }
        gaps.append(now - lastHeartbeat)
        if gaps.count > Self.memory { gaps.removeFirst() }
    }

    /// How long the server may be silent; nil for as long as it likes.
    var limit: Duration? {
        guard let limit = watchdog.limit, let factor = watchdog.factor, gaps.count >= 2, let longest = gaps.max()
        else { return watchdog.limit }
        return min(limit, max(watchdog.minimum, longest.bounded * min(factor, 1000)))
    }
}
