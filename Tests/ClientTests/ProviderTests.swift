#if AllTests
import Foundation
import HTTPChain
import HTTPChainClient
import HTTPChainTesting
import TestSupport
import Testing

private enum Beds {}

private struct GetBed: GroupMember, Hashable {
    typealias Group = Beds
    typealias Output = String
    var number = 1
    var path: String { "https://garden.example.com/beds" }
}

private struct GetShed: GroupMember {
    enum Sheds {}
    typealias Group = Sheds
    typealias Output = String
    var path: String { "https://garden.example.com/sheds" }
}

@Suite("Views of a client", .timeLimit(.minutes(10)))
struct ProviderTests {
    @Test("A provider sends the requests of its type, and cancels those alone")
    func oneType() async throws {
        let client = Client(over: try Garden.chain(over: GardenTransport()))
        let plants = client.provider(of: GetPlant.self)
        #expect(try await plants.call(GetPlant(id: 7)) == Garden.rose)
        #expect(try await plants.call(GetPlant(id: 7)).key("a").value == Garden.rose)
        #expect(try await client.provider(of: ListPlants.self).call() == [Garden.rose])
        let stalled = RegistryTests.Stalled()
        let slow = Client(over: stalled)
        let provider = slow.provider(of: GetPlant.self)
        async let mine = provider.call(GetPlant(id: 1)).outcome
        async let other = slow.call(DeletePlant(id: 1)).outcome
        try await stalled.begun.wait(until: 2)
        #expect(slow.registry.contains(GetPlant(id: 1)) && !slow.registry.contains(GetPlant(id: 2)))
        #expect(provider.cancelAll() == 1)
        stalled.open()
        #expect(await mine.isCancelled)
        #expect(await !other.isCancelled)
    }

    @Test("A provider of a group sends the types that belong to it")
    func group() async throws {
        let stalled = RegistryTests.Stalled()
        let client = Client(over: stalled)
        let beds = client.provider(of: Beds.self)
        async let bed = beds.call(GetBed()).outcome
        async let shed = client.call(GetShed()).outcome
        async let plant = client.call(GetPlant(id: 1)).outcome
        try await stalled.begun.wait(until: 3)
        #expect(beds.cancelAll() == 1)
        stalled.open()
        #expect(await bed.isCancelled)
        #expect(await shed.output != nil)
        #expect(await plant.output == Garden.rose)
        #expect(try await beds.call(GetBed(number: 2)).contains("Rose"))
    }

    @Test("A provider of a set refuses other types when the call is made")
    func set() async throws {
        let client = Client(over: try Garden.chain(over: GardenTransport()))
        let provider = client.provider(ofSet: [GetPlant.self, ListPlants.self])
        #expect(try await provider.call(GetPlant(id: 7)) == Garden.rose)
        #expect(provider.allows(ListPlants()) && !provider.allows(DeletePlant(id: 1)))
        let error = await #expect(throws: UnsupportedRequestError.self) { try await provider.call(DeletePlant(id: 1)) }
        #expect(error?.endpoints == ["provider of GetPlant", "provider of ListPlants"])
        #expect(throws: UnsupportedRequestError.self) {
            let _: Call<DeletePlant> = try provider.call(DeletePlant(id: 1))
        }
        let stalled = RegistryTests.Stalled()
        let slow = Client(over: stalled)
        let slowProvider = slow.provider(ofSet: [GetPlant.self, ListPlants.self])
        let call = try slowProvider.call(GetPlant(id: 7)).key("rose")
        async let mine = call.outcome
        async let other = slow.call(DeletePlant(id: 1)).outcome
        try await stalled.begun.wait(until: 2)
        #expect(slow.registry.contains(key: "rose"))
        #expect(slowProvider.cancelAll() == 1)
        stalled.open()
        #expect(await mine.isCancelled)
        #expect(await !other.isCancelled)
    }

    @Test("A request type may be in the lists of several groups")
    func lists() async throws {
        let shop: [any TypedRequest.Type] = [GetPlant.self, AddPlant.self]
        let garden: [any TypedRequest.Type] = [GetPlant.self, DeletePlant.self]
        let client = Client(over: try Garden.chain(over: GardenTransport()))
        let (first, second) = (client.provider(ofSet: shop), client.provider(ofSet: garden))
        #expect(try await first.call(GetPlant(id: 7)) == Garden.rose)
        #expect(try await second.call(GetPlant(id: 7)) == Garden.rose)
        #expect(first.allows(AddPlant(plant: Garden.rose)) && !second.allows(AddPlant(plant: Garden.rose)))
        await #expect(throws: UnsupportedRequestError.self) { try await first.call(DeletePlant(id: 1)) }
    }

    /// What the compiler is to refuse: the lines with a mark.
    private static let program = """
        import HTTPChainClient
        enum Beds {}
        enum Sheds {}
        struct GetBed: GroupMember {
            typealias Group = Beds
            typealias Output = String
            var path: String { "beds" }
        }
        struct GetShed: GroupMember {
            typealias Group = Sheds
            typealias Output = String
            var path: String { "sheds" }
        }
        struct GetTree: TypedRequest {
            typealias Output = String
            var path: String { "trees" }
        }
        struct Yard: Sendable {
            let bed: RequestProvider<GetBed>
            let shed: RequestProvider<GetShed>
        }
        struct Field: Sendable { let bed: RequestProvider<GetBed> }
        func send(_ yard: Yard, _ field: Field) async throws {
            _ = try await yard.bed.call(GetBed()) + yard.shed.call(GetShed())
            _ = try await field.bed.call(GetBed())
            _ = try await field.bed.call(GetShed()) // refused
            _ = try await field.shed.call(GetShed()) // refused
        }
        func send(_ one: RequestProvider<GetBed>, _ group: RequestProvider<Beds>) async throws {
            _ = try await one.call(GetBed())
            _ = try await one.call(GetBed()).key("a").value
            _ = try await one.call(GetShed()) // refused
            _ = try await one.call(GetTree()).key("a").value // refused
            _ = try await group.call(GetBed())
            _ = try await group.call(GetBed()).key("a").value
            _ = try await group.call(GetShed()) // refused
            _ = try await group.call(GetShed()).key("a").value // refused
            _ = try await group.call(GetTree()) // refused
            _ = try await group.call(GetTree()).key("a").value // refused
        }
        """

    @Test("The compiler refuses requests outside the type or the group of a provider, and no others")
    func compiles() async throws {
        let root = Repository.root
        // The modules of this build stand beside the program that runs the tests; on Apple platforms that is another.
        let places = [Bundle.main.bundleURL, root.appendingPathComponent(".build/debug")]
        let build = places.first {
            let module = $0.appendingPathComponent("Modules/HTTPChainClient.swiftmodule").path
            return FileManager.default.fileExists(atPath: module)
        }
        guard let compiler = Programs.find("swiftc"), let build else {
            return Programs.notRun("no compiler, or no modules")
        }
        let scratch = try ScratchDirectory.created()
        let source = try scratch.file("Program.swift", Data(Self.program.utf8))
        let entries = try FileManager.default.contentsOfDirectory(at: build, includingPropertiesForKeys: nil)
        let maps = entries.map { $0.appendingPathComponent("module.modulemap").path }
            .filter { !$0.contains("-tool.build") && FileManager.default.fileExists(atPath: $0) }
        let outcome = try await runProgram(
            compiler,
            [
                "-typecheck", "-swift-version", "6", "-parse-as-library", "-I",
                build.appendingPathComponent("Modules").path,
            ]
                + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] } + [source.path]
        )
        let refused = outcome.errorText.matches(of: #/Program\.swift:([0-9]+):[0-9]+: error:/#).compactMap { Int($0.1) }
        let lines = Self.program.split(separator: "\n", omittingEmptySubsequences: false)
        let expected = lines.indices.filter { lines[$0].hasSuffix("// refused") }.map { $0 + 1 }
        #expect(Set(refused) == Set(expected), "\(outcome.errorText)")
    }

    @Test("A shared client is made once, by whoever asks first, and can be replaced in a test")
    func shared() async throws {
        let made = Counter()
        let clients = SharedClients()
        let key = SharedClients.Key("garden") {
            made.add()
            return Client(over: try Garden.chain(over: GardenTransport()))
        }
        let all = try await withThrowingTaskGroup(of: ObjectIdentifier.self) { group in
            for _ in 0..<50 { group.addTask { ObjectIdentifier(try clients(key)) } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(all.count == 1 && made.value == 1)
        #expect(try await clients(key).call(GetPlant(id: 7)) == Garden.rose)
        clients.set(key, to: Client(endpoints: [Endpoint.mock(GetPlant.self) { Plant(id: $0.id, name: "Mock") }]))
        #expect(try await clients(key).call(GetPlant(id: 3)).name == "Mock")
        clients.removeAll()
        _ = try clients(key)
        #expect(made.value == 2)
        struct Broken: Error {}
        let broken = SharedClients.Key("broken") { throw Broken() }
        #expect(throws: Broken.self) { try clients(broken) }
    }

    @Test("A blocking call waits on a thread of one's own, up to its limit, and not in a task")
    func blocking() async throws {
        let client = Client(over: try Garden.chain(over: GardenTransport()))
        let plant = try await offThePool { try client.call(GetPlant(id: 7)).wait(atMost: .seconds(60)) }
        #expect(plant == Garden.rose)
        await #expect(throws: StatusError.self) {
            try await offThePool { try client.call(GetPlant(id: 8)).wait(atMost: .seconds(60)) }
        }
        let stalled = RegistryTests.Stalled()
        let slow = Client(over: stalled)
        let error = await #expect(throws: BlockingCallError.self) {
            try await offThePool { try slow.call(GetPlant(id: 1)).wait(atMost: .milliseconds(20)) }
        }
        #expect(error?.problem == .timedOut(after: .milliseconds(20)))
        try await until("the call to be cancelled") { slow.registry.count == 0 }
        func inTask() throws -> Plant { try client.call(GetPlant(id: 7)).wait(atMost: .seconds(60)) }
        let refused = #expect(throws: BlockingCallError.self) { try inTask() }
        #expect(refused?.problem == .onPool)
        #expect(refused?.reason.contains("pool") == true)
    }
}
#endif
