#if Valkey
import Foundation
import HTTPChainCore

/// How far the server's clock is ahead of this machine's.
///
/// Times in a description are by the clock of the machine that stored it. With the difference to the server's clock beside
/// them, another machine reads them as its own clock would have shown them.
struct ClockReading: Sendable, Equatable {
    /// Seconds that the server is ahead.
    var offset: Double
    /// How far off that may be.
    var uncertainty: Double

    /// Seconds to add to times of another machine.
    ///
    /// Nothing is added where the difference may be one of measurement, or is less than a second, which no rule of
    /// freshness looks at (RFC 9111 §1.2.2).
    func shift(from other: ClockReading) -> Double {
        let shift = other.offset - offset
        guard shift.isFinite, abs(shift) > 1 + uncertainty + other.uncertainty, abs(shift) < 1e11 else { return 0 }
        return shift
    }
}

/// Learns the difference from the answers of the server: the shorter the way, the better it is known (RFC 5905 §8).
final class ServerClock: Sendable {
    private struct State {
        var reading: ClockReading?
        var at = Duration.zero
    }
    private let time: any TimeSource
    private let state = Locked(State())

    init(_ time: any TimeSource) {
        self.time = time
    }

    var now: Date { time.date }

    var reading: ClockReading? { state.withLock { $0.reading } }

    /// Takes what the server's clock said, in seconds since 1970, to a question that was sent at a time.
    func learn(_ server: Double, sentAt: Date) {
        let (received, elapsed) = (time.date, time.elapsed)
        let way = received.timeIntervalSince(sentAt)
        guard way >= 0, server.isFinite else { return }
        let own = sentAt.timeIntervalSince1970 + way / 2
        let sample = ClockReading(offset: server - own, uncertainty: way / 2)
        state.withLock { state in
            if let known = state.reading {
                // Clocks drift apart: what was measured long ago is less certain.
                let doubt = known.uncertainty + max(0, (elapsed - state.at).inSeconds) * 1e-4
                let isSet = abs(sample.offset - known.offset) > sample.uncertainty + doubt + 0.05
                guard isSet || sample.uncertainty <= doubt else { return }
            }
            state = State(reading: sample, at: elapsed)
        }
    }
}
#endif
