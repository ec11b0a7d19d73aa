import Foundation
import HTTPChainTesting

/// Starts the services of the garden and the weather on one port of the loopback interface.
func startGardenServer() async throws -> LoopbackServer {
    let json = [("Content-Type", "application/json")]
    let register = Register()
    return try await LoopbackServer.start { exchange in
        let body = try await exchange.readBody()
        let target = exchange.request.target
        func reply(_ status: Int, _ fields: [(String, String)], _ text: String) async throws {
            try await exchange.reply(status, fields: fields, body: Data(text.utf8))
        }
        switch (exchange.request.method, target) {
        case ("GET", "/garden/plants/1"): try await reply(200, json, #"{"id":1,"name":"Rose","height":150}"#)
        case ("POST", "/garden/plants"): try await reply(201, json, String(decoding: body, as: UTF8.self))
        case ("GET", "/garden/plants"):
            let next = [("Link", #"</garden/plants?page=2>; rel="next""#)]
            try await reply(200, json + next, #"[{"id":1,"name":"Rose","height":150}]"#)
        case ("GET", "/garden/plants?page=2"):
            try await reply(200, json, #"[{"id":2,"name":"Birch","height":700},{"id":3,"name":"Fern","height":40}]"#)
        case ("GET", _) where target.hasPrefix("/garden/find?"):
            try await reply(200, json, #"{"@odata.count":1,"value":[{"id":1,"name":"Rose","height":150}]}"#)
        case ("GET", "/garden/gardeners/1"):
            let (tag, record) = try await register.read()
            try await reply(200, json + [("ETag", tag)], record)
        case ("PATCH", "/garden/gardeners/1"):
            let isChanged = try await register.change(body, ifMatch: exchange.request.values("If-Match"))
            try await reply(isChanged ? 204 : 412, [], "")
        case ("GET", "/garden/season/5"): try await reply(200, json, #"{"what":"sowing"}"#)
        case ("GET", "/garden/grass"): try await exchange.waitForPeerToClose()
        case ("GET", "/weather/weather"): try await reply(200, [("Content-Type", "text/plain")], "mild, rain at night")
        default:
            let problem = [("Content-Type", "application/problem+json")]
            try await reply(404, problem, #"{"title":"No such plant","status":404}"#)
        }
    }
}

/// A gardener's record, with a version number.
private actor Register {
    struct Gardener: Codable {
        var id: Int?
        var name: String?
        var shift: String?
    }

    private var gardener = Gardener(id: 1, name: "Ada", shift: "day")
    private var version = 1

    func read() throws -> (tag: String, record: String) {
        ("\"\(version)\"", String(decoding: try JSONEncoder().encode(gardener), as: UTF8.self))
    }

    /// Applies a patch if the record still has the version that was read.
    func change(_ patch: Data, ifMatch tags: [String]) throws -> Bool {
        guard tags == ["\"\(version)\""] else { return false }
        let patch = try JSONDecoder().decode(Gardener.self, from: patch)
        gardener.name = patch.name ?? gardener.name
        gardener.shift = patch.shift ?? gardener.shift
        version += 1
        return true
    }
}
