#if Valkey
import Foundation
import HTTPChainCore

/// The difference between the server's clock and this machine's.
///
/// Times in a description are by the clock of the machine that stored it. The difference to the server's clock is
/// stored with them, so that another machine can convert them to its own clock.
struct ClockReading: Sendable, Equatable {
    /// The number of seconds that the server's clock is ahead.
    var offset: Double
    /// The uncertainty of the offset in seconds.
    var uncertainty: Double

    /// Returns the seconds to add to another machine's times.
    ///
    /// Differences that are within the uncertainty aren't corrected, nor are those of less than a second, because
    /// freshness rules use whole seconds (RFC 9111 §1.2.2).
    func shift(from other: ClockReading) -> Double {
        let shift = other.offset - offset
        guard shift.isFinite, abs(shift) > 1 + uncertainty + other.uncertainty, abs(shift) < 1e11 else { return 0 }
        return shift
    }
}

/// Measures the difference from the server's replies.
///
/// The shorter the round trip, the more precise is the measurement (RFC 5905 §8).
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

    /// Records the server's time, in seconds since 1970, in the reply to a request sent at the given time.
    func learn(_ server: Double, sentAt: Date) {
        let (received, elapsed) = (time.date, time.elapsed)
        let way = received.timeIntervalSince(sentAt)
        guard way >= 0, server.isFinite else { return }
        let own = sentAt.timeIntervalSince1970 + way / 2
        let sample = ClockReading(offset: server - own, uncertainty: way / 2)
        state.withLock { state in
            if let known = state.reading {
                // Clocks drift apart, so old measurements are less certain.
                let doubt = known.uncertainty + max(0, (elapsed - state.at).inSeconds) * 1e-4
                let isSet = abs(sample.offset - known.offset) > sample.uncertainty + doubt + 0.05
                guard isSet || sample.uncertainty <= doubt else { return }
            }
            state = State(reading: sample, at: elapsed)
        }
    }
}
#endif
