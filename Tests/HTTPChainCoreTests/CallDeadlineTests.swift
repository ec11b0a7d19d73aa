import HTTPChainCore
import HTTPChainTesting
import Testing

@Suite("The deadline of a call")
struct CallDeadlineTests {
    @Test("The deadline leaves no limit where there is none")
    func none() {
        #expect(Request.get("https://example.com").remainingTime == nil)
    }

    @Test(
        "The deadline comes nearer with the clock, and what remains is never negative",
        arguments: [(0, 5), (2, 3), (5, 0), (9, 0)]
    )
    func remaining(passed: Int, left: Int) {
        let clock = VirtualClock()
        var request = Request.get("https://example.com")
        request.environment = .virtual(clock)
        request.options[DeadlineNote.self] = DeadlineNote.Mark(.seconds(5))
        clock.advance(by: .seconds(passed))
        #expect(request.remainingTime == .seconds(left))
    }
}
