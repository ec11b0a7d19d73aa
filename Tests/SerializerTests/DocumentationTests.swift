#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainSerializer
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

private struct Profile: Codable, Sendable {
    var nickname: String?
}

private struct Track: Codable, Sendable {
    var title: String
    var albumID: Int?
}

private struct Album: Codable, Sendable {
    var id: Int
    var tracks: [Track]
}

private struct Event: Codable, Sendable {
    var amount: Int
}

struct Settings: Codable, Sendable {
    @NullWhenNil var nickname: String?
    var motto: String?
}

@Suite("The documentation's examples")
struct DocumentationTests {
    private static func transport() -> InMemoryTransport {
        let transport = InMemoryTransport()
        let json: HTTPFields = [.contentType: "application/json"]
        transport.on(.get, "/catalog") { _ in
            Response(.ok, headers: json, body: #"{"data":{"items":[{"name":"Fern"}]}}"#)
        }
        transport.on(.get, "/plants") { _ in Response(.ok, headers: json, body: "[]") }
        transport.on(.post, "/plants") { request in
            Response(.created, headers: json, body: #"{"name":"Ivy","height_in_c_m":1}"#)
        }
        transport.on(.get, "/plants/0") { _ in Response(.noContent) }
        transport.on(.post, "/login") { _ in Response(.noContent) }
        transport.on(.patch, "/me") { _ in Response(.noContent) }
        transport.on(.get, "/albums/7") { _ in
            Response(.ok, headers: json, body: #"{"id":7,"tracks":[{"title":"a"}]}"#)
        }
        transport.on(.get, "/events") { _ in Response(.ok, body: "{\"amount\":1}\n{\"amount\":2}\n") }
        return transport
    }

    @Test("The examples do what the page says")
    func examples() async throws {
        let transport = Self.transport()
        let chain = try Chain(transport: transport) {
            SerializerMiddleware(.json(keys: .snakeCase, dates: .iso8601), .form, .text)
        }
        let plants = try await chain.send(
            .get("https://a.example/catalog").decoding(at: "data.items"),
            as: [Plant].self
        )
        let draft = Request.post("https://a.example/plants", body: .value(Plant(name: "Ivy"))).encoding(under: "plant")
        let added = try await chain.send(draft, as: Plant.self)
        let nothing = try await chain.send(.get("https://a.example/plants/0"), as: Plant?.self)

        #expect(plants == [Plant(name: "Fern")])
        #expect(transport.requests[1].text == #"{"plant":{"name":"Ivy"}}"#)
        #expect(added.name == "Ivy")
        #expect(nothing == nil)

        let login = Request.post("https://a.example/login", body: .value(["user": "ida"])).encoding(by: .form)
        let search = Request(.get, "https://a.example/plants", body: .value(["height": 3])).encoding(by: .form)
        let emptied = Profile(nickname: nil)
        let clear = Request.patch("https://a.example/me", body: .value(emptied)).encoding(nilAsNull: true)
        let wired = Request.get("https://a.example/albums/7").afterDecoding(Album.self) { album in
            for index in album.tracks.indices { album.tracks[index].albumID = album.id }
        }

        for request in [login, search, clear] { _ = try await chain.send(request) }
        #expect(transport.requests.suffix(3).map(\.text) == ["user=ida", "", #"{"nickname":null}"#])
        #expect(transport.requests.dropLast().last?.head.path == "/plants?height=3")
        #expect(try await chain.send(wired, as: Album.self).tracks.first?.albumID == 7)

        var total = 0
        let response = try await chain.send(.get("https://a.example/events"))
        for try await event in response.jsonLines(of: Event.self) {
            total += event.amount
        }
        #expect(total == 3)
        #expect(try JSONEncoder().encode(Settings(nickname: nil)) == Data(#"{"nickname":null}"#.utf8))
    }

    @Test("Each example of the page is part of this file, and so compiles")
    func compiles() throws {
        let examples = try PageExamples(of: "Middleware/Serializer/Documentation.docc/HTTPChainSerializer.md")
        #expect(examples.count == 4)
        #expect(examples.missing.isEmpty)
    }
}
#endif
