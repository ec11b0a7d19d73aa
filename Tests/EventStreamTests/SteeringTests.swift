#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainEventStream
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

private let target = "https://api.example.com/events"

@Suite("Steering a stream", .timeLimit(.minutes(10)))
struct SteeringTests {
    /// Reads a stream in a task and tells what comes.
    private struct Reader {
        let events = Events<ServerSentEvent>()
        let task: Task<Void, any Error>

        init(_ stream: EventStream<ServerSentEvent>) {
            let events = events
            task = Task { for try await event in stream { events.add(event) } }
        }
    }

    @Test("Cancelling the reader closes the connection at once and is CancellationError")
    func cancellation() async throws {
        let bench = try Bench([.stream { $0.event("x") }], clock: VirtualClock())
        let stream = bench.chain.events(.get(target))
        let reader = Reader(stream)
        try await reader.events.wait(until: 1)
        reader.task.cancel()
        try await bench.server.waitForOpenStreams(0)
        await #expect(throws: CancellationError.self) { try await reader.task.value }
        #expect(stream.state.description == "closed")
    }

    @Test("Cancelling while the stream is opened, and while it waits, ends it")
    func cancellationElsewhere() async throws {
        let hanging = EventServer { _ in
            try await Task.sleep(for: .seconds(10_000))
            return .noMore
        }
        let opening = try Bench(hanging, clock: VirtualClock())
        let first = Reader(opening.chain.events(.get(target)))
        try await opening.server.waitForRequests(1)
        first.task.cancel()
        await #expect(throws: CancellationError.self) { try await first.task.value }

        let waiting = try Bench([.status(.serviceUnavailable)], clock: VirtualClock())
        let second = Reader(waiting.chain.events(.get(target)))
        try await waiting.clock.waitForSleepers()
        second.task.cancel()
        await #expect(throws: CancellationError.self) { try await second.task.value }
        #expect(waiting.clock.waits.isEmpty)
    }

    @Test("Leaving the loop closes the connection although the stream is kept")
    func leaving() async throws {
        let bench = try Bench([.stream { $0.event("x") }], clock: VirtualClock())
        let stream = bench.chain.events(.get(target))
        for try await event in stream {
            #expect(event.data == "x")
            break
        }
        try await bench.server.waitForOpenStreams(0)
        #expect(stream.state.description == "closed")
    }

    @Test("close() ends the sequence and the connection, while it is read and between events")
    func close() async throws {
        let bench = try Bench(
            [.stream { $0.event("x") }, .stream { $0.raw("data:1\n\ndata:2\n\n") }],
            clock: VirtualClock()
        )
        let stream = bench.chain.events(.get(target))
        let reader = Reader(stream)
        try await reader.events.wait(until: 1)
        stream.close()
        try await reader.task.value
        try await bench.server.waitForOpenStreams(0)

        let other = bench.chain.events(.get(target))
        var iterator = other.makeAsyncIterator()
        #expect(try await iterator.next()?.data == "1")
        other.close()
        try await bench.server.waitForOpenStreams(0)
        #expect(try await iterator.next() == nil)
        #expect(try await iterator.next() == nil)
    }

    @Test("pause() closes the connection at once, resume() goes on with the last id and without a wait")
    func pause() async throws {
        let bench = try Bench(
            [.stream { $0.event("1", id: "a") }, .stream { $0.event("2", id: "b") }],
            clock: VirtualClock()
        )
        let stream = bench.chain.events(.get(target))
        let reader = Reader(stream)
        try await reader.events.wait(until: 1)
        stream.pause()
        stream.pause()
        try await bench.server.waitForOpenStreams(0)
        #expect(stream.state.description == "paused")
        stream.restart()
        #expect(bench.server.requests.count == 1)
        stream.resume()
        stream.resume()
        try await reader.events.wait(until: 2)
        #expect(bench.server.requests.map(\.lastEventID) == [nil, "a"])
        #expect(bench.clock.sleeps.isEmpty)
        reader.task.cancel()
        _ = await reader.task.result
    }

    @Test("A stream that is paused before it is read opens none, and can be cancelled")
    func pausedFromTheStart() async throws {
        let bench = try Bench([], clock: VirtualClock())
        let stream = bench.chain.events(.get(target))
        stream.pause()
        let reader = Reader(stream)
        reader.task.cancel()
        await #expect(throws: CancellationError.self) { try await reader.task.value }
        #expect(bench.server.requests.isEmpty)
    }

    @Test("restart() opens the stream again at once, while it is read and while it waits")
    func restart() async throws {
        let bench = try Bench(
            [.stream { $0.event("1", id: "a") }, .status(.serviceUnavailable), .stream { $0.event("2") }],
            clock: VirtualClock()
        )
        let stream = bench.chain.events(.get(target))
        let reader = Reader(stream)
        try await reader.events.wait(until: 1)
        stream.restart()
        try await bench.clock.waitForSleepers()
        stream.restart()
        try await reader.events.wait(until: 2)
        #expect(bench.server.requests.map(\.lastEventID) == [nil, "a", "a"])
        stream.close()
        try await reader.task.value
    }

    @Test("The states arrive in order, and end with the stream")
    func states() async throws {
        let bench = try Bench([
            .status(.serviceUnavailable),
            .stream {
                $0.event("1"); $0.end()
            }, .noMore,
        ])
        let options = EventStreamOptions(reconnection: ReconnectionPolicy(jitter: 0))
        let stream = bench.chain.events(.get(target), options: options)
        let states = stream.states
        _ = await stream.outcome()
        var seen: [String] = []
        for await state in states { seen.append("\(state)") }
        #expect(
            seen == [
                "idle", "connecting", "waiting 1.0 s", "connecting after 1 failures", "open", "waiting 1.0 s",
                "connecting after 1 failures", "closed",
            ]
        )
        var late: [String] = []
        for await state in stream.states { late.append("\(state)") }
        #expect(late == ["closed"])
    }

    @Test("Nothing is read before the next event is requested")
    func backpressure() async throws {
        let feed = ChunkFeed()
        let transport = InMemoryTransport()
        transport.enqueue(ScriptedReply(headers: [.contentType: "text/event-stream"], feed: feed))
        var iterator = transport.events(.get(target)).makeAsyncIterator()
        for number in 0..<5 { feed.send("data:\(number)\n\n") }
        #expect(feed.bytesRead == 0)
        #expect(try await iterator.next()?.data == "0")
        #expect(feed.bytesRead == 8)
        #expect(try await iterator.next()?.data == "1")
        #expect(feed.bytesRead == 16)
    }
}

@Suite("The watchdog of a stream", .timeLimit(.minutes(10)))
struct StreamWatchdogTests {
    @Test("A silent server is left and asked again; comments keep it")
    func silent() async throws {
        let bench = try Bench(
            [
                .stream {
                    $0.event("1", id: "a")
                    for _ in 0..<4 {
                        $0.wait(.seconds(4))
                        $0.comment()
                    }
                    $0.wait(.seconds(6))
                    $0.event("never")
                },
                .noMore,
            ]
        )
        var options = EventStreamOptions(
            reconnection: ReconnectionPolicy(jitter: 0),
            watchdog: .after(.seconds(5))
        )
        let comments = Counter()
        options.onComment = { _ in comments.add() }
        let stream = bench.chain.events(.get(target), options: options)
        let states = stream.states
        let (events, error) = await stream.outcome()
        #expect(events.map(\.data) == ["1"])
        #expect(error == nil)
        #expect(comments.value == 4)
        var silence: Duration?
        for await case .waiting(_, let error as EventStreamError) in states {
            if case .silent(let limit) = error.problem { silence = limit }
        }
        #expect(silence == .seconds(5))
        #expect(bench.server.requests.map(\.lastEventID) == [nil, "a"])
    }

    @Test("The watchdog learns the heartbeat of a server and notices sooner that the server is gone")
    func learns() async throws {
        let bench = try Bench([
            .stream {
                for _ in 0..<4 {
                    $0.comment()
                    $0.wait(.seconds(15))
                }
                $0.wait(.seconds(1_000))
            },
            .noMore,
        ])
        let stream = bench.chain.events(
            .get(target),
            options: EventStreamOptions(reconnection: ReconnectionPolicy(jitter: 0))
        )
        _ = await stream.outcome()
        // 45 s of heartbeats, 3 × 15 s of silence, and a second before the next attempt.
        #expect(bench.clock.elapsed == .seconds(91))
    }

    @Test("A slow reader isn't mistaken for a silent server")
    func slowReader() async throws {
        let clock = VirtualClock()
        let bench = try Bench(
            [
                .stream {
                    $0.event("1"); $0.event("2")
                }
            ],
            clock: clock
        )
        let options = EventStreamOptions(watchdog: .after(.seconds(5)))
        var iterator = bench.chain.events(.get(target), options: options).makeAsyncIterator()
        #expect(try await iterator.next()?.data == "1")
        clock.advance(by: .seconds(1_000))
        #expect(try await iterator.next()?.data == "2")
        #expect(bench.server.requests.count == 1)
    }

    @Test("A server that does not answer is left, too")
    func noAnswer() async throws {
        let clock = VirtualClock()
        let server = EventServer { connection in
            if connection.number == 1 { try await Task.sleep(for: .seconds(10_000)) }
            return .noMore
        }
        let bench = try Bench(server, clock: clock)
        let stream = bench.chain.events(.get(target), options: EventStreamOptions(watchdog: .after(.seconds(5))))
        let task = Task { await stream.outcome().error }
        try await bench.server.waitForRequests(1)
        try await clock.waitForDeadline(.seconds(5))
        clock.advance(by: .seconds(5))
        try await clock.waitForSleepers()
        clock.advanceToNextSleep()
        #expect(await task.value == nil)
        #expect(bench.server.requests.count == 2)
    }
}
#endif
