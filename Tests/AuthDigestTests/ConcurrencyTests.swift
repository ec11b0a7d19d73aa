#if AllTests
import Foundation
import HTTPChainAuth
import HTTPChainAuthDigest
import HTTPChainCore
import HTTPChainInMemory
import HTTPTypes
import TestSupport
import Testing

private let base = "https://plants.example"

@Suite("Many calls at the same time", .heavy, .timeLimit(.minutes(10)))
struct ConcurrencyTests {
    private static let calls = 1000

    private func run(_ chain: Chain, _ count: Int = calls) async throws -> [HTTPResponse.Status] {
        try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
            for index in 0..<count {
                group.addTask { try await chain.send(.get("\(base)/\(index)")).status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// For each nonce, the counts in the order in which the server saw them.
    private func counts(_ server: DigestServer) -> [String: [UInt32]] {
        server.accepted.reduce(into: [:]) { $0[$1.nonce, default: []].append($1.count) }
    }

    @Test("Each count of a nonce is used once, none is left out, and people are asked once", arguments: [true, false])
    func counts(repeatsNonce: Bool) async throws {
        let server = DigestServer { $0.repeatsNonce = repeatsNonce }
        let provider = CountingProvider("lovelace")
        let chain = try server.chain(DigestAuthMiddleware(provider))
        #expect(try await run(chain).allSatisfy { $0 == .ok })
        #expect(provider.count == 1)
        #expect(server.refused.isEmpty)
        #expect(server.accepted.count == Self.calls)
        #expect(Set(server.accepted.map(\.uri)).count == Self.calls)
        for (nonce, counts) in counts(server) {
            #expect(counts.sorted() == Array(1...UInt32(counts.count)), "\(nonce)")
        }
    }

    @Test("Behind an answer that is known, calls at the same time share one nonce without a gap")
    func shared() async throws {
        let server = DigestServer()
        let provider = CountingProvider("lovelace")
        let chain = try server.chain(DigestAuthMiddleware(provider))
        #expect(try await chain.send(.get("\(base)/first")).status == .ok)
        #expect(try await run(chain).allSatisfy { $0 == .ok })
        #expect(server.unanswered == 1)
        let counts = counts(server)
        #expect(counts.count == 1)
        let seen = try #require(counts.first?.value)
        #expect(seen.sorted() == Array(1...UInt32(Self.calls + 1)))
    }

    @Test("One after the other, counts rise by one")
    func inOrder() async throws {
        let server = DigestServer()
        let chain = try server.chain(DigestAuthMiddleware(CountingProvider("lovelace")))
        for index in 0..<200 { #expect(try await chain.send(.get("\(base)/\(index)")).status == .ok) }
        #expect(server.accepted.map(\.count) == Array(1...200))
    }

    @Test("Next nonces and nonces that go stale among calls at the same time are followed")
    func moving() async throws {
        let server = DigestServer { $0.givesNextNonce = true }
        let provider = CountingProvider("lovelace")
        let chain = try server.chain(DigestAuthMiddleware(provider))
        #expect(try await run(chain, 200).allSatisfy { $0 == .ok })
        server.restart()
        server.set { $0.givesNextNonce = false }
        #expect(try await run(chain, 200).allSatisfy { $0 == .ok })
        #expect(provider.count == 1)
    }

    @Test("A wrong password is asked for again once, not once for each call")
    func corrected() async throws {
        let server = DigestServer()
        let provider = CountingProvider("wrong", "lovelace")
        let chain = try server.chain(DigestAuthMiddleware(provider))
        #expect(try await run(chain, 200).allSatisfy { $0 == .ok })
        #expect(provider.count == 2)
    }

    @Test("A call that is cancelled while people are asked ends, and the others go on")
    func cancelled() async throws {
        let server = DigestServer()
        let gate = Watched((asked: 0, isOpen: false))
        let provider = ClosureCredentialProvider(for: "https://plants.example") { _, _ in
            gate.update { $0.asked += 1 }
            try await gate.wait { $0.isOpen ? () : nil }
            return Credential(user: "ada", password: "lovelace")
        }
        let chain = try server.chain(DigestAuthMiddleware(provider))
        let first = Task { try await chain.send(.get("\(base)/1")).status }
        let second = Task { try await chain.send(.get("\(base)/2")).status }
        try await gate.wait { $0.asked == 1 ? () : nil }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        gate.update { $0.isOpen = true }
        #expect(try await second.value == .ok)
    }
}
#endif
