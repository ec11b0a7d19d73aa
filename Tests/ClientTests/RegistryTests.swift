import Foundation
import HTTPChain
import HTTPChainClient
import HTTPChainInMemory
import HTTPChainSupport
import HTTPChainTesting
import TestSupport
import Testing

@Suite("A call registry", .timeLimit(.minutes(10)))
struct RegistryTests {
    struct PageKey: Hashable { var page: String }

    /// Answers when it is told to; cancelled or not.
    final class Stalled: Transport {
        let begun = Counter()
        private let isOpen = Watched(false)
        let heedsCancellation: Bool

        init(heedsCancellation: Bool = true) { self.heedsCancellation = heedsCancellation }

        var capabilities: TransportCapabilities { .closure }
        var name: String { "stalled" }

        func open() { isOpen.update { $0 = true } }

        func send(_ request: consuming Request) async throws -> Response {
            begun.add()
            if heedsCancellation {
                try await isOpen.wait { $0 ? () : nil }
            } else {
                await isOpen.waitUninterrupted { $0 ? () : nil }
            }
            return Response(.ok, body: #"{"id":7,"name":"Rose"}"#)
        }
    }

    @Test("Running calls are found by value, type, group, key, type of key, and tag")
    func contains() async throws {
        let transport = Stalled()
        let client = Client(over: transport)
        let calls = [
            client.call(GetPlant(id: 1)).start { _ in },
            client.call(DeletePlant(id: 2)).key(PageKey(page: "a")).start { _ in },
            client.call(GetText(path: "x")).tags("search", "text").start { _ in },
        ]
        try await transport.begun.wait(until: 3)
        let registry = client.registry
        #expect(registry.count == 3)
        #expect(registry.contains(GetPlant(id: 1)) && !registry.contains(GetPlant(id: 2)))
        #expect(registry.contains(type: GetPlant.self) && !registry.contains(type: ListPlants.self))
        #expect(registry.contains(type: (any GardenRequest).self))
        #expect(registry.contains(key: PageKey(page: "a")) && !registry.contains(key: PageKey(page: "b")))
        #expect(registry.contains(keyType: PageKey.self) && !registry.contains(keyType: String.self))
        #expect(registry.contains(tag: "text") && !registry.contains(tag: "image"))
        #expect(registry.contains { $0.tags.count == 2 })
        #expect(Set(registry.calls.map(\.id)).count == 3)
        transport.open()
        for call in calls { await call.finished() }
        #expect(registry.count == 0)
    }

    @Test("Calls are cancelled by each of these, and all at once; the others go on")
    func cancels() async throws {
        let transport = Stalled()
        let client = Client(over: transport)
        let cancelled = Events<Int>()
        let queue = DispatchQueue(label: "outcomes")
        func start(_ index: Int) -> StartedCall {
            let call = client.call(GetPlant(id: index)).key(index).tags(index.isMultiple(of: 2) ? "even" : "odd")
            return call.start(on: queue) { if case .cancelled(duplicate: false) = $0 { cancelled.add(index) } }
        }
        let calls = (0..<8).map(start)
        try await transport.begun.wait(until: 8)
        let registry = client.registry
        #expect(registry.cancel(GetPlant(id: 0)) == 1)
        #expect(registry.cancel(GetPlant(id: 0)) == 0)
        #expect(registry.cancel(key: 1) == 1)
        #expect(registry.cancel(tag: "odd") == 3)
        #expect(registry.cancel(type: DeletePlant.self) == 0)
        #expect(registry.cancel { ($0.value as? GetPlant)?.id == 2 } == 1)
        let left = try #require(registry.calls.first)
        #expect(registry.cancel(left.id) && !registry.cancel(left.id))
        transport.open()
        for call in calls { await call.finished() }
        #expect(Set(cancelled.all) == [0, 1, 2, 3, 5, 7, try #require(left.value as? GetPlant).id])
        #expect(cancelled.all.count == 7)
        let more = Stalled()
        let other = Client(over: more)
        let rest = (0..<5).map { other.call(GetPlant(id: $0)).start { #expect($0.isCancelled) } }
        try await more.begun.wait(until: 5)
        #expect(other.registry.cancelAll() == 5)
        for call in rest { await call.finished() }
    }

    @Test("A cancelled call is gone at once, and its result is ignored when the transport answers late")
    func late() async throws {
        let transport = Stalled(heedsCancellation: false)
        let client = Client(over: transport)
        async let outcome = client.call(GetPlant(id: 7)).excludingDuplicates().outcome
        try await transport.begun.wait(until: 1)
        #expect(client.registry.cancel(GetPlant(id: 7)) == 1)
        #expect(!client.registry.contains(GetPlant(id: 7)))
        // The same call may begin again, and is no duplicate.
        async let again = client.call(GetPlant(id: 7)).excludingDuplicates().outcome
        try await transport.begun.wait(until: 2)
        transport.open()
        #expect(await outcome.isCancelled)
        #expect(await again.output == Garden.rose)
    }

    @Test("A duplicate by value or by key ends as cancelled: duplicate, and the first goes on")
    func duplicates() async throws {
        let transport = Stalled()
        let client = Client(over: transport)
        async let first = client.call(GetPlant(id: 7)).outcome
        async let keyed = client.call(ListPlants.self).key("list").outcome
        try await transport.begun.wait(until: 2)
        let byValue = await client.call(GetPlant(id: 7)).excludingDuplicates().outcome
        guard case .cancelled(duplicate: true) = byValue else {
            Issue.record("\(byValue)")
            return
        }
        let error = await #expect(throws: DuplicateCallError.self) {
            try await client.call(GetText(path: "x")).key("list").excludingDuplicates().value
        }
        #expect(error?.isByKey == true)
        // Another value, the same value under a key of its own, a type without equality, no wish to exclude: each is sent.
        async let others: [Bool] = [
            client.call(GetPlant(id: 8)).excludingDuplicates().outcome.isCancelled,
            client.call(GetPlant(id: 7)).key("other").excludingDuplicates().outcome.isCancelled,
        ]
        transport.open()
        #expect(await others == [false, false])
        #expect(await first.output == Garden.rose)
        #expect(await keyed.error != nil)
    }

    @Test("A copy of a client has calls of its own")
    func copy() async throws {
        let transport = Stalled()
        let client = Client(over: transport)
        let copy = client.copy()
        async let first = client.call(GetPlant(id: 1)).outcome
        async let second = copy.call(GetPlant(id: 1)).excludingDuplicates().outcome
        try await transport.begun.wait(until: 2)
        copy.registry.cancelAll()
        #expect(client.registry.contains(GetPlant(id: 1)))
        transport.open()
        #expect(await first.output == Garden.rose)
        #expect(await second.isCancelled)
    }

    @Test("A task that is cancelled cancels its call")
    func taskCancelled() async throws {
        let transport = Stalled()
        let client = Client(over: transport)
        let task = Task { try await client.call(GetPlant(id: 1)) }
        try await transport.begun.wait(until: 1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(client.registry.count == 0)
    }

    @Test("A stream is a running call until it was read or dropped, and ends when it is cancelled")
    func streams() async throws {
        let transport = ClosureTransport { _ in Response(.ok, body: .chunks(["a", "b", "c"])) }
        let client = Client(over: transport)
        let body = try await client.call(GetStream(path: "s")).key("s").value
        #expect(client.registry.contains(key: "s"))
        #expect(try await body.text() == "abc")
        #expect(client.registry.count == 0)
        let response = try await client.call(GetResponse(path: "s")).key("s").value
        var reader = try await response.body.makeReader()
        #expect(try await reader.read() == Data("a".utf8))
        #expect(client.registry.cancel(key: "s") == 1)
        await #expect(throws: CancellationError.self) { try await reader.read() }
        #expect(try await reader.read() == nil)
        do { _ = try await client.call(GetStream(path: "s")).value }
        try await until("the dropped stream to leave") { client.registry.count == 0 }
    }

    @Test("The stage does the same for calls without a client")
    func stage() async throws {
        let transport = Stalled()
        let registry = CallRegistry()
        let chain = try Chain(transport: transport) { CallRegistryMiddleware(registry) }
        let first = Task { try await chain.send(.get("https://a.example/").callKey("a").callTags("t")) }
        try await transport.begun.wait(until: 1)
        await #expect(throws: DuplicateCallError.self) {
            try await chain.send(.get("https://a.example/").callKey("a").excludingDuplicateCalls())
        }
        #expect(registry.contains(tag: "t"))
        #expect(registry.cancel(key: "a") == 1)
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(registry.count == 0)
        registry.close()
        await #expect(throws: CancellationError.self) { try await chain.send(.get("https://a.example/")) }
    }

    @Test("The stage keeps the rules of a good stage", arguments: StageConformance.Check.allCases)
    func conformance(check: StageConformance.Check) async throws {
        try await StageConformance { CallRegistryMiddleware(CallRegistry()) }.verify(check)
    }

    @Test("Many calls, cancelled at random by several tasks, each end exactly once and leave nothing", .seeded, .heavy)
    func drill() async throws {
        let count = Drill.isFull ? Drill.calls : min(Drill.calls, 500)
        let transport = ClosureTransport { request in
            // Some wait as real ones do, some heed no cancellation, some answer at once.
            switch (request.value as? GetPlant)?.id ?? 0 {
            case let id where id % 5 == 0: break
            case let id where id % 5 == 1: for _ in 0..<id % 40 { await Task.yield() }
            case let id: try await Task.sleep(for: .milliseconds(10 + id % 90))
            }
            return Response(.ok, body: #"{"id":7,"name":"Rose"}"#)
        }
        let client = Client(over: transport)
        let outcomes = Locked([Int: (ended: Int, cancelled: Int)]())
        let isOver = Locked(false)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for canceller in 1...4 {
                let numbers = Seed.numbers(UInt64(canceller))
                group.addTask {
                    while !isOver.withLock({ $0 }) {
                        let index = numbers.index(below: count)
                        switch numbers.index(below: 6) {
                        case 0: client.registry.cancel(GetPlant(id: index))
                        case 1: client.registry.cancel(key: index)
                        case 2: client.registry.cancel(tag: "t\(index % 100)")
                        case 3: client.registry.cancel { ($0.value as? GetPlant)?.id == index }
                        case 4 where index % 50 == 0: client.registry.cancel(type: GetPlant.self)
                        default: _ = client.registry.contains(key: index)
                        }
                        await Task.yield()
                    }
                }
            }
            try await withThrowingTaskGroup(of: Void.self) { calls in
                for index in 0..<count {
                    calls.addTask {
                        let call = client.call(GetPlant(id: index)).key(index).tags("t\(index % 100)")
                        let outcome = await call.outcome
                        if let error = outcome.error { throw error }
                        outcomes.withLock {
                            var entry = $0[index] ?? (0, 0)
                            entry.ended += 1
                            if outcome.isCancelled { entry.cancelled += 1 }
                            $0[index] = entry
                        }
                    }
                }
                try await calls.waitForAll()
            }
            isOver.withLock { $0 = true }
            try await group.waitForAll()
        }
        let ended = outcomes.withLock { $0 }
        #expect(ended.count == count)
        #expect(ended.values.allSatisfy { $0.ended == 1 })
        #expect(client.registry.count == 0)
        let cancelled = ended.values.count { $0.cancelled == 1 }
        #expect(cancelled > 0 && cancelled < count)
        print("registry: \(count) calls, \(cancelled) cancelled")
    }
}
