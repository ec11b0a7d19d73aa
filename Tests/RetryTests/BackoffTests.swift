import HTTPChainCore
import HTTPChainRetry
import HTTPChainTesting
import TestSupport
import Testing

/// Gives the numbers it was made with, over and over.
private final class FixedRandom: RandomSource {
    private let value: UInt64
    init(_ value: UInt64) { self.value = value }
    func next() -> UInt64 { value }
}

@Suite("Backoff", .seeded)
struct BackoffTests {
    @Test(
        "The longest wait doubles from the base up to the cap",
        arguments: [(1, 0.5), (2, 1), (3, 2), (6, 16), (7, 20), (8, 20), (1000, 20)]
    )
    func doubling(retry: Int, seconds: Double) {
        #expect(Backoff().longestWait(beforeRetry: retry) == .seconds(seconds))
    }

    @Test("A retry number that makes no sense counts as the first", arguments: [0, -1, .min])
    func smallNumbers(retry: Int) {
        #expect(Backoff().longestWait(beforeRetry: retry) == .milliseconds(500))
    }

    @Test(
        "Nothing overflows, whatever the numbers",
        arguments: [Duration.seconds(Int64.max), .nanoseconds(1), .zero, .seconds(-5), .seconds(Int64.min)],
        [1, 2, 63, 64, 128, 1_000_000, Int.max]
    )
    func overflow(duration: Duration, retry: Int) {
        for backoff in [Backoff(base: duration), Backoff(cap: duration), Backoff(base: duration, cap: duration)] {
            let longest = backoff.longestWait(beforeRetry: retry)
            #expect(longest >= .zero && longest <= backoff.cap)
            #expect(backoff.wait(beforeRetry: retry, random: FixedRandom(.max)) == longest)
        }
    }

    @Test("Full jitter reaches from no wait at all to the longest, and to nothing else")
    func fullJitter() {
        let backoff = Backoff(base: .seconds(1), cap: .seconds(8))
        #expect(backoff.wait(beforeRetry: 3, random: FixedRandom(0)) == .zero)
        #expect(backoff.wait(beforeRetry: 3, random: FixedRandom(.max)) == .seconds(4))
        #expect(backoff.wait(beforeRetry: 3, random: FixedRandom(1 << 63)) == .seconds(2))
    }

    @Test("Full jitter is even: each quarter of the range is hit as often as another")
    func evenness() {
        let backoff = Backoff(base: .seconds(4), cap: .seconds(4))
        let random = Seed.numbers(7)
        var quarters = [0, 0, 0, 0]
        for _ in 0..<4000 {
            quarters[min(3, Int(backoff.wait(beforeRetry: 1, random: random).components.seconds))] += 1
        }
        for count in quarters { #expect((850...1150).contains(count)) }
    }

    @Test("Without jitter the wait is the longest, and chance is not asked")
    func noJitter() {
        #expect(Backoff.constant(.seconds(3)).wait(beforeRetry: 9, random: FixedRandom(0)) == .seconds(3))
        #expect(Backoff.none.wait(beforeRetry: 9, random: FixedRandom(.max)) == .zero)
    }

    @Test("A cap below the base holds from the first retry")
    func capBelowBase() {
        #expect(Backoff(base: .seconds(9), cap: .seconds(2)).longestWait(beforeRetry: 1) == .seconds(2))
    }

    @Test("The description tells base, cap and jitter")
    func description() {
        #expect("\(Backoff())" == "0.5 s doubling to 20.0 s, full jitter")
        #expect("\(Backoff.constant(.seconds(2)))" == "2.0 s")
        #expect("\(Backoff.none)" == "none")
        #expect("\(Backoff(base: .zero))" == "none")
        #expect("\(Backoff(cap: .zero))" == "none")
    }
}
