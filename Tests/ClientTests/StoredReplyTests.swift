#if AllTests
import Foundation
import HTTPChain
import HTTPChainClient
import HTTPChainTesting
import TestSupport
import Testing

#if SQLite
import HTTPChainCacheSQLite
#endif

@Suite("Stored replies", .heavy, .timeLimit(.minutes(10)))
struct StoredReplyTests {
    private func client(
        _ store: some CacheStore = .memory(limit: .mebibytes(4)),
        partition: UserPartition = .shared,
        clock: VirtualClock = VirtualClock(),
        over transport: some Transport = GardenTransport(),
        base: String = Garden.base
    ) throws -> Client {
        let chain = try Garden.chain(over: transport, base: base)
        let replies = ReplyStore(store, partition: partition)
        return Client(environment: .virtual(clock), replies: replies, endpoints: [Endpoint("garden", over: chain)])
    }

    @Test(
        "A reply is read as it was stored, raw or as a value, with the time when it came",
        arguments: CallTests.Way.allCases
    )
    func reads(way: CallTests.Way) async throws {
        let (transport, base) = try await way.transport(to: GardenTransport())
        let clock = VirtualClock()
        let client = try client(clock: clock, over: transport, base: base)
        #expect(try await client.storedReply(for: RawPlant(id: 7)) == nil)
        try await client.call(RawPlant(id: 7))
        try await client.call(ValuePlant(id: 7))
        #expect(try await client.call(ValueText()) == "Ré")
        #expect(try await client.call(RawText()) == "Ré")
        let date = clock.date
        clock.advance(by: .seconds(60))
        let raw = try #require(try await client.storedReply(for: RawPlant(id: 7)))
        #expect(raw.value == Garden.rose && raw.date == date)
        #expect(
            raw.isYounger(than: .seconds(61), at: clock.date) && !raw.isYounger(than: .seconds(60), at: clock.date)
        )
        #expect(try await client.storedReply(for: ValuePlant(id: 7))?.value == Garden.rose)
        #expect(try await client.storedReply(for: ValueText())?.value == "Ré")
        #expect(try await client.storedReply(for: RawText())?.value == "Ré")
        #expect(try await client.storedReply(for: RawPlant(id: 8)) == nil)
    }

    @Test("A reply in files is there for the next process")
    func files() async throws {
        let folder = ScratchDirectory()
        do {
            let first = try client(.files(in: folder.url, limit: .mebibytes(4)))
            try await first.call(RawPlant(id: 7))
        }
        try await until("the first store to be closed") {
            let second = try client(.files(in: folder.url, limit: .mebibytes(4)))
            return try await second.storedReply(for: RawPlant(id: 7))?.value == Garden.rose
        }
    }

    #if SQLite
    @Test("A reply in a database is there for the next process, beside one in memory, each in the store of its class")
    func database() async throws {
        let folder = try ScratchDirectory.created()
        let file = folder.url.appendingPathComponent("replies.sqlite")
        let memory = MemoryCacheStore(bounds: CacheBounds(totalBytes: .mebibytes(1)))
        func client(over database: SQLiteCacheStore) throws -> Client {
            let replies = ReplyStore(memory, classes: ["user": database], partition: .shared)
            return Client(over: try Garden.chain(over: GardenTransport()), replies: replies)
        }
        let first = SQLiteCacheStore.sqlite(file, limit: .mebibytes(4))
        try await client(over: first).call(RawPlant(id: 7))
        try await client(over: first).call(ValuePlant(id: 7))
        #expect(try await first.usage().entries == 1)
        #expect(await memory.usage().entries == 1)
        await first.close()
        let second = SQLiteCacheStore.sqlite(file, limit: .mebibytes(4))
        let next = try client(over: second)
        let stored = try #require(try await next.storedReply(for: RawPlant(id: 7)))
        #expect(stored.value == Garden.rose && stored.isYounger(than: .seconds(3_600)))
        #expect(try await next.storedReply(for: ValuePlant(id: 7))?.value == Garden.rose)
        #expect(try await next.replies?.remove(classification: "user") == 1)
        #expect(try await next.storedReply(for: RawPlant(id: 7)) == nil)
        await second.close()
    }
    #endif

    @Test("A request without an identifier is not stored, nor is a stream, nor a type that did not ask for it")
    func optIn() async throws {
        let store = MemoryCacheStore(bounds: CacheBounds(totalBytes: .mebibytes(4)))
        let client = try client(store)
        _ = await client.call(RawPlant(id: 0)).outcome
        #expect(try await client.storedReply(for: RawPlant(id: 0)) == nil)
        #expect(try await client.call(RawStream()).text().contains("Rose"))
        try await client.call(GetPlant(id: 7))
        #expect(await store.usage().entries == 0)
    }

    @Test("A failed call stores nothing, and keeps what was stored")
    func failures() async throws {
        let nursery = Nursery()
        let client = try client(over: nursery)
        nursery.answer("Rose")
        try await client.call(RawPlant(id: 7))
        nursery.fail()
        await #expect(throws: TransportError.self) { try await client.call(RawPlant(id: 7)).retry(.never).value }
        #expect(try await client.storedReply(for: RawPlant(id: 7))?.value.name == "Rose")
    }

    @Test("A raw reply is decoded by the serializer of its chain and by what the call says, and sends nothing")
    func serializers() async throws {
        struct Height: Codable, Hashable, Sendable { var fullHeight: Int }
        struct Deep: StoredRequest {
            typealias Output = Height
            var path: String { "deep" }
            var storageIdentifier: String? { "deep" }
            func configure(_ request: inout Request) { request = request.decoding(at: "data.item") }
        }
        let sent = Counter()
        let inner = try Chain(
            transport: ClosureTransport { _ in
                sent.add()
                let json: HTTPFields = [.contentType: "application/json"]
                return Response(.ok, headers: json, body: #"{"data":{"item":{"full_height":3}}}"#)
            }
        ) {
            SerializerMiddleware(.json(keys: .snakeCase))
        }
        let client = Client(over: inner, replies: ReplyStore(.memory(limit: .mebibytes(1)), partition: .shared))
        #expect(try await client.call(Deep()).fullHeight == 3)
        #expect(try await client.storedReply(for: Deep())?.value == Height(fullHeight: 3))
        // Without a serializer it is JSON; a chain around the chain is looked into.
        let nested = try Chain(transport: inner) { ProgressMiddleware() }
        let outer = Client(over: nested, replies: client.replies)
        #expect(try await outer.storedReply(for: Deep())?.value == Height(fullHeight: 3))
        let bare = Client(over: Nursery(), replies: ReplyStore(.memory(limit: .mebibytes(1)), partition: .shared))
        let nursery = Nursery()
        nursery.answer("Fern")
        let plain = Client(over: nursery, replies: bare.replies)
        try await plain.call(RawPlant(id: 7))
        #expect(try await bare.storedReply(for: RawPlant(id: 7))?.value.name == "Fern")
        #expect(sent.value == 1)
    }

    @Test("The output of a mock is stored as a value, not raw")
    func mocks() async throws {
        let replies = ReplyStore(.memory(limit: .mebibytes(1)), partition: .shared)
        let client = Client(
            replies: replies,
            endpoints: [
                Endpoint.mock(ValuePlant.self) { Plant(id: $0.id, name: "Ivy") },
                Endpoint.mock(RawPlant.self) { Plant(id: $0.id, name: "Ivy") },
            ]
        )
        try await client.call(ValuePlant(id: 3))
        try await client.call(RawPlant(id: 3))
        #expect(try await client.storedReply(for: ValuePlant(id: 3))?.value.name == "Ivy")
        #expect(try await client.storedReply(for: RawPlant(id: 3)) == nil)
    }

    @Test("Users do not see each other's replies, and nothing is stored of whom nobody knows")
    func users() async throws {
        let user = Watched("ada")
        let client = try client(partition: .by { _ in user.value })
        try await client.call(RawPlant(id: 7))
        user.update { $0 = "bob" }
        #expect(try await client.storedReply(for: RawPlant(id: 7)) == nil)
        #expect(try await client.replies?.remove(for: RawPlant(id: 7)) == false)
        user.update { $0 = "ada" }
        #expect(try await client.storedReply(for: RawPlant(id: 7)) != nil)
        let unknown = try self.client(partition: .none)
        let call = unknown.makeCall(RawPlant(id: 7)).header(.authorization, "Bearer secret")
        _ = try await call.value
        var steps: [String] = []
        for await step in call.storedThenLive(dropping: .never).steps {
            if case .notStored(.nothing) = step { steps.append("nothing") }
        }
        #expect(steps == ["nothing"])
    }

    @Test("A reply that comes when another user has logged in is stored for neither")
    func switchedUser() async throws {
        let user = Watched("ada")
        let garden = GardenTransport()
        let transport = ClosureTransport { request in
            user.update { $0 = "bob" }
            return try await garden.send(request)
        }
        let client = try client(partition: .by { _ in user.value }, over: transport)
        try await client.call(RawPlant(id: 7))
        #expect(try await client.storedReply(for: RawPlant(id: 7)) == nil)
        user.update { $0 = "ada" }
        #expect(try await client.storedReply(for: RawPlant(id: 7)) == nil)
    }

    @Test("Replies are deleted by request, by class, by any class without a store of its own, and all")
    func removal() async throws {
        let user = MemoryCacheStore(bounds: CacheBounds(totalBytes: .mebibytes(1)))
        let others = MemoryCacheStore(bounds: CacheBounds(totalBytes: .mebibytes(1)))
        let replies = ReplyStore(others, classes: ["user": user], partition: .shared)
        let cached = try Chain(transport: GardenTransport()) {
            SerializerMiddleware(.json)
            URLBuilderMiddleware(base: Garden.base)
            CacheMiddleware(store: others, partition: .shared)
        }
        let client = Client(over: cached, replies: replies)
        func fill() async throws {
            try await client.call(RawPlant(id: 7))
            try await client.call(ValuePlant(id: 7))
            _ = try await cached.send(.get("plants/7").caching(for: .exactly(.seconds(600)))).body.drain()
        }
        func stored() async throws -> [Bool] {
            [
                try await client.storedReply(for: RawPlant(id: 7)) != nil,
                try await client.storedReply(for: ValuePlant(id: 7)) != nil,
            ]
        }
        try await fill()
        #expect(await user.usage().entries == 1)
        #expect(try await replies.remove(for: RawPlant(id: 7)))
        #expect(try await stored() == [false, true])
        #expect(try await replies.remove(for: RawPlant(id: 7)) == false)
        try await fill()
        #expect(try await replies.remove(classification: "user") == 1)
        #expect(try await stored() == [false, true])
        try await fill()
        #expect(try await replies.removeOthers() == 1)
        #expect(try await stored() == [true, false])
        try await fill()
        #expect(try await replies.remove(classification: nil) == 1)
        #expect(try await stored() == [true, false])
        try await fill()
        #expect(try await replies.removeAll() == 2)
        #expect(try await stored() == [false, false])
        // What the cache of the chain has stored in the same store is not a reply.
        #expect(await others.usage().entries == 1)
    }

    @Test("What is removed while a call is running is not stored again by it")
    func removalInFlight() async throws {
        let nursery = Nursery()
        let client = try client(over: nursery)
        let replies = try #require(client.replies)
        async let running = client.call(RawPlant(id: 7)).value
        async let other = client.call(ValuePlant(id: 7)).value
        try await nursery.begun.wait(until: 2)
        try await replies.remove(classification: "user")
        nursery.answer("Rose")
        nursery.answer("Rose")
        _ = try await (running, other)
        #expect(try await client.storedReply(for: RawPlant(id: 7)) == nil)
        #expect(try await client.storedReply(for: ValuePlant(id: 7)) != nil)
        // A call that begins later stores.
        nursery.answer("Rose")
        try await client.call(RawPlant(id: 7))
        #expect(try await client.storedReply(for: RawPlant(id: 7)) != nil)
    }

    @Test("A reply that was asked for earlier does not take the place of a later one")
    func order() async throws {
        let clock = VirtualClock()
        let (early, late) = (Nursery(), Nursery())
        let replies = ReplyStore(.memory(limit: .mebibytes(1)), partition: .shared)
        let first = Client(environment: .virtual(clock), replies: replies, endpoints: [Endpoint("early", over: early)])
        let second = Client(environment: .virtual(clock), replies: replies, endpoints: [Endpoint("late", over: late)])
        async let slow = first.call(RawPlant(id: 7)).value
        try await early.begun.wait(until: 1)
        clock.advance(by: .seconds(1))
        late.answer("New")
        try await second.call(RawPlant(id: 7))
        clock.advance(by: .seconds(1))
        early.answer("Old")
        #expect(try await slow.name == "Old")
        #expect(try await first.storedReply(for: RawPlant(id: 7))?.value.name == "New")
    }

    @Test("A reply that cannot be stored does not fail its call, which tells it")
    func storingFails() async throws {
        let nursery = Nursery()
        let client = try client(over: nursery)
        let diary = EventTests.Diary()
        client.addObserver(diary)
        nursery.answer("Secret")
        #expect(try await client.call(ValuePlant(id: 7)).name == "Secret")
        #expect(diary.words == ["1 willBegin", "1 didBegin", "1 notStored", "1 succeeded"])
        let failing = try self.client(SlowStore(.failing), over: GardenTransport())
        #expect(try await failing.call(RawPlant(id: 7)) == Garden.rose)
        await #expect(throws: SlowStore.Failure.self) { try await failing.storedReply(for: RawPlant(id: 7)) }
    }

    /// A type that stores its replies now raw, now as values, under the same name and identifier.
    struct ShiftingPlant: StoredRequest {
        typealias Output = Plant
        @TaskLocal static var isRaw = true
        var path: String { "plants/7" }
        var storageIdentifier: String? { "plant" }
        static var storage: ReplyStorage<Plant> { isRaw ? .raw : .value }
    }

    @Test("What a type stored in another form is not read, nor removed with what it stores now")
    func forms() async throws {
        let store = MemoryCacheStore(bounds: CacheBounds(totalBytes: .mebibytes(1)))
        let client = try client(store)
        func stored() async throws -> Plant? { try await client.storedReply(for: ShiftingPlant())?.value }
        try await client.call(ShiftingPlant())
        #expect(try await stored() == Garden.rose)
        try await ShiftingPlant.$isRaw.withValue(false) {
            #expect(try await stored() == nil)
            try await client.call(ShiftingPlant())
            #expect(try await stored() == Garden.rose)
            #expect(await store.usage().entries == 2)
            #expect(try await client.replies?.remove(for: ShiftingPlant()) == true)
            #expect(try await stored() == nil)
        }
        #expect(try await stored() == Garden.rose)
    }

    @Test("A client without a store says so")
    func errors() async throws {
        let client = Client(over: GardenTransport())
        let error = try await #require(throws: ReplyStoreError.self) {
            try await client.storedReply(for: RawPlant(id: 7))
        }
        #expect("\(error)".contains("RawPlant") && "\(error)".contains("ReplyStore"))
    }

    @Test("No cookie is written into a store")
    func cookies() async throws {
        let store = MemoryCacheStore(bounds: CacheBounds(totalBytes: .mebibytes(4)))
        let nursery = Nursery()
        nursery.answer("Rose")
        try await client(store, over: nursery).call(RawPlant(id: 7))
        let heads = Events<HTTPFields>()
        await store.visit(.all) { entry in
            heads.add(entry.response.metadata.head.headerFields)
            return true
        }
        #expect(heads.all.count == 1 && heads.all.first?[.setCookie] == nil)
        #expect(heads.all.first?[.contentType] == "application/json")
    }
}
#endif
