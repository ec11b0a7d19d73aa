#if AllTests
import Foundation
import HTTPChain
import HTTPChainClient
import HTTPChainPagination
import HTTPChainTesting
import TestSupport
import Testing

@Suite("Typed calls", .heavy, .timeLimit(.minutes(10)))
struct CallTests {
    typealias Way = TestSupport.Way

    @Test("A request type gives its result", arguments: Way.allCases)
    func values(way: Way) async throws {
        try await way.withClient { client in
            #expect(try await client.call(GetPlant(id: 7)) == Garden.rose)
            #expect(try await client.call(ListPlants.self) == [Garden.rose])
            #expect(try await client.call(AddPlant(plant: Plant(id: 0, name: "Oak"))) == Plant(id: 8, name: "Oak"))
            try await client.call(DeletePlant(id: 7))
        }
    }

    @Test(
        "A result is data, text, an optional, a file, a stream or the response as the type says",
        arguments: Way.allCases
    )
    func kinds(way: Way) async throws {
        try await way.withClient { client in
            let json = #"{"id":7,"name":"Rose"}"#
            #expect(try await client.call(GetData(path: "plants/7")) == Data(json.utf8))
            #expect(try await client.call(GetText(path: "plants/7")) == json)
            #expect(try await client.call(GetText(path: "latin")) == "Ré")
            #expect(try await client.call(GetText(path: "json-text")) == #""quoted""#)
            #expect(try await client.call(GetMaybe(path: "plants/7")) == Garden.rose)
            #expect(try await client.call(GetMaybe(path: "empty")) == nil)
            #expect(try await client.call(GetMaybeText(path: "empty")) == nil)
            #expect(try await client.call(GetMaybeText(path: "latin")) == "Ré")
            #expect(try await client.call(GetMaybeData(path: "empty")) == nil)
            #expect(try await client.call(GetMaybeData(path: "plants/7")) == Data(json.utf8))
            let file = try await client.call(GetFile(path: "plants/7"))
            #expect(try String(contentsOf: file.url, encoding: .utf8) == json)
            #expect(try await client.call(GetStream(path: "plants/7")).text() == json)
            let response = try await client.call(GetResponse(path: "plants/7"))
            #expect(response.headers[.contentType] == "application/json")
            #expect(try await response.body.text() == json)
        }
    }

    @Test("A file of the caller's is saved, and a type of one's own is made of what the server sends")
    func ownKinds() async throws {
        let client = Client(over: try Garden.chain(over: GardenTransport()))
        let scratch = try ScratchDirectory.created()
        let file = scratch.url.appendingPathComponent("plant.json")
        #expect(try await client.call(Fetch(path: "plants/7", result: .saved(to: file))) == file)
        #expect(try String(contentsOf: file, encoding: .utf8).contains("Rose"))
        #expect(try await client.call(Fetch(path: "plants/7", result: .decoded(Plant.self, map: \.name))) == "Rose")
        #expect(try await client.call(Fetch(path: "plants/7", result: ResultKind<Plant>.decoded.map(\.id))) == 7)
        let size = Fetch(path: "plants/7", result: ResultKind<Int>.bytes { bytes, _ in bytes.count })
        #expect(try await client.call(size) == 22)
        let status = Fetch(path: "empty", result: ResultKind<Int>.custom(\.status.code))
        #expect(try await client.call(status) == 204)
    }

    @Test("A call gives the response beside its output")
    func withResponse() async throws {
        let client = Client(over: try Garden.chain(over: GardenTransport()))
        let page = try await client.call(ListPlants.self).response
        #expect(page.value == [Garden.rose])
        #expect(page.headers[.contentType] == "application/json")
        #expect(page.request?.path == "/plants?sort=name")
    }

    @Test("Modifiers set the options of the stages for one call")
    func modifiers() async throws {
        let seen = Events<Request>()
        let client = Client(
            over: ClosureTransport(reading: [
                URLArgumentsOption.self, TimeoutOption.self, AttemptTimeoutOption.self, ProgressOption.self,
            ]) { request in
                seen.add(request)
                return Response(.ok, body: #"{"id":7,"name":"Rose"}"#)
            }
        )
        let progress = Counter()
        let plant = try await client.call(GetPlant(id: 7))
            .retry(.never).timeout(.seconds(3)).progress { _ in progress.add() }
            .header(.userAgent, "gardener").with { $0.timeout(attempt: .seconds(1)) }
            .value
        #expect(plant == Garden.rose)
        let request = try #require(seen.all.first)
        #expect(request.options[RetryOption.self].applied(to: nil)?.maximumAttempts == 1)
        #expect(request.options[TimeoutOption.self] == .value(.seconds(3)))
        #expect(request.options.contains(ProgressOption.self))
        #expect(request.headers[.userAgent] == "gardener")
        #expect(request.options[AttemptTimeoutOption.self] == .value(.seconds(1)))
        #expect(request.value as? GetPlant == GetPlant(id: 7))
        try await client.call(GetPlant(id: 7))
        #expect(seen.all.last?.options.contains(RetryOption.self) == false)
    }

    @Test("A progress closure is told of the transfer")
    func progress() async throws {
        let client = Client(over: try Garden.chain(over: GardenTransport()))
        let fractions = Events<Double?>()
        _ = try await client.call(GetPlant(id: 7)).progress { fractions.add($0.fraction) }.value
        #expect(fractions.all.last == 1)
    }

    @Test("An error of the chain is the error of the call")
    func errors() async throws {
        let client = Client(over: try Garden.chain(over: GardenTransport()))
        await #expect(throws: StatusError.self) { try await client.call(GetPlant(id: 8)) }
        let outcome = await client.call(GetPlant(id: 8)).outcome
        #expect(outcome.error is StatusError)
        #expect(outcome.output == nil && !outcome.isCancelled)
    }

    @Test("Results are made on the queue or actor that was chosen, for the client and for one call")
    func processing() async throws {
        let queue = DispatchQueue(label: "results")
        let key = DispatchSpecificKey<String>()
        queue.setSpecific(key: key, value: "results")
        let place = Fetch(
            path: "plants/7",
            result: ResultKind<String>.bytes { _, _ in
                DispatchQueue.getSpecific(key: key) ?? (Thread.isMainThread ? "main" : "pool")
            }
        )
        let client = Client(over: try Garden.chain(over: GardenTransport()), processing: .queue(queue))
        #expect(try await client.call(place) == "results")
        #expect(try await client.call(place).processing(.concurrent).value == "pool")
        let bench = Bench()
        let onBench = Fetch(
            path: "plants/7",
            result: ResultKind<Int>.bytes { _, _ in bench.assumeIsolated { $0.add() } }
        )
        #expect(try await client.call(onBench).processing(.actor(bench)).value == 1)
        let copied = client.copy()
        #expect(try await copied.call(place) == "results")
        // From the main actor as well: never there by accident.
        let fromMain = try await Task { @MainActor in try await client.call(place).processing(.concurrent).value }.value
        #expect(fromMain == "pool")
        let failing = Fetch(path: "plants/7", result: ResultKind<Int>.bytes { _, _ in throw Withered() })
        await #expect(throws: Withered.self) { try await client.call(failing) }
    }

    struct Withered: Error {}

    actor Bench {
        private var count = 0

        func add() -> Int {
            count += 1
            return count
        }
    }

    /// A value that tells where it was decoded.
    struct Place: Decodable, Sendable {
        static let key = DispatchSpecificKey<String>()
        let name: String

        init(from decoder: any Decoder) throws { name = DispatchQueue.getSpecific(key: Self.key) ?? "pool" }
    }

    struct GetPlace: StoredRequest {
        typealias Output = Place
        var path: String { "plants/7" }
        var storageIdentifier: String? { "place" }
    }

    /// A value that is decoded on an actor, or not at all.
    struct BenchCount: Decodable, Sendable {
        static let bench = Bench()
        let count: Int

        init(from decoder: any Decoder) throws { count = Self.bench.assumeIsolated { $0.add() } }
    }

    @Test(
        "A value is decoded on the queue or actor that was chosen: by a serializer or without one, live or stored",
        arguments: Way.allCases
    )
    func decoding(way: Way) async throws {
        let queue = DispatchQueue(label: "decoding")
        queue.setSpecific(key: Place.key, value: "decoding")
        let (transport, base) = try await way.transport(to: GardenTransport())
        let bare = try Chain(transport: transport) {
            StatusValidationMiddleware()
            URLBuilderMiddleware(base: base)
        }
        for chain in [try Garden.chain(over: transport, base: base), bare] {
            let replies = ReplyStore(.memory(limit: .mebibytes(1)), partition: .shared)
            let client = Client(over: chain, processing: .queue(queue), replies: replies)
            #expect(try await client.call(GetPlace()).name == "decoding")
            #expect(try await client.storedReply(for: GetPlace())?.value.name == "decoding")
            #expect(try await client.call(GetPlace()).processing(.concurrent).value.name == "pool")
            let mapped = Fetch(path: "plants/7", result: .decoded(Place.self, map: \.name))
            #expect(try await client.call(mapped) == "decoding")
            let count = Fetch(path: "plants/7", result: ResultKind<BenchCount>.decoded)
            #expect(try await client.call(count).processing(.actor(BenchCount.bench)).value.count > 0)
            let wrong = Fetch(path: "plants/7", result: ResultKind<[Int]>.decoded)
            await #expect(throws: DecodingFailure.self) { try await client.call(wrong) }
        }
        let client = Client(over: try Garden.chain(over: transport, base: base))
        let inside = client.makeCall(GetPlace()).with { $0.decoding(at: "name") }
        #expect(try await inside.value.name == "pool")
        #expect(try await inside.processing(.queue(queue)).value.name == "decoding")
    }

    @Test("A call waits for a queue or actor that is busy up to its limit, and no longer when it is cancelled")
    func busyPlace() async throws {
        let queue = DispatchQueue(label: "busy")
        queue.suspend()
        defer { queue.resume() }
        let clock = VirtualClock()
        let answered = Counter()
        let transport = ClosureTransport(reading: [URLArgumentsOption.self]) { _ in
            answered.add()
            return Response(.ok, headers: [.contentType: "application/json"], body: #"{"id":7,"name":"Rose"}"#)
        }
        let chain = try Chain(transport: transport, environment: .virtual(clock)) {
            TimeoutMiddleware(.seconds(5))
            SerializerMiddleware(.json)
            URLBuilderMiddleware(base: Garden.base)
        }
        let client = Client(over: chain, processing: .queue(queue))
        let outcomes = Events<CallOutcome<Plant>>()
        let call = client.call(GetPlant(id: 7)).start(on: .global()) { outcomes.add($0) }
        try await answered.wait(until: 1)
        try await until("the time to be up") {
            clock.advance(by: .seconds(6))
            return !outcomes.all.isEmpty
        }
        #expect(outcomes.all.first?.error is TimeoutError)
        await call.finished()
        for client in [client, Client(over: transport, processing: .queue(queue))] {
            async let cancelled = client.call(GetPlant(id: 7)).key("rose").timeout(nil).outcome
            try await until("the call to run") { client.registry.contains(key: "rose") }
            client.registry.cancel(key: "rose")
            #expect(await cancelled.isCancelled)
        }
    }

    @Test("A completion is called on the main actor, on a queue, or on an actor")
    func completions() async throws {
        let client = Client(over: try Garden.chain(over: GardenTransport()))
        let seen = Events<String>()
        await client.call(GetPlant(id: 7)).start { outcome in
            MainActor.assertIsolated()
            seen.add("main: \(outcome.output?.name ?? "none")")
        }.finished()
        let queue = DispatchQueue(label: "completions")
        await client.call(GetPlant(id: 8)).start(on: queue) { outcome in
            dispatchPrecondition(condition: .onQueue(queue))
            seen.add("queue: \(outcome.error is StatusError)")
        }.finished()
        let page = Page()
        await client.call(ListPlants.self).start(on: page) { page, outcome in
            page.plants = outcome.output ?? []
        }.finished()
        #expect(await page.plants == [Garden.rose])
        #expect(seen.all == ["main: Rose", "queue: true"])
    }

    actor Page: CallObserver {
        var plants: [Plant] = []
        var seen: [String] = []

        func callEnded(_ report: CallReport) {
            if let (request, outcome) = report.of(GetPlant.self) {
                seen.append("\(request.id): \(outcome.output?.name ?? "none"), \(report.key as? String ?? "no key")")
            } else {
                seen.append("\(type(of: report.request)): \(report.outcome.output ?? "none")")
            }
        }
    }

    @Test("An observer is told how calls of several types end, and is not kept")
    func observer() async throws {
        let client = Client(over: try Garden.chain(over: GardenTransport()))
        var page: Page? = Page()
        if let page {
            await client.call(GetPlant(id: 7)).key("rose").start(page).finished()
            await client.call(GetPlant(id: 8)).start(page).finished()
            await client.call(GetText(path: "latin")).start(page).finished()
            #expect(await page.seen == ["7: Rose, rose", "8: none, no key", "GetText: Ré"])
        }
        let gate = Watched(false)
        let slow = Client(
            over: ClosureTransport { _ in
                try await gate.wait { $0 ? () : nil }
                return Response(.ok)
            }
        )
        weak let watched = page
        let started = page.map { slow.call(DeletePlant(id: 1)).start($0) }
        page = nil
        try await until("the observer to go away") { watched == nil }
        gate.update { $0 = true }
        await started?.finished()
    }

    /// What happened, as it is told on one queue.
    final class Ledger: QueuedCallObserver {
        let queue = DispatchQueue(label: "ledger")
        let seen = Events<String>()

        func callEnded(_ report: CallReport) {
            dispatchPrecondition(condition: .onQueue(queue))
            let key = report.key.map { ", \($0)" } ?? ""
            seen.add("\(report.isStored ? "stored " : "")\(report.outcome.output ?? "none")\(key)")
        }
    }

    @Test("An observer is told on the queue of its choice, and is not kept")
    func observerOnQueue() async throws {
        let client = Client(over: try Garden.chain(over: GardenTransport()))
        var ledger: Ledger? = Ledger()
        if let ledger {
            await client.call(GetText(path: "latin")).key("text").start(ledger, on: ledger.queue).finished()
            await client.call(GetPlant(id: 8)).start(ledger, on: ledger.queue).finished()
            #expect(ledger.seen.all == ["Ré, text", "none"])
        }
        let gate = Watched(false)
        let slow = Client(
            over: ClosureTransport { _ in
                try await gate.wait { $0 ? () : nil }
                return Response(.ok)
            }
        )
        weak let watched = ledger
        let started = ledger.map { slow.call(DeletePlant(id: 1)).start($0, on: $0.queue) }
        ledger = nil
        try await until("the observer to go away") { watched == nil }
        gate.update { $0 = true }
        await started?.finished()
    }

    @Test("Calls are cancelled when their client goes away, each with one outcome")
    func clientGoes() async throws {
        let begun = Counter()
        let outcomes = Events<Bool>()
        var client: Client? = Client(
            over: ClosureTransport { _ in
                begun.add()
                try await Task.sleep(for: .seconds(3600))
                return Response(.ok)
            }
        )
        let queue = DispatchQueue(label: "outcomes")
        let calls = (0..<20).compactMap { index in
            client?.call(DeletePlant(id: index)).start(on: queue) { outcomes.add($0.isCancelled) }
        }
        try await begun.wait(until: 20)
        client = nil
        for call in calls { await call.finished() }
        #expect(outcomes.all == Array(repeating: true, count: 20))
    }

    @Test("A call keeps its client, so that one made in a single line is not cancelled")
    func callKeepsClient() async throws {
        let call = Client(over: try Garden.chain(over: GardenTransport())).call(GetPlant(id: 7)).key("a")
        #expect(try await call.value == Garden.rose)
        #expect(await call.outcome.output == Garden.rose)
    }

    @Test("A call is sent in one word, changed in one expression, or kept in a variable, in asynchronous code")
    func forms() async throws {
        let client = Client(over: try Garden.chain(over: GardenTransport()))
        let sent = try await client.call(GetPlant(id: 7))
        let changed = try await client.call(GetPlant(id: 7)).key("rose").value
        let kept = client.makeCall(GetPlant(id: 7))
        let keptWithKey = kept.key("rose")
        let typed: Call<GetPlant> = client.call(GetPlant(id: 7))
        #expect(sent == Garden.rose && changed == Garden.rose)
        #expect(try await kept.value == Garden.rose)
        #expect(try await kept.value == Garden.rose)
        #expect(try await keptWithKey.value == Garden.rose)
        #expect(try await typed.value == Garden.rose)
        let list = client.makeCall(ListPlants())
        #expect(try await list.value == [Garden.rose])
        let provided: Call<GetPlant> = client.provider(of: GetPlant.self).call(GetPlant(id: 7))
        #expect(try await provided.value == Garden.rose)
    }

    @Test("A call is in the registry when start returns, and an equal call that excludes duplicates is one")
    func startedIsRegistered() async throws {
        let client = Client(
            over: ClosureTransport { _ in
                try await Task.sleep(for: .seconds(3600))
                return Response(.ok)
            }
        )
        let outcomes = Events<String>()
        for id in 0..<200 {
            let request = DeletePlant(id: id)
            let first = client.call(request).start(on: .global()) { outcomes.add("first: \($0)") }
            #expect(client.registry.contains(request))
            let second = client.call(request).duplicates(false).start(on: .global()) {
                outcomes.add("second: \($0)")
            }
            #expect(client.registry.cancel(request) == 1)
            #expect(!client.registry.contains(request))
            await first.finished()
            await second.finished()
        }
        #expect(outcomes.all.count { $0 == "first: cancelled(duplicate: false)" } == 200)
        #expect(outcomes.all.count { $0 == "second: cancelled(duplicate: true)" } == 200)
        #expect(client.registry.count == 0)
    }

    @Test("A call that is started after its client's registry was closed ends as cancelled, and is not sent")
    func startedAfterClosing() async throws {
        let sent = Events<Void>()
        let client = Client(
            over: ClosureTransport { _ in
                sent.add(())
                return Response(.ok)
            }
        )
        client.registry.close()
        let outcomes = Events<Bool>()
        await client.call(DeletePlant(id: 1)).start(on: .global()) { outcomes.add($0.isCancelled) }.finished()
        #expect(outcomes.all == [true])
        #expect(sent.all.isEmpty)
    }

    @Test("A started call can be cancelled")
    func cancelStarted() async throws {
        let begun = Counter()
        let client = Client(
            over: ClosureTransport { _ in
                begun.add()
                try await Task.sleep(for: .seconds(3600))
                return Response(.ok)
            }
        )
        let outcomes = Events<Bool>()
        let call = client.call(DeletePlant(id: 1)).start(on: .global()) { outcomes.add($0.isCancelled) }
        try await begun.wait(until: 1)
        call.cancel()
        await call.finished()
        #expect(outcomes.all == [true])
        #expect(client.registry.count == 0)
    }

    @Test("A call that is cancelled before it begins is not sent, and its outcome is cancelled")
    func cancelledBeforeItBegins() async throws {
        let sent = Events<Void>()
        let mocked = Events<Void>()
        let transport = ClosureTransport(reading: [URLArgumentsOption.self]) { _ in
            sent.add(())
            return Response(.ok, body: #"{"id":7,"name":"Rose"}"#)
        }
        let client = Client(endpoints: [
            Endpoint.mock(GetText.self) { _ in
                mocked.add(())
                return "text"
            },
            Endpoint("garden", over: transport),
        ])
        let registry = CallRegistry()
        let chain = try Chain(transport: transport) { CallRegistryMiddleware(registry) }
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await #expect(throws: CancellationError.self) { try await client.call(GetPlant(id: 7)) }
            #expect(await client.call(GetPlant(id: 7)).slow(after: .seconds(1)).outcome.isCancelled)
            await #expect(throws: CancellationError.self) { try await client.call(GetStream(path: "s")) }
            await #expect(throws: CancellationError.self) { try await client.call(GetText(path: "x")) }
            var pages = client.call(ListPlants()).pages(by: .linkHeader()).makeAsyncIterator()
            await #expect(throws: CancellationError.self) { try await pages.next() }
            await #expect(throws: CancellationError.self) { try await chain.send(.get("https://a.example/")) }
        }
        await cancelled.value
        #expect(sent.all.isEmpty && mocked.all.isEmpty)
        #expect(client.registry.count == 0 && registry.count == 0)
    }

    /// A client of a service whose replies have a value at a key path, and text for the path "text".
    private func deepClient(_ sent: Counter = Counter()) throws -> Client {
        let transport = ClosureTransport { request in
            sent.add()
            if request.head.path == "/text" {
                return Response(.ok, headers: [.contentType: "text/plain"], body: "plain")
            }
            let json: HTTPFields = [.contentType: "application/json", .eTag: "\"1\""]
            return Response(.ok, headers: json, body: #"{"data":{"id":7,"name":"Rose","bytes":"QUI="}}"#)
        }
        return Client(over: try Garden.chain(over: transport))
    }

    @Test("Text, bytes and resources are decoded where the call says how")
    func decodedText() async throws {
        let client = try deepClient()
        let text = client.makeCall(GetText(path: "deep"))
        #expect(try await text.with { $0.decoding(at: "data.name") }.value == "Rose")
        #expect(try await text.with { $0.decoding(at: .whole) }.value.hasPrefix("{"))
        #expect(try await text.with { $0.decoding(at: "data.name").serializer(false) }.value.hasPrefix("{"))
        let maybe = client.makeCall(GetMaybeText(path: "deep"))
        #expect(try await maybe.with { $0.decoding(at: "data.name") }.value == "Rose")
        #expect(try await maybe.with { $0.decoding(at: "data.none") }.value == nil)
        let bytes = client.makeCall(GetData(path: "deep"))
        #expect(try await bytes.with { $0.decoding(at: "data.bytes") }.value == Data("AB".utf8))
        let changed = client.makeCall(GetText(path: "text"))
        #expect(try await changed.with { $0.afterDecoding(String.self) { $0 += "!" } }.value == "plain!")
        let record = client.makeCall(Fetch<ResourceRecord<Deep>>(path: "deep", result: .record()))
        let found = try await record.with { $0.decoding(at: "data") }.value
        #expect(found.name == "Rose" && found["id"] == 7 && found.entityTag == "\"1\"")
        let unknown = await #expect(throws: SerializerError.self) {
            try await text.with { $0.serializer("unknown") }.value
        }
        #expect(unknown?.problem == .unknownName("unknown", available: ["JSON"]))
        await #expect(throws: BodyError.self) { try await text.with { $0.decoding(upTo: .bytes(3)) }.value }
    }

    private struct Deep: Resource {
        static let path = "deep/{id}"
        var name: String
    }

    @Test(
        "A result that is not decoded throws for settings of decoding that nothing uses, and sends nothing"
    )
    func undecoded() async throws {
        let sent = Counter()
        let client = try deepClient(sent)
        func problem<Output>(_ request: Fetch<Output>) async -> SerializerError.Problem? {
            let error = await #expect(throws: SerializerError.self) {
                try await client.makeCall(request).with { $0.decoding(at: "data") }.value
            }
            await #expect(throws: SerializerError.self) {
                try await client.makeCall(request).with { $0.decoding(by: .json) }.value
            }
            await #expect(throws: SerializerError.self) {
                try await client.makeCall(request).with { $0.afterDecoding(String.self) { _ in } }.value
            }
            return error?.problem
        }
        let setting = "the key path \"data\""
        #expect(await problem(Fetch(path: "deep", result: .stream)) == .notDecoded(type: "HTTPBody", setting: setting))
        #expect(
            await problem(Fetch(path: "deep", result: .file)) == .notDecoded(type: "TemporaryFile", setting: setting)
        )
        #expect(
            await problem(Fetch(path: "deep", result: .response)) == .notDecoded(type: "Response", setting: setting)
        )
        let size = ResultKind<Int>.bytes { bytes, _ in bytes.count }
        #expect(await problem(Fetch(path: "deep", result: size)) == .notDecoded(type: "Int", setting: setting))
        #expect(sent.value == 0)
        // The serializer encodes the content, and a call without a result has nothing to decode.
        let posting = client.makeCall(GetResponse(path: "deep")).with { request in
            var request = request.serializer(.json)
            request.method = .post
            request.body = .value(Garden.rose)
            return request
        }
        #expect(try await posting.value.status == .ok)
        try await client.makeCall(DeletePlant(id: 1)).with { $0.decoding(at: "data") }.value
        #expect(sent.value == 2)
    }
}
#endif
