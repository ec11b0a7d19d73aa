#if AllTests
import HTTPChainCore
import HTTPChainEventStream
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

private let lost = TransportError(.connectionLost, sent: .answered, stage: "test")

/// Always the same number.
private struct Constant: RandomSource {
    let value: UInt64
    func next() -> UInt64 { value }
}

@Suite("What follows when a stream is interrupted", .timeLimit(.minutes(10)))
struct ReconnectionTests {
    private func waits(
        _ policy: ReconnectionPolicy,
        _ count: Int,
        random: UInt64 = 0,
        before: (inout Reconnection) -> Void = { _ in }
    ) -> [Duration] {
        var reconnection = Reconnection(policy, isReplayable: true)
        return (0..<count).compactMap { _ in
            before(&reconnection)
            let decision = reconnection.decide(.broken(lost), at: .zero, random: Constant(value: random))
            if case .reconnect(let wait) = decision { return wait }
            return nil
        }
    }

    @Test("The wait doubles with each failure up to the longest")
    func doubles() {
        #expect(waits(ReconnectionPolicy(), 7) == [1, 2, 4, 8, 16, 30, 30].map { .seconds($0) })
        #expect(waits(ReconnectionPolicy(delay: .zero), 3) == [.zero, .seconds(1), .seconds(2)])
        #expect(waits(ReconnectionPolicy(delay: .seconds(60)), 2) == [.seconds(60), .seconds(60)])
        #expect(waits(ReconnectionPolicy(delay: .seconds(-1), maximumDelay: .seconds(-1)), 1) == [.zero])
    }

    @Test("Jitter lengthens a wait and never shortens it, so that the server's delay is respected")
    func jitter() {
        let longest = waits(ReconnectionPolicy(jitter: 0.5), 1, random: .max)
        #expect(longest[0] > .milliseconds(1_499) && longest[0] <= .milliseconds(1_500))
        #expect(waits(ReconnectionPolicy(jitter: 0), 1, random: .max) == [.seconds(1)])
        #expect(waits(ReconnectionPolicy(jitter: .nan), 1, random: .max) == [.seconds(1)])
        #expect(waits(ReconnectionPolicy(jitter: 7), 1, random: .max)[0] <= .seconds(2))
    }

    @Test("The server's retry takes the place of the first wait, up to a limit")
    func retry() {
        #expect(waits(ReconnectionPolicy(), 3) { $0.retry(.seconds(3)) } == [.seconds(3), .seconds(6), .seconds(12)])
        for short in [Duration.zero, .milliseconds(5), .seconds(-1)] {
            let found = waits(ReconnectionPolicy(), 3) { $0.retry(short) }
            #expect(found == [.milliseconds(500), .seconds(1), .seconds(2)])
        }
        #expect(waits(ReconnectionPolicy(), 1) { $0.retry(.seconds(1 << 40)) } == [.seconds(300)])
    }

    @Test("A limit of zero or less ignores the server's retry, and a tiny one keeps the shortest delay")
    func ignoredRetry() {
        for limit in [Duration.zero, .seconds(-1)] {
            let policy = ReconnectionPolicy(delay: .milliseconds(100), serverDelayLimit: limit)
            #expect(waits(policy, 2) { $0.retry(.milliseconds(600)) } == [.milliseconds(100), .milliseconds(200)])
        }
        let tiny = ReconnectionPolicy(delay: .milliseconds(100), serverDelayLimit: .nanoseconds(1))
        #expect(waits(tiny, 2) { $0.retry(.milliseconds(600)) } == [.milliseconds(500), .seconds(1)])
    }

    @Test("Without a delay, a stream that ends at once after an event is reopened after half a second")
    func briefConnections() {
        for stableAfter in [Duration.zero, .seconds(60)] {
            var reconnection = Reconnection(
                ReconnectionPolicy(delay: .zero, jitter: 0, stableAfter: stableAfter),
                isReplayable: true
            )
            for (lasting, wait) in [(0, 500), (499, 500), (500, 0)] {
                reconnection.opened(at: .zero)
                reconnection.received()
                let decision = reconnection.decide(.ended, at: .milliseconds(lasting), random: Constant(value: 0))
                #expect(decision == .reconnect(after: .milliseconds(wait)), "\(lasting)")
            }
        }
    }

    @Test("A connection that worked long enough, and one that ended in good order after events, begins anew")
    func reset() {
        var reconnection = Reconnection(ReconnectionPolicy(jitter: 0), isReplayable: true)
        func decide(_ cause: StreamInterruption.Cause, at time: Int) -> Reconnection.Decision {
            reconnection.decide(cause, at: .seconds(time), random: Constant(value: 0))
        }
        #expect(decide(.broken(lost), at: 0) == .reconnect(after: .seconds(1)))
        #expect(decide(.broken(lost), at: 1) == .reconnect(after: .seconds(2)))
        reconnection.opened(at: .seconds(10))
        #expect(decide(.broken(lost), at: 69) == .reconnect(after: .seconds(4)))
        reconnection.opened(at: .seconds(100))
        #expect(decide(.broken(lost), at: 160) == .reconnect(after: .seconds(1)))
        reconnection.opened(at: .seconds(200))
        #expect(decide(.ended, at: 201) == .reconnect(after: .seconds(2)))
        reconnection.opened(at: .seconds(210))
        reconnection.received()
        #expect(decide(.ended, at: 211) == .reconnect(after: .seconds(1)))
    }

    @Test(
        "What passes by itself is asked for again, and what does not is an error",
        arguments: [
            (StreamInterruption.Cause.ended, true), (.silent(.seconds(1)), true),
            (.status(.serviceUnavailable, retryAfter: nil), true), (.status(.tooManyRequests, retryAfter: nil), true),
            (.status(.internalServerError, retryAfter: nil), true), (.status(.notFound, retryAfter: nil), false),
            (.status(.unauthorized, retryAfter: nil), false), (.status(.resetContent, retryAfter: nil), false),
            (.notOpened(TransportError(.cannotConnect, sent: .nothing, stage: "t")), true),
            (.notOpened(TransportError(.hostNotFound, sent: .nothing, stage: "t")), true),
            (.notOpened(TransportError(.untrustedServer, sent: .nothing, stage: "t")), false),
            (.notOpened(InvalidRequestError(.invalidURL("", ""))), false), (.broken(lost), true),
            (.broken(EventStreamError(.eventTooLarge(limit: 1))), false),
        ] as [(StreamInterruption.Cause, Bool)]
    )
    func standard(cause: StreamInterruption.Cause, isRepeated: Bool) {
        var reconnection = Reconnection(ReconnectionPolicy(jitter: 0), isReplayable: true)
        let decision = reconnection.decide(cause, at: .zero, random: Constant(value: 0))
        #expect(decision == (isRepeated ? .reconnect(after: .seconds(1)) : .fail))
        // A request whose body is gone cannot be sent again.
        var once = Reconnection(ReconnectionPolicy(), isReplayable: false)
        #expect(once.decide(cause, at: .zero, random: Constant(value: 0)) == .fail)
    }

    @Test("204 No Content ends a stream, and so does its end where the policy says so")
    func ends() {
        var reconnection = Reconnection(ReconnectionPolicy(), isReplayable: true)
        #expect(
            reconnection.decide(.status(.noContent, retryAfter: nil), at: .zero, random: SystemRandom()) == .finish
        )
        var never = Reconnection(.never, isReplayable: true)
        #expect(never.decide(.ended, at: .zero, random: SystemRandom()) == .finish)
        #expect(never.decide(.broken(lost), at: .zero, random: SystemRandom()) == .fail)
    }

    @Test("Retry-After is kept to, up to a limit")
    func retryAfter() {
        func wait(_ asked: Duration) -> Reconnection.Decision {
            var reconnection = Reconnection(ReconnectionPolicy(jitter: 0), isReplayable: true)
            let cause = StreamInterruption.Cause.status(.serviceUnavailable, retryAfter: asked)
            return reconnection.decide(cause, at: .zero, random: Constant(value: 0))
        }
        #expect(wait(.seconds(20)) == .reconnect(after: .seconds(20)))
        #expect(wait(.zero) == .reconnect(after: .seconds(1)))
        #expect(wait(.seconds(1_000)) == .reconnect(after: .seconds(300)))
    }

    @Test("A policy limits what a server may ask for, and says when failures are forgotten and that an end is final")
    func ownSettings() {
        let limited = ReconnectionPolicy(jitter: 0, serverDelayLimit: .seconds(10))
        #expect(waits(limited, 1) { $0.retry(.seconds(11)) } == [.seconds(10)])
        #expect(waits(limited, 1) { $0.retry(.seconds(9)) } == [.seconds(9)])
        var reconnection = Reconnection(limited, isReplayable: true)
        let busy = StreamInterruption.Cause.status(.serviceUnavailable, retryAfter: .seconds(11))
        let asked = reconnection.decide(busy, at: .zero, random: Constant(value: 0))
        #expect(asked == .reconnect(after: .seconds(10)))

        for (time, wait) in [(4, 2), (5, 1)] {
            var brief = Reconnection(ReconnectionPolicy(jitter: 0, stableAfter: .seconds(5)), isReplayable: true)
            _ = brief.decide(.broken(lost), at: .zero, random: Constant(value: 0))
            brief.opened(at: .zero)
            let next = brief.decide(.broken(lost), at: .seconds(time), random: Constant(value: 0))
            #expect(next == .reconnect(after: .seconds(wait)), "\(time)")
        }

        var ending = Reconnection(ReconnectionPolicy(jitter: 0, reconnectsAtEnd: false), isReplayable: true)
        let broken = ending.decide(.broken(lost), at: .zero, random: Constant(value: 0))
        #expect(broken == .reconnect(after: .seconds(1)))
        #expect(ending.decide(.ended, at: .zero, random: Constant(value: 0)) == .finish)
    }

    @Test("After as many failures in a row as are allowed the next is the last")
    func maximum() {
        #expect(waits(ReconnectionPolicy(maximumFailures: 2), 5).count == 2)
    }

    @Test("The verdict is called before the policy's rules, with the interruption")
    func verdict() throws {
        let seen = Events<StreamInterruption>()
        let verdicts: [ReconnectionVerdict] = [.finish, .fail, .reconnectAfter(.seconds(7)), .reconnect, .standard]
        let policy = ReconnectionPolicy(jitter: 0) { interruption in
            seen.add(interruption)
            return verdicts[interruption.failures - 1]
        }
        var reconnection = Reconnection(policy, isReplayable: true)
        reconnection.opened(at: .zero)
        reconnection.received()
        let decisions = verdicts.map { _ in
            reconnection.decide(.status(.notFound, retryAfter: nil), at: .zero, random: Constant(value: 0))
        }
        #expect(
            decisions == [
                .finish, .fail, .reconnect(after: .seconds(7)), .reconnect(after: .seconds(8)), .fail,
            ]
        )
        #expect(seen.all.map(\.failures) == [1, 2, 3, 4, 5])
    }
}

@Suite("What a watchdog learns", .timeLimit(.minutes(10)))
struct WatchdogTests {
    private func limit(_ watchdog: StreamWatchdog, heartbeats: [Int]) -> Duration? {
        var watch = SilenceWatch(watchdog)
        watch.opened()
        for time in heartbeats { watch.heartbeat(at: .seconds(time)) }
        return watch.limit
    }

    @Test("Three heartbeats are learned from, and the longest gap of the last ones counts")
    func learns() {
        #expect(limit(.learning(), heartbeats: []) == .seconds(300))
        #expect(limit(.learning(), heartbeats: [0, 15]) == .seconds(300))
        #expect(limit(.learning(), heartbeats: [0, 15, 30]) == .seconds(45))
        #expect(limit(.learning(), heartbeats: [0, 15, 45, 60]) == .seconds(90))
        #expect(limit(.learning(), heartbeats: [0, 60, 70, 80, 90, 100]) == .seconds(30))
    }

    @Test("What is learned has bounds")
    func bounds() {
        #expect(limit(.learning(), heartbeats: [0, 1, 2]) == .seconds(10))
        #expect(limit(.learning(), heartbeats: [0, 200, 400]) == .seconds(300))
        #expect(limit(.learning(factor: 0), heartbeats: [0, 15, 30]) == .seconds(15))
        #expect(limit(.learning(factor: .max), heartbeats: [0, 15, 30]) == .seconds(300))
    }

    @Test("Comments that arrive together are one heartbeat, and the time without a connection is no gap")
    func gaps() {
        #expect(limit(.learning(), heartbeats: [0, 0, 0, 0, 15]) == .seconds(300))
        var watch = SilenceWatch(.learning())
        for time in [0, 15, 30] { watch.heartbeat(at: .seconds(time)) }
        watch.opened()
        watch.heartbeat(at: .seconds(90))
        #expect(watch.limit == .seconds(45))
    }

    @Test("A fixed limit isn't learned, and `off` means no limit")
    func fixed() {
        #expect(limit(.after(.seconds(5)), heartbeats: [0, 1, 2, 3]) == .seconds(5))
        #expect(limit(.off, heartbeats: [0, 1, 2, 3]) == nil)
    }
}
#endif
