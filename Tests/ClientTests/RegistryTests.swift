#if AllTests
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
        var optionsRead: [any RequestOption.Type] { [URLArgumentsOption.self] }

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
        #expect(registry.contains { $0.key is PageKey } && !registry.contains { $0.key is String })
        #expect(registry.contains(tag: "text") && !registry.contains(tag: "image"))
        #expect(registry.contains { $0.tags.count == 2 })
        #expect(Set(registry.calls.map(\.id)).count == 3)
        transport.open()
        for call in calls { await call.finished() }
        #expect(registry.count == 0)
    }

    @Test("Calls are cancelled by each of these, and all at once; the others go on", .heavy, arguments: Way.allCases)
    func cancels(way: Way) async throws {
        let transport = Stalled()
        let client = Client(over: try await way.chain(to: transport))
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
        async let outcome = client.call(GetPlant(id: 7)).duplicates(false).outcome
        try await transport.begun.wait(until: 1)
        #expect(client.registry.cancel(GetPlant(id: 7)) == 1)
        #expect(!client.registry.contains(GetPlant(id: 7)))
        // The same call may begin again, and is no duplicate.
        async let again = client.call(GetPlant(id: 7)).duplicates(false).outcome
        try await transport.begun.wait(until: 2)
        transport.open()
        #expect(await outcome.isCancelled)
        #expect(await again.output == Garden.rose)
    }

    @Test(
        "A duplicate by value or by key ends as cancelled: duplicate, and the first goes on",
        .heavy,
        arguments: Way.allCases
    )
    func duplicates(way: Way) async throws {
        let transport = Stalled()
        let client = Client(over: try await way.chain(to: transport))
        async let first = client.call(GetPlant(id: 7)).outcome
        async let keyed = client.call(ListPlants.self).key("list").outcome
        try await transport.begun.wait(until: 2)
        let byValue = await client.call(GetPlant(id: 7)).duplicates(false).outcome
        guard case .cancelled(duplicate: true) = byValue else {
            Issue.record("\(byValue)")
            return
        }
        let error = await #expect(throws: DuplicateCallError.self) {
            try await client.call(GetText(path: "x")).key("list").duplicates(false).value
        }
        #expect(error?.isByKey == true)
        // Another value, the same value under a key of its own, a type without equality, no wish to exclude: each is sent.
        async let others: [Bool] = [
            client.call(GetPlant(id: 8)).duplicates(false).outcome.isCancelled,
            client.call(GetPlant(id: 7)).key("other").duplicates(false).outcome.isCancelled,
        ]
        transport.open()
        #expect(await others == [false, false])
        #expect(await first.output == Garden.rose)
        #expect(await keyed.error != nil)
    }

    @Test("A call that excludes duplicates without a key or a Hashable request fails and says what it lacks")
    func unidentified() async throws {
        struct Anything: TypedRequest {
            typealias Output = String
            var path: String { "x" }
        }
        let transport = InMemoryTransport { _ in Response(.ok, body: "x") }
        let client = Client(over: try Chain(transport: transport) { URLBuilderMiddleware(base: "https://a.example") })
        let error = await #expect(throws: CallIdentityError.self) {
            try await client.call(Anything()).duplicates(false).value
        }
        #expect(error?.reason.contains("Anything") == true && error?.recoverySuggestion?.contains("key") == true)
        #expect(try await client.call(Anything()).key("x").duplicates(false).value == "x")
        let chain = try Chain(transport: transport) { CallRegistryMiddleware(CallRegistry()) }
        await #expect(throws: CallIdentityError.self) {
            try await chain.send(.get("https://a.example/").callDuplicates(false))
        }
        #expect(transport.requests.count == 1)
    }

    @Test("A copy of a client has calls of its own")
    func copy() async throws {
        let transport = Stalled()
        let client = Client(over: transport)
        let copy = client.copy()
        async let first = client.call(GetPlant(id: 1)).outcome
        async let second = copy.call(GetPlant(id: 1)).duplicates(false).outcome
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
        let kept = try await client.call(GetResponse(path: "s")).key("s").value
        for try await _ in kept.body { break }
        try await until("the stream whose reader is dropped to leave") { client.registry.count == 0 }
        #expect(kept.status == .ok)
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
            try await chain.send(.get("https://a.example/").callKey("a").callDuplicates(false))
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

    @Test("The stage finds and cancels calls by the value that they were made from, its type, and a group of types")
    func stageByValue() async throws {
        let transport = Stalled()
        let registry = CallRegistry()
        let chain = try Chain(transport: transport) { CallRegistryMiddleware(registry) }
        func start(_ value: some Sendable) -> Task<Int, any Error> {
            Task { try await chain.send(.get("https://a.example/").made(from: value)).status.code }
        }
        let calls = [start(GetPlant(id: 1)), start(GetPlant(id: 2)), start(DeletePlant(id: 1)), start("text")]
        try await transport.begun.wait(until: 4)
        #expect(registry.contains(GetPlant(id: 1)) && !registry.contains(GetPlant(id: 3)))
        #expect(registry.contains(type: DeletePlant.self) && !registry.contains(type: ListPlants.self))
        #expect(registry.contains(type: (any GardenRequest).self) && registry.contains("text"))
        let twin = await #expect(throws: DuplicateCallError.self) {
            try await chain.send(
                .get("https://b.example/").made(from: GetPlant(id: 2)).callDuplicates(false)
            )
        }
        #expect(twin?.isByKey == false)
        #expect(registry.cancel(GetPlant(id: 1)) == 1 && registry.cancel(GetPlant(id: 1)) == 0)
        #expect(registry.cancel(type: DeletePlant.self) == 1)
        #expect(registry.cancel(type: (any GardenRequest).self) == 1)
        #expect(registry.calls.map { $0.value as? String } == ["text"])
        transport.open()
        for call in calls.dropLast() { await #expect(throws: CancellationError.self) { try await call.value } }
        #expect(try await calls.last?.value == 200)
        #expect(registry.count == 0)
    }

    @Test("Keys of different types are different, also where their values would be equal; an optional is what it holds")
    func keyTypes() async throws {
        let transport = Stalled()
        let client = Client(over: transport)
        func outcome(_ key: some Hashable & Sendable) async -> CallOutcome<Void> {
            await client.call(DeletePlant(id: 0)).key(key).duplicates(false).outcome
        }
        func start(_ key: some Hashable & Sendable) -> StartedCall {
            client.call(DeletePlant(id: 0)).key(key).start { _ in }
        }
        let first = [start(1), start("b"), start(Optional("c")), start("twice"), start("twice")]
        try await transport.begun.wait(until: 5)
        for refused in [await outcome(1), await outcome("b"), await outcome("c")] {
            guard case .cancelled(duplicate: true) = refused else {
                Issue.record("\(refused)")
                continue
            }
        }
        let others = [start(UInt8(1)), start(1.0), start(Substring("b"))]
        async let short = outcome(Int16(1))
        async let optional = outcome(Optional(2))
        try await transport.begun.wait(until: 10)
        // One of two with the same key ends, and the other is still there.
        let twins = client.registry.calls.filter { $0.key as? String == "twice" }
        #expect(twins.count == 2)
        client.registry.cancel(try #require(twins.first).id)
        #expect(await outcome("twice").isCancelled)
        client.registry.cancel(key: "twice")
        async let again = outcome("twice")
        transport.open()
        let second = await again
        #expect(second.error == nil && !second.isCancelled)
        for outcome in await [short, optional] { #expect(!outcome.isCancelled) }
        for call in first + others { await call.finished() }
        #expect(client.registry.count == 0)
    }

    /// A value that counts how often it is compared.
    struct Counting: Hashable, Sendable {
        static let comparisons = Counter()
        let number: Int

        static func == (left: Counting, right: Counting) -> Bool {
            comparisons.add()
            return left.number == right.number
        }
        func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    @Test("A duplicate is found without a look at each of the calls that are running")
    func index() async throws {
        let registry = CallRegistry()
        let isOpen = Watched(false)
        @Sendable func call(_ number: Int) async throws {
            var registration = CallRegistration()
            registration.excludesDuplicates = true
            try await registry.perform(value: Counting(number: number), registration: registration) { _ in
                try await isOpen.wait { $0 ? () : nil }
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<500 { group.addTask { try await call(number) } }
            try await until("the calls to run") { registry.count == 500 }
            let error = await #expect(throws: DuplicateCallError.self) { try await call(250) }
            #expect(error.map { registry.calls.map(\.id).contains($0.running) } == true)
            // Each with each, that would be 125,000.
            #expect((1...1_000).contains(Counting.comparisons.value))
            isOpen.update { $0 = true }
            try await group.waitForAll()
        }
        #expect(registry.count == 0)
    }

    /// Counts how often each call of a client ends, by its number.
    final class Census: CallEventObserver {
        let ends = Locked([UInt64: Int]())
        let begins = Locked([UInt64: Int]())

        func callChanged(_ event: CallEvent) {
            if case .willBegin = event.change { begins.withLock { $0[event.call, default: 0] += 1 } }
            if event.change.isEnd { ends.withLock { $0[event.call, default: 0] += 1 } }
        }
    }

    /// How often a call of the drill ended, and how.
    struct Tally: Sendable {
        var ended = 0
        var cancelled = 0
        var duplicates = 0

        mutating func add(_ outcome: CallOutcome<some Sendable>) {
            ended += 1
            if case .cancelled(let isDuplicate) = outcome {
                cancelled += 1
                duplicates += isDuplicate ? 1 : 0
            }
        }
    }

    /// Some calls wait as real ones do, some heed no cancellation, some answer at once; some bodies arrive in parts.
    private static let drillTransport = ClosureTransport(reading: [URLArgumentsOption.self]) { request in
        let id = (request.value as? GetPlant)?.id ?? (request.value as? GetStream).flatMap { Int($0.path) } ?? 0
        switch id % 5 {
        case 0: break
        case 1: for _ in 0..<id % 40 { await Task.yield() }
        default: try await Task.sleep(for: .milliseconds(10 + id % 90))
        }
        if request.value is GetStream { return Response(.ok, body: .chunks(["a", "b", "c"])) }
        return Response(.ok, body: #"{"id":7,"name":"Rose"}"#)
    }

    @Test("Many calls, cancelled at random by several tasks, each end exactly once and leave nothing", .seeded, .heavy)
    func drill() async throws {
        let count = Drill.calls
        let client = Client(over: Self.drillTransport)
        let census = Census()
        client.addObserver(census)
        let tallies = Locked([Int: Tally]())
        let queue = DispatchQueue(label: "outcomes", attributes: .concurrent)
        let isOver = Locked(false)

        @Sendable func note(_ index: Int, _ outcome: CallOutcome<some Sendable>) {
            if let error = outcome.error { Issue.record("call \(index): \(error)") }
            tallies.withLock { $0[index, default: Tally()].add(outcome) }
        }
        @Sendable func start(_ index: Int) -> StartedCall {
            let tag = "t\(index % 100)"
            switch index % 10 {
            case 1, 6:
                let call = client.call(GetStream(path: "\(index)")).key(index).tags(tag)
                return call.start(on: queue) { outcome in
                    note(index, outcome)
                    // A stream is a call until it was read, or dropped as every other one is here.
                    if index % 10 == 1, let body = outcome.output { Task { await body.drain() } }
                }
            // The same as the one before, by its key and by its value.
            case 4:
                let call = client.call(GetPlant(id: index)).key(index - 1).duplicates(false)
                return call.start(on: queue) { note(index, $0) }
            case 9:
                let call = client.call(GetPlant(id: index - 1)).duplicates(false)
                return call.start(on: queue) { note(index, $0) }
            default:
                let call = client.call(GetPlant(id: index)).key(index).tags(tag)
                return call.start(on: queue) { note(index, $0) }
            }
        }
        await withTaskGroup(of: Void.self) { group in
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
                        case 4 where index % 50 == 0: client.registry.cancel(type: GetStream.self)
                        default: _ = client.registry.contains(key: index)
                        }
                        await Task.yield()
                    }
                }
            }
            await withTaskGroup(of: Void.self) { calls in
                for part in 0..<8 {
                    calls.addTask {
                        let started = stride(from: part, to: count, by: 8).map(start)
                        for call in started { await call.finished() }
                    }
                }
            }
            isOver.withLock { $0 = true }
        }
        let all = tallies.withLock { $0 }
        #expect(all.count == count && all.values.allSatisfy { $0.ended == 1 })
        let (begins, ends) = (census.begins.withLock { $0 }, census.ends.withLock { $0 })
        #expect(begins.count == count && begins.values.allSatisfy { $0 == 1 })
        #expect(ends.count == count && ends.values.allSatisfy { $0 == 1 })
        try await until("the streams to be read or dropped") { client.registry.count == 0 }
        let cancelled = all.values.count { $0.cancelled == 1 }
        let duplicates = all.values.count { $0.duplicates == 1 }
        #expect(duplicates > 0 && cancelled > duplicates && cancelled < count)
        print("registry: \(count) calls, \(cancelled) cancelled, \(duplicates) of them as duplicates")
    }
}
#endif
