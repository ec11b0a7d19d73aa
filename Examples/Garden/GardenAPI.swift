import Foundation
import HTTPChain
import HTTPChainClient
import HTTPChainOData
import HTTPChainPagination
import HTTPChainRoutes

struct Plant: Codable, Hashable, Sendable, ODataEntity {
    var id: Int
    var name: String
    var height: Int

    static var odataNames: [PartialKeyPath<Plant>: String] { [\.id: "id", \.name: "name", \.height: "height"] }
}

/// A request to the garden's own service.
protocol GardenRequest: TypedRequest {}

struct GetPlant: GardenRequest, Hashable {
    typealias Output = Plant
    var id: Int

    var path: String { "plants/{id}" }
    var pathParameters: URLParameters { ["id": id] }
}

struct AddPlant: GardenRequest {
    typealias Output = Plant
    var plant: Plant

    var method: HTTPRequest.Method { .post }
    var path: String { "plants" }
    var body: HTTPBody { .value(plant) }
}

struct ListPlants: GardenRequest, ValuelessRequest {
    typealias Output = [Plant]
    var path: String { "plants" }
}

/// Finds plants with an OData query.
///
/// The result is the value inside the envelope.
struct FindPlants: GardenRequest {
    var plants: ODataQuery<Plant>

    var path: String { "find" }
    var result: ResultKind<[Plant]> { .decoded(ODataPage<Plant>.self, map: \.value) }

    // The query creates the request, or throws an error.
    func makeRequest() throws -> Request { try plants.request() }
}

struct WatchGrass: GardenRequest, Hashable {
    typealias Output = String
    var path: String { "grass" }
}

/// The weather from another service.
///
/// The stored weather is shown until the live one arrives.
struct GetWeather: StoredRequest, ValuelessRequest, Hashable {
    typealias Output = String
    var path: String { "weather" }
    var storageIdentifier: String? { "weather" }
    static var storage: ReplyStorage<String> { .value }
}

/// Calls that can be added without code, usually in a file.
let gardenRoutes = """
    { "routes": { "season": { "path": "season/{month}", "responseRootKeyPath": "what", "headers": { "X-Zone": "8" } } } }
    """

/// A resource of the service.
///
/// It has more properties than are declared here.
struct Gardener: Resource {
    static let path = "gardeners/{id}"
    var id: Int
    var name: String
}

/// Creates the garden's client, with two endpoints and a chain for each.
func gardenClient(garden: String, weather: String, over transport: some Transport) throws -> Client {
    let base = try Chain(transport: transport) {
        ErrorHandlerMiddleware(.problemDetails)
        ProgressMiddleware()
        TimeoutMiddleware(.seconds(60))
        SerializerMiddleware(.json)
        StatusValidationMiddleware()
        URLBuilderMiddleware(base: garden)
        RetryMiddleware()
    }
    let elsewhere = try base.replacing(URLBuilderMiddleware.self, with: URLBuilderMiddleware(base: weather))
    let replies = ReplyStore(.memory(limit: .megabytes(5)), partition: .shared)
    return Client(
        replies: replies,
        endpoints: [
            Endpoint("garden", over: base) {
                $0 is any GardenRequest || $0 is any ResourceRequest || $0 is any RoutedRequest
            },
            Endpoint("weather", over: elsewhere, for: GetWeather.self),
        ]
    )
}

/// Runs all steps, and reports a line for each.
///
/// The tests do the same with mocks.
func tour(of client: Client, say: @escaping @Sendable (String) -> Void) async throws {
    let rose = try await client.call(GetPlant(id: 1))
    say("A plant by its id: \(rose.name), \(rose.height) cm")
    say("Added: \(try await client.call(AddPlant(plant: Plant(id: 0, name: "Oak", height: 900))).name)")
    say("From another endpoint: \(try await client.call(GetWeather.self))")
    for try await weather in client.call(GetWeather.self).storedThenLive(dropping: .never) {
        say("Weather, \(weather.storedAt == nil ? "live" : "stored"): \(weather.value)")
    }
    let routes = RouteClient(try RouteTable(json: Data(gardenRoutes.utf8)), client: client)
    say("By a route: \(try await routes.request("season", as: String.self, variables: ["month": 5]))")

    var names: [String] = []
    for try await plant in client.call(ListPlants.self).pages(by: .linkHeader()).items() { names.append(plant.name) }
    say("All pages: \(names.joined(separator: ", "))")

    let tall = ODataQuery<Plant>("find").filter(\.height > 100 && !.property(\.name).startsWith("B")).orderBy(\.name)
    let found = try await client.call(FindPlants(plants: tall)).map(\.name)
    say("Tall ones, \(try tall.url().removingPercentEncoding ?? ""): \(found.joined(separator: ", "))")

    let gardeners = try client.resources(of: Gardener.self)
    var ada = try await gardeners.fetch(1)
    var other = ada
    ada.name = "Augusta"
    ada["shift"] = "night"
    try await gardeners.save(&ada)
    say("Saved: \(ada.name), \(ada["shift"]?.string ?? "no shift")")
    // Another user has read the same version. The service responds with 412, so that the first change isn't lost.
    other.name = "Grace"
    do {
        try await gardeners.save(&other)
    } catch let error as LostUpdateError {
        try await gardeners.reload(&other)
        say("Not saved: the \(error.resourceType) is no version \(error.entityTag ?? "") any more, but \(other.name)")
    }

    let events = client.events()
    let call = client.makeCall(GetPlant(id: 1)).key("rose")
    _ = try await call.value
    for await event in events {
        switch event.change {
        case .didBegin: say("Event: \(event.request) has begun")
        case .succeeded: say("Event: it has succeeded")
        default: break
        }
        if event.change.isEnd { break }
    }

    do {
        _ = try await client.call(GetPlant(id: 404)).retry(.never).timeout(.seconds(30)).value
    } catch {
        say("Not found: \((error as? any HTTPChainError)?.reason ?? "\(error)")")
    }

    // Of two identical calls, the second is refused. When the user leaves the page, the first is cancelled.
    async let watching = client.call(WatchGrass()).key("lawn").outcome
    while !client.registry.contains(key: "lawn") { await Task.yield() }
    if case .cancelled(let duplicate) = await client.call(WatchGrass()).duplicates(false).outcome {
        say("A second look at the grass: cancelled, duplicate: \(duplicate)")
    }
    say("Calls cancelled: \(client.registry.cancel(key: "lawn"))")
    if case .cancelled(let duplicate) = await watching { say("The first look: cancelled, duplicate: \(duplicate)") }
}
