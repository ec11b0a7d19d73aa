import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import TestSupport
import Testing

/// The transport with no network keeps the contract of those that have one.
@Suite(.serialized, .heavy)
struct InMemoryConformanceTests {
    static let suite = TransportConformance(inMemory: { InMemoryTransport(handler: $0) })

    @Test("InMemoryTransport conforms", .timeLimit(.minutes(10)), arguments: suite.checks)
    func conforms(_ check: TransportConformance.Check) async throws {
        let outcome = try await Self.suite.verify(check)
        #expect(outcome == .passed)
    }
}
