import Foundation
import HTTPChainCoalescing
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@Suite("Leaving a shared transfer", .heavy, .seeded, .timeLimit(.minutes(10)))
struct LeavingTests {
    @Test("The first caller, cancelled, ends at once and leaves the others their response")
    func firstLeaves() async throws {
        let bench = Bench()
        bench.answer { Response(.ok, body: "text") }
        let tasks = try await bench.start(3)
        tasks[0].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[0].value }
        bench.gate.reach()
        for task in tasks.dropFirst() { #expect(try await task.value.body.text() == "text") }
        #expect(bench.transport.requestCount == 1)
        #expect(bench.transport.requests.first?.error == nil)
    }

    @Test("The last to be cancelled cancels the transfer, and a new call starts anew")
    func lastLeaves() async throws {
        let bench = Bench()
        bench.answer { Response(.ok) }
        let tasks = try await bench.start(3)
        try await bench.transport.waitForRequests(1)
        for task in tasks { task.cancel() }
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
        #expect(bench.transport.requests.first?.error is CancellationError)
        #expect(bench.stage.transfers.count == 0)
        bench.transport.enqueue(.ok)
        #expect(try await bench.send(.get(target)).isCoalesced == false)
    }

    @Test("A call that is cancelled before it begins sends nothing")
    func cancelledBefore() async {
        let bench = Bench()
        bench.answer { Response(.ok) }
        let started = Rendezvous()
        let task = Task {
            try? await started.wait()
            return try await bench.send(.get(target))
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(bench.transport.requestCount == 0)
    }

    @Test("A deadline outside ends its own caller alone")
    func deadline() async throws {
        let bench = Bench()
        bench.answer { Response(.ok) }
        let clock = VirtualClock()
        let impatient = Task {
            try await withThrowingTaskGroup(of: Response?.self) { group in
                group.addTask { try await bench.send(.get(target)) }
                group.addTask {
                    try await clock.sleep(for: .seconds(5))
                    return nil
                }
                let first = try await group.next() ?? nil
                group.cancelAll()
                return first
            }
        }
        try await until { bench.stage.transfers.waiterCount == 1 }
        let patient = try await bench.start(1)
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(5))
        #expect(try await impatient.value == nil)
        bench.gate.reach()
        #expect(try await patient[0].value.status == .ok)
        #expect(bench.transport.requestCount == 1)
    }

    @Test("A dropped body leaves the others theirs; with the last one the transfer is cancelled")
    func droppedBodies() async throws {
        let bench = Bench()
        let feed = ChunkFeed()
        var responses: [Response?] = try await bench.responses(3, feed)
        feed.send("one")
        responses[0] = nil
        var iterator = responses[1]?.body.makeAsyncIterator()
        responses[1] = nil
        #expect(try await iterator?.next() == Data("one".utf8))
        iterator = nil
        var last = responses[2]?.body.makeAsyncIterator()
        responses[2] = nil
        #expect(try await last?.next() == Data("one".utf8))
        feed.send("two")
        #expect(try await last?.next() == Data("two".utf8))
        #expect(!feed.isCancelled)
        last = nil
        #expect(try await feed.waitUntilClosed() == false)
        #expect(feed.isCancelled)
    }

    @Test("Bodies that nobody reads cancel the transfer when they go")
    func unread() async throws {
        let bench = Bench()
        let feed = ChunkFeed()
        _ = try await bench.responses(3, feed)
        #expect(try await feed.waitUntilClosed() == false)
    }

    @Test("A reader cancelled while it waits ends at once; the others read on")
    func cancelledReader() async throws {
        let bench = Bench()
        let feed = ChunkFeed()
        let responses = try await bench.responses(2, feed)
        let reading = responses.map { response in Task { try await response.body.text() } }
        try await feed.waitForDemand()
        reading[0].cancel()
        await #expect(throws: CancellationError.self) { try await reading[0].value }
        feed.send("whole")
        feed.finish()
        #expect(try await reading[1].value == "whole")
    }

    @Test("The last reader, cancelled while it waits, cancels the transfer")
    func lastReaderCancelled() async throws {
        let bench = Bench()
        let feed = ChunkFeed()
        let reading = try await bench.responses(2, feed).map { response in Task { try await response.body.text() } }
        try await feed.waitForDemand()
        for task in reading { task.cancel() }
        for task in reading { await #expect(throws: CancellationError.self) { try await task.value } }
        #expect(try await feed.waitUntilClosed() == false)
    }

    @Test("Callers that come and go at random get the whole body or leave; nothing is left behind", arguments: 0..<8)
    func random(seed: UInt64) async throws {
        let stage = CoalescingMiddleware(partition: .shared, window: 64, spill: .kibibytes(64))
        let expected = pattern(0..<4000)
        let open = Locked(0)
        let next = Next(
            to: ClosureTransport { _ in
                for _ in 0..<20 { await Task.yield() }
                try Task.checkCancellation()
                let probe = OpenTransfer(open)
                return Response(.ok, body: .once { PatternReader(rest: expected, transfer: probe) })
            }
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            for caller in 0..<200 {
                group.addTask {
                    let random = Seed.numbers(seed &* 1000 &+ UInt64(caller))
                    let call = Task { () throws -> Data? in
                        for _ in 0..<(random.next() % 60) { await Task.yield() }
                        let response = try await stage.intercept(.get(target), next: next)
                        if random.next() % 5 == 0 { return nil }
                        var bytes = Data()
                        let isSlow = random.next() % 4 == 0
                        for try await chunk in response.body {
                            bytes.append(chunk)
                            if isSlow { for _ in 0..<5 { await Task.yield() } }
                            if random.next() % 200 == 0 { return nil }
                        }
                        return bytes
                    }
                    if random.next() % 4 == 0 {
                        for _ in 0..<(random.next() % 100) { await Task.yield() }
                        call.cancel()
                    }
                    do {
                        if let bytes = try await call.value { #expect(bytes == expected) }
                    } catch is CancellationError {}
                }
            }
            try await group.waitForAll()
        }
        try await until { open.withLock { $0 } == 0 }
        #expect(stage.transfers.count == 0)
        #expect(stage.transfers.waiterCount == 0)
    }
}

/// Counts the transfers that are open.
private final class OpenTransfer: Sendable {
    private let count: Locked<Int>

    init(_ count: Locked<Int>) {
        self.count = count
        count.withLock { $0 += 1 }
    }

    deinit { count.withLock { $0 -= 1 } }
}

private struct PatternReader: BodyReader {
    var rest: Data
    let transfer: OpenTransfer

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        await Task.yield()
        try Task.checkCancellation()
        guard !rest.isEmpty else { return nil }
        let chunk = rest.prefix(97)
        rest = rest.dropFirst(chunk.count)
        return chunk
    }
}
