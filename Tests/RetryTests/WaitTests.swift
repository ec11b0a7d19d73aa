import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainRetry
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@Suite("While it waits", .timeLimit(.minutes(10)))
struct WaitTests {
    private let clock = VirtualClock()

    private func chain(_ transport: InMemoryTransport, drainLimit: ByteCount = .kibibytes(64)) throws -> Chain {
        try Chain(transport: transport, environment: .virtual(clock)) {
            RetryMiddleware(plainPolicy(), drainLimit: drainLimit)
        }
    }

    @Test("Cancelling ends the wait at once, with CancellationError")
    func cancellation() async throws {
        let transport = InMemoryTransport { _ in Response(.badGateway) }
        let chain = try chain(transport)
        let call = Task { try await chain.send(.get(url)) }
        try await clock.waitForSleepers()
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(transport.requestCount == 1)
        #expect(clock.pendingDeadlines.isEmpty)
    }

    @Test("A wait that is cancelled gives its token back", arguments: [true, false])
    func token(isDraining: Bool) async throws {
        let budget = RetryBudget(share: 0, minimumPerSecond: 0, capacity: 3)
        let transport = InMemoryTransport()
        transport.enqueue(isDraining ? ScriptedReply(.badGateway, feed: ChunkFeed()) : .text("x", status: .badGateway))
        let chain = try Chain(transport: transport, environment: .virtual(clock)) {
            RetryMiddleware(plainPolicy(), budget: budget)
        }
        let call = Task { try await chain.send(.get(url)) }
        try await clock.waitForSleepers()
        #expect(budget.available == 2)
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(budget.available == 3)
        #expect(transport.requestCount == 1)
    }

    @Test("Cancelling ends the wait at once while a body that never ends is drained")
    func cancellationWhileDraining() async throws {
        let transport = InMemoryTransport()
        let feed = ChunkFeed()
        transport.enqueue(ScriptedReply(.badGateway, feed: feed))
        let chain = try chain(transport)
        let call = Task { try await chain.send(.get(url)) }
        try await clock.waitForSleepers()
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
    }

    @Test("A transport that fails because the call was cancelled is a cancellation")
    func failureAfterCancellation() async throws {
        let error = try await StageHarness(RetryMiddleware(plainPolicy())).drive(.get(url)) { run in
            let call = try await run.nextCall()
            call.hold()
            run.cancel()
            call.fail(lost())
            do {
                _ = try await run.response()
                return nil as (any Error)?
            } catch {
                return error
            }
        }
        #expect(error is CancellationError)
    }

    @Test("The response that is not wanted is read to its end, for its connection")
    func drained() async throws {
        let transport = InMemoryTransport()
        transport.enqueue(ScriptedReply(.badGateway, chunks: [Data("a".utf8), Data("b".utf8)]))
        transport.enqueue(.ok)
        let chain = try chain(transport)
        let call = Task { try await chain.send(.get(url)) }
        try await clock.waitForSleepers()
        try await until { transport.requests[0].responseBody == .complete }
        #expect(transport.requests[0].responseBody == .complete)
        #expect(transport.requests[0].responseBytesRead == 2)
        clock.advance(by: .seconds(1))
        #expect(try await call.value.status == .ok)
    }

    @Test("A response that is too long for that is let go before the wait", arguments: [true, false])
    func dropped(declaresLength: Bool) async throws {
        let transport = InMemoryTransport()
        let chunks = Array(repeating: Data(count: 60), count: 3)
        transport.enqueue(ScriptedReply(.badGateway, chunks: chunks, declaresLength: declaresLength))
        transport.enqueue(.ok)
        let chain = try chain(transport, drainLimit: 100)
        let call = Task { try await chain.send(.get(url)) }
        try await clock.waitForSleepers()
        try await until { transport.requests[0].responseBody == .dropped }
        #expect(transport.requests[0].responseBody == .dropped)
        #expect(transport.requests[0].responseBytesRead == (declaresLength ? 0 : 120))
        clock.advance(by: .seconds(1))
        #expect(try await call.value.status == .ok)
    }

    @Test("A response that does not end is let go when the wait ends")
    func slow() async throws {
        let transport = InMemoryTransport()
        let feed = ChunkFeed()
        transport.enqueue(ScriptedReply(.badGateway, feed: feed))
        transport.enqueue(.ok)
        let chain = try chain(transport)
        let call = Task { try await chain.send(.get(url)) }
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        #expect(try await call.value.status == .ok)
        try await until { transport.requests[0].responseBody == .dropped }
        #expect(transport.requests[0].responseBody == .dropped)
    }

    @Test("The response that gives up is neither drained nor dropped")
    func kept() async throws {
        let transport = InMemoryTransport()
        transport.enqueue(.text("why", status: .badGateway))
        let chain = try chain(transport)
        let response = try await chain.send(.post(url, body: "x"))
        #expect(try await response.body.text() == "why")
    }
}
