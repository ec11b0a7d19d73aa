import Foundation
import HTTPChain
import HTTPChainClient
import HTTPChainTesting
import TestSupport
import Testing

@Suite("Typed calls", .timeLimit(.minutes(10)))
struct CallTests {
    /// What carries the requests: every result comes the same way from memory and over loopback.
    enum Way: String, CaseIterable, CustomTestStringConvertible {
        case memory, loopback

        var testDescription: String { rawValue }

        func withClient(_ body: (Client) async throws -> Void) async throws {
            switch self {
            case .memory: try await body(Client(over: try Garden.chain(over: GardenTransport())))
            case .loopback:
                let server = try await LoopbackServer.start { exchange in
                    _ = try await exchange.readBody()
                    let method = try #require(HTTPRequest.Method(exchange.request.method))
                    let answer = Garden.answer(method, exchange.request.target)
                    try await exchange.reply(
                        answer.status.code,
                        fields: answer.headers.map { ($0.name.rawName, $0.value) },
                        body: answer.body.bytes ?? Data()
                    )
                }
                try await body(Client(over: try Garden.chain(over: URLSessionTransport(), base: server.origin)))
                await server.stop()
            }
        }
    }

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
            over: ClosureTransport { request in
                seen.add(request)
                return Response(.ok, body: #"{"id":7,"name":"Rose"}"#)
            }
        )
        let progress = Counter()
        let plant = try await client.call(GetPlant(id: 7))
            .retry(.never).timeout(.seconds(3)).onProgress { _ in progress.add() }
            .header(.userAgent, "gardener").with { $0.attemptTimeout(.seconds(1)) }
            .value
        #expect(plant == Garden.rose)
        let request = try #require(seen.all.first)
        #expect(request.options[CallRetryPolicy.self]?.maximumAttempts == 1)
        #expect(request.options[CallTimeout.self] == .limit(.seconds(3)))
        #expect(request.options.contains(ProgressObservers.self))
        #expect(request.headers[.userAgent] == "gardener")
        #expect(request.options[AttemptTimeout.self] == .limit(.seconds(1)))
        #expect(request.value as? GetPlant == GetPlant(id: 7))
        try await client.call(GetPlant(id: 7))
        #expect(seen.all.last?.options.contains(CallRetryPolicy.self) == false)
    }

    @Test("A progress closure is told of the transfer")
    func progress() async throws {
        let client = Client(over: try Garden.chain(over: GardenTransport()))
        let fractions = Events<Double?>()
        _ = try await client.call(GetPlant(id: 7)).onProgress { fractions.add($0.fraction) }.value
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
        let list = client.makeCall(ListPlants.self)
        #expect(try await list.value == [Garden.rose])
        let provided = client.provider(of: GetPlant.self).makeCall(GetPlant(id: 7))
        #expect(try await provided.value == Garden.rose)
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
}
