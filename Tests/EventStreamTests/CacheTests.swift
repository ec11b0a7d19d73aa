#if AllTests
import Foundation
import HTTPChainCache
import HTTPChainCoalescing
import HTTPChainCore
import HTTPChainEventStream
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

private let target = "https://api.example.com/events"

@Suite("Streams through a cache and coalescing", .timeLimit(.minutes(10)))
struct StreamCacheTests {
    private let store = MemoryCacheStore(bounds: CacheBounds(totalBytes: .mebibytes(1)))
    private let clock = VirtualClock.automatic()

    private func chain(over transport: some Transport) throws -> Chain {
        try Chain(transport: transport, environment: .virtual(clock)) {
            CacheMiddleware(store: store, partition: .shared)
            CoalescingMiddleware(partition: .shared)
        }
    }

    private func text(_ chain: Chain) async throws -> String { try await chain.send(.get(target)).body.text() }

    /// A stream of one event that a careless server calls cacheable.
    private static func stream(_ text: String) -> EventServer.Answer {
        .response(
            Response(
                .ok,
                headers: [.contentType: "text/event-stream", .cacheControl: "max-age=3600", .eTag: "\"strong\""],
                body: .chunks(["id: 1\ndata: \(text)\n\n"])
            )
        )
    }

    @Test("A stream is requested unconditionally each time and never stored, even if the server calls it fresh")
    func never() async throws {
        let server = EventServer { $0.number < 4 ? Self.stream("\($0.number)") : .noMore }
        let chain = try chain(over: server)
        let (events, error) = await chain.events(.get(target)).outcome()
        #expect(error == nil)
        #expect(events.map(\.data) == ["1", "2", "3"])
        #expect(server.requests.count == 4)
        #expect(server.requests.allSatisfy { $0.headerFields[.ifNoneMatch] == nil })
        #expect(await store.usage().entries == 0)
    }

    @Test(
        "What is stored for the URL neither answers for a stream nor is asked about, whatever the caller's cache settings",
        arguments: [nil, "max-stale", "only-if-cached"]
    )
    func storedPage(directive: String?) async throws {
        let server = EventServer { connection in
            switch connection.number {
            case 1:
                .response(
                    Response(
                        .ok,
                        headers: [.contentType: "text/html", .cacheControl: "max-age=3600", .eTag: "\"page\""],
                        body: "a page"
                    )
                )
            case 2: Self.stream("an event")
            default: .noMore
            }
        }
        let chain = try chain(over: server)
        #expect(try await text(chain) == "a page")
        var request = Request.get(target)
        request.head.headerFields[.cacheControl] = directive
        let (events, error) = await chain.events(request).outcome()
        #expect(error == nil)
        #expect(events.map(\.data) == ["an event"])
        #expect(server.requests.allSatisfy { $0.headerFields[.ifNoneMatch] == nil })
        // The page is still there.
        #expect(try await text(chain) == "a page")
        #expect(server.requests.count == 3)
    }

    @Test("Readers of one stream at the same time have a connection each, whatever their fields say")
    func readers() async throws {
        let arrived = Events<Int>()
        let gate = Rendezvous()
        let server = EventServer { connection in
            arrived.add(connection.number)
            try await gate.wait()
            return connection.number <= 3 ? Self.stream("\(connection.number)") : .noMore
        }
        let chain = try chain(over: server)
        // Without `no-cache`, which alone would keep them apart.
        let request = Request.get(target, headers: [.cacheControl: "max-stale"])
        let tasks = (0..<3).map { _ in
            Task { await chain.events(request, options: EventStreamOptions(reconnection: .never)).outcome() }
        }
        try await arrived.wait(until: 3)
        gate.reach()
        var data: [String] = []
        for task in tasks { data += await task.value.elements.map(\.data) }
        #expect(data.sorted() == ["1", "2", "3"])
        #expect(server.requests.count == 3)
        #expect(await store.usage().entries == 0)
    }

    @Test(
        "A stream that is sent for as any other response is not stored, and is not shared once its head shows what it is"
    )
    func plain() async throws {
        let arrived = Events<Int>()
        let gate = Rendezvous()
        let server = EventServer { connection in
            arrived.add(connection.number)
            try await gate.wait()
            return Self.stream("\(connection.number)")
        }
        let chain = try chain(over: server)
        let tasks = (0..<2).map { _ in Task { try await chain.send(.get(target)) } }
        try await arrived.wait(until: 1)
        gate.reach()
        var texts: Set<String> = []
        for task in tasks {
            let response = try await task.value
            #expect(!response.isCoalesced)
            #expect(response.cacheStatus?.isStored != true)
            texts.insert(try await response.body.text())
        }
        #expect(texts == ["id: 1\ndata: 1\n\n", "id: 1\ndata: 2\n\n"])
        _ = try await chain.send(.get(target)).body.collect()
        #expect(server.requests.count == 3)
        #expect(await store.usage().entries == 0)
    }

    @Test("JSON Lines that are read as a stream are not stored either")
    func jsonLines() async throws {
        let server = EventServer { _ in
            .response(
                Response(
                    .ok,
                    headers: [.contentType: "application/x-ndjson", .cacheControl: "max-age=3600"],
                    body: .chunks(["1\n", "2\n"])
                )
            )
        }
        let chain = try chain(over: server)
        let lines = EventStreamOptions(format: .jsonLines)
        for _ in 1...2 {
            let values = await chain.events(.get(target), as: Int.self, options: lines).outcome()
            #expect(values.error == nil)
            #expect(values.elements == [1, 2])
        }
        #expect(server.requests.count == 2)
        #expect(await store.usage().entries == 0)
    }

    @Test("A POST whose response is a stream invalidates the stored responses of its URL, as any POST does")
    func post() async throws {
        let server = EventServer { connection in
            connection.request.method == .post
                ? Self.stream("done")
                : .response(
                    Response(.ok, headers: [.cacheControl: "max-age=3600"], body: HTTPBody("\(connection.number)"))
                )
        }
        let chain = try chain(over: server)
        #expect(try await text(chain) == "1")
        #expect(try await text(chain) == "1")
        let events = await chain.events(.post(target, body: "question")).outcome()
        #expect(events.elements.map(\.data) == ["done"])
        #expect(try await text(chain) == "3")
    }
}
#endif
