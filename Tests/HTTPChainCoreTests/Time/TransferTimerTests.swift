import HTTPChainCore
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@Suite("The timer of a transfer", .timeLimit(.minutes(10)))
struct TransferTimerTests {
    private let clock = VirtualClock()
    private let failures = Events<TimeoutError>()

    private func timer(_ limits: TransferLimits, _ request: Request = .get("https://example.com/")) throws
        -> TransferTimer
    {
        var request = request
        request.environment = .virtual(clock)
        request.options[TransferLimitsOption.self] = limits
        let timer = try #require(TransferTimer(request))
        timer.start { [failures] in failures.add($0) }
        return timer
    }

    @Test("The total limit ends the transfer of the response's body where it covers it")
    func bodyCovered() throws {
        let timer = try timer(TransferLimits(total: .seconds(10), totalCoversBody: true))
        clock.advance(by: .seconds(4))
        timer.answered(HTTPResponse(status: .ok))
        timer.received(3)
        #expect(timer.remaining == .seconds(6))
        clock.advance(by: .seconds(6))
        let failure = try #require(failures.all.first)
        #expect(failures.all.count == 1)
        #expect(failure.scope == .attempt && failure.limit == .seconds(10))
        #expect(failure.progress == .readingBody(received: 3))
    }

    @Test("The total limit is over with the response's head where it does not cover the body, as by default")
    func bodyLeftOut() throws {
        for limits in [TransferLimits(total: .seconds(10)), .init(total: .seconds(10), totalCoversBody: false)] {
            let timer = try timer(limits)
            #expect(timer.remaining == .seconds(10))
            timer.answered(HTTPResponse(status: .ok))
            timer.awaitsBody()
            #expect(timer.remaining == nil)
            clock.advance(by: .seconds(100))
            #expect(failures.all.isEmpty && timer.failure == nil)
        }
    }

    @Test("Each limit counts for its step alone: sending, waiting for the head, reading")
    func steps() throws {
        let limits = TransferLimits(write: .seconds(10), response: .seconds(20), read: .seconds(30))
        let timer = try timer(limits, .post("https://example.com/", body: "plants"))
        clock.advance(by: .seconds(4))
        #expect(timer.remaining == .seconds(6))
        timer.uploadEnded()
        #expect(timer.remaining == .seconds(20))
        clock.advance(by: .seconds(19))
        timer.answered(HTTPResponse(status: .ok))
        #expect(timer.remaining == nil)
        timer.awaitsBody()
        clock.advance(by: .seconds(29))
        #expect(timer.remaining == .seconds(1))
        timer.received(6)
        #expect(timer.remaining == nil)
        timer.awaitsBody()
        clock.advance(by: .seconds(30))
        #expect(failures.all.map(\.scope) == [.read])
        #expect(failures.all.first?.progress == .readingBody(received: 6))
    }
}
