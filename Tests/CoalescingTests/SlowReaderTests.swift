import Foundation
import HTTPChainCoalescing
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@Suite("Readers of different speed", .heavy, .timeLimit(.minutes(10)))
struct SlowReaderTests {
    private static func bench(window: ByteCount, spill: ByteCount) -> Bench {
        Bench(CoalescingMiddleware(partition: .shared, window: window, spill: spill))
    }

    @Test("Nothing is read from the server that nobody has asked for")
    func backpressure() async throws {
        let bench = Self.bench(window: 10, spill: 0)
        let feed = ChunkFeed()
        let responses = try await bench.responses(2, feed)
        for index in 0..<5 { feed.send(pattern(index..<(index + 1))) }
        var iterator = responses[0].body.makeAsyncIterator()
        #expect(try await iterator.next() == pattern(0..<1))
        #expect(feed.bytesRead == 1)
        #expect(try await iterator.next() == pattern(1..<2))
        #expect(feed.bytesRead == 2)
        withExtendedLifetime(responses) {}
    }

    @Test(
        "One that stops reading does not hold up the others, and has the whole body later",
        arguments: [ByteCount.gibibytes(1), .kibibytes(600), .unlimited]
    )
    func slow(spill: ByteCount) async throws {
        let bench = Self.bench(window: .kibibytes(4), spill: spill)
        let feed = ChunkFeed()
        let expected = pattern(0..<600_000)
        let responses = try await bench.responses(3, feed)
        var slow = responses[1].body.makeAsyncIterator()
        for index in 0..<600 { feed.send(expected[(index * 1000)..<((index + 1) * 1000)]) }
        feed.finish()
        var late = try #require(try await slow.next())
        #expect(try await responses[0].body.collect() == expected)
        while let chunk = try await slow.next() { late.append(chunk) }
        #expect(late == expected)
        #expect(try await responses[2].body.collect() == expected)
    }

    @Test("One that is far behind for long reads from a file that does not grow beyond its bound")
    func ring() async throws {
        let bench = Self.bench(window: 64, spill: 1000)
        let feed = ChunkFeed()
        let responses = try await bench.responses(2, feed)
        var fast = responses[0].body.makeAsyncIterator()
        var slow = responses[1].body.makeAsyncIterator()
        var ahead = Data()
        var behind = Data()
        for index in 0..<2000 {
            feed.send(pattern((index * 10)..<(index * 10 + 10)))
            ahead.append(try #require(try await fast.next()))
            while ahead.count - behind.count > 900 { behind.append(try #require(try await slow.next())) }
        }
        feed.finish()
        #expect(try await fast.next() == nil)
        while let chunk = try await slow.next() { behind.append(chunk) }
        #expect(behind == pattern(0..<20_000))
        #expect(ahead == behind)
    }

    @Test("Beyond all bounds the slow one loses its place with an error that says what to do; the fast one reads on")
    func lost() async throws {
        let bench = Self.bench(window: 10, spill: 20)
        let feed = ChunkFeed()
        let responses = try await bench.responses(2, feed)
        for index in 0..<10 { feed.send(pattern((index * 10)..<(index * 10 + 10))) }
        feed.finish()
        #expect(try await responses[0].body.collect() == pattern(0..<100))
        let error = await #expect(throws: CoalescingError.self) { try await responses[1].body.collect() }
        #expect(error?.limit == 30)
        #expect(error?.stage == "CoalescingMiddleware")
        #expect(error?.exchange?.url == target)
        #expect(error?.reason.contains("30 bytes behind") == true)
    }

    @Test("A reader that waits for nothing more to come is given the end")
    func end() async throws {
        let bench = Self.bench(window: 10, spill: 0)
        let feed = ChunkFeed()
        let responses = try await bench.responses(2, feed)
        let reading = responses.map { response in Task { try await response.body.collect() } }
        try await feed.waitForDemand()
        feed.finish()
        for task in reading { #expect(try await task.value.isEmpty) }
    }

    @Test("A shared body can be read once")
    func once() async throws {
        let bench = Bench()
        let feed = ChunkFeed()
        let responses = try await bench.responses(2, feed)
        feed.finish()
        for response in responses {
            #expect(!response.body.isReplayable)
            #expect(try await response.body.collect().isEmpty)
            await #expect(throws: BodyError.self) { try await response.body.collect() }
        }
    }
}
