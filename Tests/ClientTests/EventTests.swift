#if AllTests
import Foundation
import HTTPChain
import HTTPChainClient
import HTTPChainTesting
import TestSupport
import Testing

@Suite("The events of a client's calls", .timeLimit(.minutes(10)))
struct EventTests {
    /// The events as words, for a test to compare.
    final class Diary: CallEventObserver {
        let events = Events<CallEvent>()

        func callChanged(_ event: CallEvent) { events.add(event) }

        /// All but progress.
        var words: [String] {
            events.all.compactMap { event in
                if case .progress = event.change { return nil }
                return event.words
            }
        }
    }

    @Test(
        "A call tells that it will begin, has begun, its progress, and that it has succeeded, in order",
        arguments: Way.allCases
    )
    func success(way: Way) async throws {
        let chain = try await way.chain(to: GardenTransport())
        let client = Client(endpoints: [Endpoint("garden", over: chain)])
        let diary = Diary()
        client.addObserver(diary)
        _ = try await client.call(GetPlant(id: 7)).key("rose").tags("page").value
        #expect(diary.words == ["1 willBegin", "1 didBegin", "1 succeeded"])
        let event = try #require(diary.events.all.last)
        #expect(event.request as? GetPlant == GetPlant(id: 7))
        #expect(event.endpoint == "garden")
        #expect(event.key as? String == "rose" && event.tags == ["page"])
        let fractions = diary.events.all.compactMap { event -> Double? in
            guard case .progress(let progress) = event.change else { return nil }
            return progress.direction == .download ? progress.fraction : nil
        }
        #expect(fractions.last == 1)
        #expect(diary.events.all.first?.id == nil && event.id != nil)
    }

    @Test("An upload tells its progress with the request's type", arguments: Way.allCases)
    func upload(way: Way) async throws {
        let client = Client(over: try await way.chain(to: GardenTransport()))
        let diary = Diary()
        client.addObserver(diary)
        _ = try await client.call(AddPlant(plant: Garden.rose))
        let uploads = diary.events.all.filter {
            if case .progress(let progress) = $0.change { progress.direction == .upload } else { false }
        }
        #expect(!uploads.isEmpty && uploads.allSatisfy { $0.request is AddPlant })
    }

    @Test("A call tells that it failed, was cancelled, or was refused as a duplicate")
    func ends() async throws {
        let stalled = RegistryTests.Stalled()
        let client = try Client(endpoints: [
            Endpoint("garden", over: Garden.chain(over: GardenTransport())) { $0 is GetPlant },
            Endpoint("stalled", over: stalled),
        ])
        let diary = Diary()
        client.addObserver(diary)
        await #expect(throws: StatusError.self) { try await client.call(GetPlant(id: 8)) }
        async let slow = client.call(ListPlants.self).key("list").outcome
        try await stalled.begun.wait(until: 1)
        #expect(await client.call(ListPlants.self).key("list").duplicates(false).outcome.isCancelled)
        client.registry.cancel(key: "list")
        #expect(await slow.isCancelled)
        #expect(
            diary.words == [
                "1 willBegin", "1 didBegin", "1 failed: StatusError",
                "2 willBegin", "2 didBegin",
                "3 willBegin", "3 cancelled, duplicate: true",
                "2 cancelled, duplicate: false",
            ]
        )
    }

    @Test("A call tells once that it is slow, after the time of the client or its own, and not after its end")
    func slow() async throws {
        let clock = VirtualClock()
        let stalled = RegistryTests.Stalled()
        let client = Client(
            environment: .virtual(clock),
            slowAfter: .seconds(5),
            endpoints: [
                Endpoint("stalled", over: stalled)
            ]
        )
        let diary = Diary()
        client.addObserver(diary)
        async let first = client.call(GetPlant(id: 1)).outcome
        try await stalled.begun.wait(until: 1)
        async let second = client.call(GetPlant(id: 2)).slow(after: .seconds(60)).outcome
        try await stalled.begun.wait(until: 2)
        clock.advance(by: .seconds(4))
        #expect(!diary.words.contains("1 slow after 5.0 seconds"))
        clock.advance(by: .seconds(2))
        try await until("the slow call to be told") { diary.words.contains("1 slow after 5.0 seconds") }
        stalled.open()
        _ = await (first, second)
        clock.advance(by: .seconds(600))
        #expect(
            diary.words.filter { $0.hasPrefix("1") } == [
                "1 willBegin", "1 didBegin", "1 slow after 5.0 seconds", "1 succeeded",
            ]
        )
        #expect(diary.words.filter { $0.hasPrefix("2") } == ["2 willBegin", "2 didBegin", "2 succeeded"])
    }

    @Test("An observer may cancel the call that it is told of")
    func cancelling() async throws {
        final class Impatient: CallEventObserver {
            let registry: CallRegistry

            init(_ registry: CallRegistry) { self.registry = registry }

            func callChanged(_ event: CallEvent) {
                if case .slow = event.change, let id = event.id { registry.cancel(id) }
            }
        }
        let clock = VirtualClock()
        let stalled = RegistryTests.Stalled()
        let client = Client(environment: .virtual(clock), endpoints: [Endpoint("stalled", over: stalled)])
        let observer = Impatient(client.registry)
        client.addObserver(observer)
        async let outcome = client.call(GetPlant(id: 1)).slow(after: .seconds(3)).outcome
        try await stalled.begun.wait(until: 1)
        clock.advance(by: .seconds(3))
        #expect(await outcome.isCancelled)
        withExtendedLifetime(observer) {}
    }

    @Test("The events are a sequence too, which ends with the client and its last call")
    func sequence() async throws {
        let stalled = RegistryTests.Stalled(heedsCancellation: false)
        var client: Client? = Client(over: stalled)
        let events = try #require(client?.events())
        let started = client?.call(GetPlant(id: 1)).start { _ in }
        try await stalled.begun.wait(until: 1)
        client = nil
        stalled.open()
        await started?.finished()
        var words: [String] = []
        for await event in events { words.append(event.words) }
        #expect(words == ["1 willBegin", "1 didBegin", "1 cancelled, duplicate: false"])
        #expect(events.dropped == 0)
    }

    @Test("Events that nobody takes are kept up to a limit, and of progress the newest alone")
    func backlog() async throws {
        let client = Client(over: try Garden.chain(over: GardenTransport()))
        let few = client.events(limit: 3)
        let all = client.events()
        for _ in 0..<4 { try await client.call(GetPlant(id: 7)) }
        #expect(few.dropped > 0)
        var iterator = few.makeAsyncIterator()
        var kept: [String] = []
        for _ in 0..<3 { kept.append(try #require(await iterator.next()).words) }
        #expect(kept == ["4 willBegin", "4 didBegin", "4 succeeded"])
        var others = all.makeAsyncIterator()
        var ends = 0
        while ends < 4, let event = await others.next() {
            if event.change.isEnd { ends += 1 }
        }
        #expect(ends == 4 && all.dropped == 0)
    }

    @Test("Activity counts the calls of the endpoints that show it")
    func activity() async throws {
        let stalled = RegistryTests.Stalled()
        let client = Client(endpoints: [
            Endpoint("quiet", over: stalled, for: DeletePlant.self).showingActivity(false),
            Endpoint("garden", over: stalled),
        ])
        let seen = Events<Int>()
        let activity = client.activity
        let watching = Task { for await count in activity { seen.add(count) } }
        try await seen.wait(until: 1)
        let calls = [client.call(GetPlant(id: 1)).start { _ in }, client.call(DeletePlant(id: 1)).start { _ in }]
        try await stalled.begun.wait(until: 2)
        try await seen.wait(until: 2)
        stalled.open()
        for call in calls { await call.finished() }
        try await seen.wait(until: 3)
        #expect(seen.all == [0, 1, 0])
        watching.cancel()
        await watching.value
    }
}

extension CallEvent {
    fileprivate var words: String {
        switch change {
        case .willBegin: "\(call) willBegin"
        case .didBegin: "\(call) didBegin"
        case .progress: "\(call) progress"
        case .slow(let limit): "\(call) slow after \(limit)"
        case .waitingForConnectivity(let isWaiting): "\(call) waiting: \(isWaiting)"
        case .notStored: "\(call) notStored"
        case .succeeded: "\(call) succeeded"
        case .failed(let error): "\(call) failed: \(type(of: error))"
        case .cancelled(let duplicate): "\(call) cancelled, duplicate: \(duplicate)"
        }
    }
}
#endif
