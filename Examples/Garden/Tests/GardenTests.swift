import HTTPChain
import HTTPChainClient
import HTTPChainRoutes
import HTTPChainTesting
import TestSupport
import Testing

@testable import Garden

@Suite("The garden example", .timeLimit(.minutes(5)))
struct GardenTests {
    static let lines = [
        "A plant by its id: Rose, 150 cm", "Added: Oak", "From another endpoint: mild, rain at night",
        "Weather, stored: mild, rain at night", "Weather, live: mild, rain at night", "By a route: sowing",
        "All pages: Rose, Birch, Fern",
        "Tall ones, find?$filter=height gt 100 and not (startswith(name,'B'))&$orderby=name: Rose",
        "Saved: Augusta, night", "Not saved: the Gardener is no version \"1\" any more, but Augusta",
        "Event: GetPlant(id: 1) has begun", "Event: it has succeeded",
        "A second look at the grass: cancelled, duplicate: true", "Calls cancelled: 1",
        "The first look: cancelled, duplicate: false",
    ]

    @Test("The tour shows what the service says, over loopback")
    func live() async throws {
        let server = try await startGardenServer()
        let said = Events<String>()
        let client = try gardenClient(
            garden: server.url("/garden"),
            weather: server.url("/weather"),
            over: URLSessionTransport()
        )
        try await tour(of: client) { said.add($0) }
        #expect(said.all.filter { !$0.hasPrefix("Not found") } == Self.lines)
        #expect(said.all.contains("Not found: No such plant"))
        await server.stop()
    }

    @Test("The tour shows the same with mocks that give results")
    func mocked() async throws {
        let rose = Plant(id: 1, name: "Rose", height: 150)
        let client = Client(
            replies: ReplyStore(.memory(limit: .megabytes(5)), partition: .shared),
            endpoints: [
                Endpoint.mock(GetPlant.self, where: { $0.id == 1 }) { _ in rose },
                Endpoint.mock(GetPlant.self) { get in throw NoPlant(id: get.id) },
                Endpoint.mock(AddPlant.self) { $0.plant },
                Endpoint.mock(GetWeather.self) { _ in "mild, rain at night" },
                Endpoint.mock(ListPlants.self) { _ in
                    [rose, Plant(id: 2, name: "Birch", height: 700), Plant(id: 3, name: "Fern", height: 40)]
                },
                Endpoint.mock(FindPlants.self) { _ in [rose] },
                Endpoint.mock(FetchResource<Gardener>.self) { fetch in
                    let name = fetch.revalidates ? "Augusta" : "Ada"
                    return try ResourceRecord(
                        Gardener(id: 1, name: name),
                        properties: ["shift": "day"],
                        entityTag: "\"1\""
                    )
                },
                Endpoint.mock(SaveResource<Gardener>.self) { save in
                    guard save.record.name != "Grace" else {
                        throw LostUpdateError(resourceType: "Gardener", entityTag: save.record.entityTag)
                    }
                    return save.record
                },
                Endpoint.mock(RouteRequest<String>.self) { $0.route.name == "season" ? "sowing" : "nothing" },
                Endpoint.mock(WatchGrass.self, delay: .seconds(3600)) { _ in "it grows" },
            ]
        )
        let said = Events<String>()
        try await tour(of: client) { said.add($0) }
        #expect(said.all.filter { !$0.hasPrefix("Not found") } == Self.lines)
        #expect(said.all.contains("Not found: NoPlant(id: 404)"))
    }

    struct NoPlant: Error { let id: Int }
}
