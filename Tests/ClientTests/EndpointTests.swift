#if AllTests
import HTTPChain
import HTTPChainClient
import HTTPChainInMemory
import HTTPChainTesting
import TestSupport
import Testing

@Suite("Endpoints", .timeLimit(.minutes(10)))
struct EndpointTests {
    struct Ping: TypedRequest, Hashable {
        typealias Output = String
        var number = 1
        var path: String { "https://ping.example.com/" }
    }

    /// A request type with its own time limit.
    struct ImpatientPing: TypedRequest {
        typealias Output = String
        var path: String { "https://ping.example.com/" }
        func configure(_ request: inout Request) { request = request.timeout(.seconds(1)) }
    }

    struct MaybePlant: TypedRequest {
        typealias Output = Plant?
        var path: String { "https://ping.example.com/" }
    }

    static func answering(_ text: String) -> ClosureTransport {
        ClosureTransport(reading: [URLArgumentsOption.self]) { _ in Response(.ok, body: HTTPBody(text)) }
    }

    @Test("The first endpoint that supports a request serves it")
    func first() async throws {
        let client = Client(endpoints: [
            Endpoint("garden", over: Self.answering(#"{"id":1,"name":"garden"}"#), for: (any GardenRequest).self),
            Endpoint("odd", over: Self.answering("odd")) { ($0 as? Ping)?.number.isMultiple(of: 2) == false },
            Endpoint("rest", over: Self.answering("rest")),
        ])
        #expect(try await client.call(GetPlant(id: 1)).name == "garden")
        #expect(try await client.call(Ping(number: 3)) == "odd")
        #expect(try await client.call(Ping(number: 2)) == "rest")
        #expect(client.endpoints == ["garden", "odd", "rest"])
    }

    @Test("A request that nobody supports is an error that lists the endpoints asked")
    func unsupported() async throws {
        let client = Client(endpoints: [
            Endpoint("garden", over: Self.answering(""), for: (any GardenRequest).self),
            Endpoint("plants", over: Self.answering(""), for: GetPlant.self),
        ])
        let error = await #expect(throws: UnsupportedRequestError.self) { try await client.call(Ping()) }
        #expect(error?.endpoints == ["garden", "plants"])
        #expect(
            error?.description.contains("no endpoint of the client supports Ping; tried: garden, plants") == true
        )
        #expect(client.registry.count == 0)
        let empty = await #expect(throws: UnsupportedRequestError.self) { try await Client(endpoints: []).call(Ping()) }
        #expect(empty?.reason.contains("it has none") == true)
    }

    @Test("A mock gives the output, may decline values, and stands beside live endpoints")
    func mock() async throws {
        let client = Client(endpoints: [
            Endpoint.mock(Ping.self, where: { $0.number < 10 }) { ping in "mock \(ping.number)" },
            Endpoint.mock(GetPlant.self) { _ in throw TransportError(.timedOut, sent: .maybe, stage: "mock") },
            Endpoint.mock(MaybePlant.self) { _ in nil },
            Endpoint.mock(DeletePlant.self) { _ in },
            Endpoint("live", over: Self.answering("live")),
        ])
        #expect(try await client.call(Ping(number: 9)) == "mock 9")
        #expect(try await client.call(Ping(number: 10)) == "live")
        await #expect(throws: TransportError.self) { try await client.call(GetPlant(id: 1)) }
        #expect(try await client.call(MaybePlant()) == nil)
        try await client.call(DeletePlant(id: 1))
    }

    @Test("A mock takes its time on the client's clock, and can be cancelled meanwhile")
    func delay() async throws {
        let clock = VirtualClock()
        let environment = ChainEnvironment(time: clock)
        let client = Client(
            environment: environment,
            endpoints: [
                Endpoint.mock(Ping.self, delay: .seconds(3)) { _ in "late" }
            ]
        )
        async let answer = client.call(Ping())
        try await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(3))
        #expect(try await answer == "late")
        async let outcome = client.call(Ping(number: 2)).outcome
        try await clock.waitForSleepers(count: 1)
        client.registry.cancel(Ping(number: 2))
        #expect(await outcome.isCancelled)
    }

    @Test("The time limit of a call ends a mock; its other settings for the stages of a chain have no effect")
    func settings() async throws {
        let client = Client(
            environment: .virtual(.automatic()),
            endpoints: [
                Endpoint.mock(Ping.self, delay: .seconds(3)) { _ in "late" },
                Endpoint.mock(ImpatientPing.self, delay: .seconds(3)) { _ in "late" },
            ]
        )
        let reports = Counter()
        let error = await #expect(throws: TimeoutError.self) {
            try await client.makeCall(Ping()).timeout(.seconds(1)).value
        }
        #expect(error?.scope == .call && error?.limit == .seconds(1))
        await #expect(throws: TimeoutError.self) { try await client.call(ImpatientPing()) }
        for limit in [nil, .seconds(4)] as [Duration?] {
            let call = client.makeCall(Ping()).timeout(limit).retry(.never)
            #expect(try await call.withProgress { _ in reports.add() } == "late")
        }
        #expect(reports.value == 0)
    }

    @Test("The time limit of a call ends a mock beside a transport that keeps limits itself")
    func limitOfMock() async throws {
        let transport = MockTransport(beside: InMemoryTransport()) {
            Mock(Ping.self, delay: .seconds(3)) { _, _ in Response(.ok) }
        }
        let chain = try Chain(transport: transport, environment: .virtual(.automatic())) {
            TimeoutMiddleware(.seconds(1))
        }
        let error = await #expect(throws: TimeoutError.self) {
            try await chain.send(.get("https://a.example").made(from: Ping()))
        }
        #expect(error?.scope == .call && error?.limit == .seconds(1))
        let patient = Request.get("https://a.example").made(from: Ping()).timeout(.seconds(4))
        #expect(try await chain.send(patient).status == .ok)
    }

    @Test("Mocks that stand on the type answer through one endpoint, with helpers made once")
    func declared() async throws {
        let made = Counter()
        MockedPing.made = made
        let client = Client(endpoints: [
            Endpoint.mocks,
            Endpoint("live", over: Self.answering("live")),
        ])
        #expect(try await client.call(MockedPing(number: 1)) == "<b>1</b>")
        #expect(try await client.call(MockedPing(number: 2)) == "<b>2</b>")
        #expect(try await client.call(MockedPing(number: -1)) == "live")
        #expect(try await client.call(Ping()) == "live")
        #expect(made.value == 1)
        _ = try await client.copy().call(MockedPing(number: 1))
        #expect(made.value == 2)
    }

    @Test("A response mock of InMemory answers typed calls inside a chain")
    func responseMock() async throws {
        let transport = MockTransport(beside: GardenTransport()) {
            Mock(GetPlant.self) { get, _ in Response(.ok, body: HTTPBody(#"{"id":\#(get.id),"name":"Mock"}"#)) }
        }
        let client = Client(over: try Garden.chain(over: transport))
        #expect(try await client.call(GetPlant(id: 3)) == Plant(id: 3, name: "Mock"))
        #expect(try await client.call(ListPlants.self) == [Garden.rose])
    }
}

struct MockedPing: MockedRequest {
    typealias Output = String
    var number: Int
    var path: String { "https://ping.example.com/" }

    var isMocked: Bool { number > 0 }

    static let template = HelperKey("template") {
        made.add()
        return "<b>%</b>"
    }
    nonisolated(unsafe) static var made = Counter()

    func mockOutput(_ helpers: MockHelpers) async throws -> String {
        try await helpers(Self.template).replacing("%", with: "\(number)")
    }
}
#endif
