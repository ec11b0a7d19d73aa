#if AllTests
import HTTPChainTesting
import TestSupport
import Testing

@Suite("Random numbers of tests")
struct SeedTests {
    @Test("The sequences of a seed have no numbers in common, and come again with the seed", .seeded)
    func streams() {
        var seen: Set<UInt64> = []
        for stream in 0..<10 as Range<UInt64> {
            let random = Seed.numbers(stream)
            let numbers = (0..<1_000).map { _ in random.next() }
            seen.formUnion(numbers)
            let again = Seed.numbers(stream)
            #expect(numbers == (0..<1_000).map { _ in again.next() })
        }
        #expect(seen.count == 10_000)
    }
}
#endif
