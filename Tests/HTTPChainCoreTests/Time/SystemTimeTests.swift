import HTTPChainCore
import TestSupport
import Testing

@Suite("The system's clocks", .timeLimit(.minutes(10)))
struct SystemTimeTests {
    @Test("A sleep for the longest duration that can be written ends when its task is cancelled")
    func longestSleep() async throws {
        let began = Counter()
        let sleeper = Task {
            began.add()
            try await SystemTime().sleep(for: .seconds(Int64.max))
        }
        try await began.wait(until: 1)
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }
}
