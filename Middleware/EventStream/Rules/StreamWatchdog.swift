public import HTTPChainCore

/// The time that a server may be silent before its connection counts as lost.
///
/// A connection can be dead for hours before the system notices. Anything that the server sends shows that it isn't,
/// especially comments, which servers send as heartbeats. Only the time spent waiting for the next event counts, so
/// that a slow reader isn't mistaken for a silent server.
public struct StreamWatchdog: Sendable, Hashable {
    /// The limit until one has been learned from heartbeats; `nil` for none.
    package let limit: Duration?
    /// The number of missed heartbeats after which the connection counts as lost; `nil` if the limit is fixed.
    let factor: Int?
    /// The shortest limit that can be learned.
    let minimum: Duration

    /// No limit on silence.
    public static let off = StreamWatchdog(limit: nil, factor: nil, minimum: .zero)

    /// A fixed limit on silence.
    public static func after(_ limit: Duration) -> StreamWatchdog {
        StreamWatchdog(limit: limit.bounded, factor: nil, minimum: .zero)
    }

    /// A limit learned from the server's heartbeats, once it has sent some.
    ///
    /// A heartbeat is a comment. The limit is based on the longest of the last few gaps, because servers may omit
    /// heartbeats while they send events.
    ///
    /// - Parameters:
    ///   - limit: The limit until heartbeats have arrived, and the maximum after that; 5 minutes by default.
    ///   - factor: The number of missed heartbeats after which the connection counts as lost; 3 by default.
    ///   - minimum: The shortest limit that can be learned; 10 seconds by default.
    public static func learning(
        limit: Duration = .seconds(300),
        factor: Int = 3,
        minimum: Duration = .seconds(10)
    ) -> StreamWatchdog {
        StreamWatchdog(limit: limit.bounded, factor: max(1, factor), minimum: minimum.bounded)
    }
}

/// The record of a server's silences.
package struct SilenceWatch: Sendable {
    /// The number of gaps that are remembered.
    private static let memory = 4

    package let watchdog: StreamWatchdog
    private var lastHeartbeat: Duration?
    private var gaps: [Duration] = []

    package init(_ watchdog: StreamWatchdog) {
        self.watchdog = watchdog
    }

    /// Records a new connection.
    ///
    /// The time without a connection isn't a gap.
    package mutating func opened() {
        lastHeartbeat = nil
    }

    /// Records a comment.
    package mutating func heartbeat(at now: Duration) {
        defer { lastHeartbeat = now }
        // Comments that arrive together are a single heartbeat.
        guard watchdog.factor != nil, let lastHeartbeat, now > lastHeartbeat else { return }
        gaps.append(now - lastHeartbeat)
        if gaps.count > Self.memory { gaps.removeFirst() }
    }

    /// The time that the server may be silent; nil for no limit.
    package var limit: Duration? {
        guard let limit = watchdog.limit, let factor = watchdog.factor, gaps.count >= 2, let longest = gaps.max()
        else { return watchdog.limit }
        return min(limit, max(watchdog.minimum, longest.bounded * min(factor, 1000)))
    }
}

extension StreamWatchdog: CustomStringConvertible, DescribedValue {
    /// "off", "300.0 s", "300.0 s, or 3 heartbeats".
    package var words: String {
        guard let limit else { return "off" }
        return limit.label + (factor.map { ", or \($0) heartbeats" } ?? "")
    }
}
