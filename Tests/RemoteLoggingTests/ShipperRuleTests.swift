#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainTesting
import HTTPTypes
import Logging
import TestSupport
import Testing

@testable import HTTPChainLogShipper
@testable import HTTPChainRemoteLogging

@Suite("When a log shipper sends, and when again", .seeded)
struct ShipperRuleTests {
    @Test(
        "A batch is sent when it is full, old enough or wanted",
        arguments: [
            (0, 0, 0, true, .idle), (0, 0, 9, false, .idle),
            (1, 10, 0, false, .wait(until: .seconds(6))), (1, 10, 5, false, .wait(until: .seconds(6))),
            (1, 10, 6, false, .send), (1, 10, 60, false, .send), (1, 10, 0, true, .send),
            (9, 10, 5, false, .wait(until: .seconds(6))), (10, 10, 5, false, .send), (11, 10, 5, false, .send),
            (1, 999, 5, false, .wait(until: .seconds(6))), (1, 1000, 5, false, .send),
        ] as [(Int, Int, Int, Bool, BatchRule.Decision)]
    )
    func batch(records: Int, bytes: Int, now: Int, isUrgent: Bool, decision: BatchRule.Decision) {
        let rule = BatchRule(records: 10, bytes: 1000, age: .seconds(1))
        #expect(
            rule.decision(
                records: records,
                bytes: bytes,
                since: .seconds(5),
                now: .seconds(now),
                isUrgent: isUrgent
            ) == decision
        )
    }

    /// The longest pause that chance can give.
    private struct Highest: RandomSource {
        func next() -> UInt64 { .max }
    }

    private func retries(_ change: (inout LogShipper.Settings) -> Void = { _ in }) -> ExportRetries {
        var settings = LogShipper.Settings()
        settings.retryBase = .seconds(1)
        settings.retryCap = .seconds(5)
        settings.retryAfterCap = .seconds(60)
        settings.attempts = 3
        change(&settings)
        return ExportRetries(settings.bounded)
    }

    private func seconds(_ step: ExportRetries.Step) -> Double? {
        guard case .wait(let pause, _) = step else { return nil }
        return Double(pause.components.seconds) + Double(pause.components.attoseconds) / 1e18
    }

    @Test("The longest pause doubles up to its cap")
    func doubling() throws {
        var retries = retries()
        for longest in [1.0, 2, 4, 5, 5, 5] {
            let step = retries.step(asked: nil, isAmbiguous: false, isUrgent: false, random: Highest())
            let pause = try #require(seconds(step))
            #expect(abs(pause - longest) < 1e-6)
        }
    }

    @Test("Any pause up to the longest is as likely as another")
    func jitter() throws {
        let random = Seed.numbers(7)
        var fifths = [0, 0, 0, 0, 0]
        for _ in 0..<1000 {
            var retries = retries()
            let step = retries.step(asked: nil, isAmbiguous: false, isUrgent: false, random: random)
            fifths[min(4, Int(try #require(seconds(step)) * 5))] += 1
        }
        #expect(fifths.allSatisfy { (140...260).contains($0) })
    }

    @Test("While somebody waits pauses do not grow, and after that they begin anew")
    func urgent() throws {
        var retries = retries()
        for _ in 0..<4 { _ = retries.step(asked: nil, isAmbiguous: false, isUrgent: false, random: Highest()) }
        let urgent = retries.step(asked: nil, isAmbiguous: false, isUrgent: true, random: Highest())
        #expect(abs(try #require(seconds(urgent)) - 1) < 1e-6)
        retries.hurry()
        let anew = retries.step(asked: nil, isAmbiguous: false, isUrgent: false, random: Highest())
        #expect(abs(try #require(seconds(anew)) - 1) < 1e-6)
    }

    @Test(
        "What the receiver asks for is kept to, up to a cap, unless chance says longer",
        arguments: [(10, 10, true), (60, 60, true), (3600, 60, true), (1, 1, true), (0, 1, false)]
    )
    func asked(asked: Int, pause: Int, isAsked: Bool) throws {
        var retries = retries()
        let step = retries.step(asked: .seconds(asked), isAmbiguous: false, isUrgent: false, random: Highest())
        #expect(abs(try #require(seconds(step)) - Double(pause)) < 1e-6)
        guard case .wait(_, isAsked) = step else {
            Issue.record("\(step)")
            return
        }
    }

    @Test("A batch that may have arrived is sent a number of times, one that has not as often as it takes")
    func doubts() {
        var retries = retries()
        for _ in 0..<100 {
            #expect(retries.step(asked: nil, isAmbiguous: false, isUrgent: false, random: Highest()) != .giveUp)
        }
        #expect(retries.step(asked: nil, isAmbiguous: true, isUrgent: false, random: Highest()) != .giveUp)
        #expect(retries.step(asked: nil, isAmbiguous: true, isUrgent: false, random: Highest()) != .giveUp)
        #expect(retries.step(asked: nil, isAmbiguous: true, isUrgent: false, random: Highest()) == .giveUp)
    }

    @Test("No pause at all is possible, and the largest numbers do no harm")
    func extremes() throws {
        var none = retries {
            $0.retryBase = .zero
            $0.retryCap = .zero
        }
        for _ in 0..<5 {
            let step = none.step(asked: nil, isAmbiguous: false, isUrgent: false, random: Highest())
            #expect(try #require(seconds(step)) == 0)
        }
        var huge = retries {
            $0.retryBase = .seconds(Int64.max)
            $0.retryCap = .seconds(Int64.max)
        }
        for _ in 0..<5 {
            #expect(huge.step(asked: nil, isAmbiguous: false, isUrgent: false, random: Highest()) != .giveUp)
        }
    }

    @Test(
        "Retry-After is read as seconds or as a date",
        arguments: [
            ("120", 120), (" 7 ", 7), ("0", 0), ("99999999999999999999", 3_153_600_000), ("-1", nil), ("soon", nil),
            ("", nil), ("1.5", nil),
            ("Sun, 06 Nov 1994 08:50:37 GMT", 60), ("Sun, 06 Nov 1994 08:00:00 GMT", 0),
        ] as [(String, Int64?)]
    )
    func retryAfter(text: String, seconds: Int64?) {
        let now = Date(timeIntervalSince1970: 784_111_777)
        let fields: HTTPFields = [.retryAfter: text]
        #expect(RetryAfter.wait(in: fields, now: now) == seconds.map { .seconds($0) })
        // The receiver's own clock may be another; then its Date field says what it means.
        let other: HTTPFields = [.retryAfter: text, .date: "Sun, 06 Nov 1994 08:49:37 GMT"]
        #expect(RetryAfter.wait(in: other, now: now + 3600) == seconds.map { .seconds($0) })
    }

    @Test(
        "An error of the transport is tried again, and ambiguous unless nothing was sent",
        arguments: [(TransportError.Sent.nothing, false), (.maybe, true), (.answered, true)]
    )
    func transport(sent: TransportError.Sent, isAmbiguous: Bool) {
        let error = TransportError(.connectionLost, sent: sent, stage: "test")
        let verdict = ExportVerdict(error, format: LineFormat(), now: Date())
        guard case .again(nil, isAmbiguous, false, _) = verdict else {
            Issue.record("\(verdict)")
            return
        }
    }

    @Test("A request that cannot be sent as it stands is not tried again")
    func invalid() {
        let verdict = ExportVerdict(InvalidRequestError(.relativeURL("/x")), format: LineFormat(), now: Date())
        guard case .refused = verdict else {
            Issue.record("\(verdict)")
            return
        }
    }

    @Test("The report says how many were lost, of which levels and why")
    func report() {
        var drops = LogShipper.Drops()
        drops[.full][.info] = 3
        drops[.full][.error] = 1
        drops[.refused][.info] = 2
        let record = DropReport.record(of: drops, date: Date(timeIntervalSince1970: 5))
        #expect(record.component == "HTTPChain.LogShipper")
        #expect(record.level == .warning)
        #expect(record.message == "6 log records were dropped")
        #expect(record.date == Date(timeIntervalSince1970: 5))
        #expect(
            record.attributes == [
                "log.dropped.count": 6, "log.dropped.level.info": 5, "log.dropped.level.error": 1,
                "log.dropped.reason.full": 4, "log.dropped.reason.refused": 2,
            ]
        )
        #expect("\(drops)" == "full (info: 3, error: 1), refused (info: 2)")
    }

    @Test("A ring that nobody hears is kept for the next who waits, and a cancelled wait ends")
    func signals() async {
        let signal = WakeSignal()
        signal.wake()
        await signal.wait()
        let waiting = Task { await signal.wait() }
        waiting.cancel()
        await waiting.value
        async let heard: Void = signal.wait()
        signal.wake()
        await heard
    }
}
#endif
