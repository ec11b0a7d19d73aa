import Foundation
import HTTPChainTesting

/// Starts the service on a port of the loopback interface.
func startGreenhouseServer() async throws -> LoopbackServer {
    try await LoopbackServer.start { exchange in
        let body = try await exchange.readBody()
        let target = exchange.request.target
        func reply(_ status: Int, _ text: String, type: String = "application/json", link: String? = nil) async throws {
            let fields = [("Content-Type", type)] + (link.map { [("Link", $0)] } ?? [])
            try await exchange.reply(status, fields: fields, body: Data(text.utf8))
        }
        switch (exchange.request.method, target) {
        case ("GET", "/v1/beds/1"): try await reply(200, #"{"id":1,"crop":"Tomato"}"#)
        case ("POST", "/v1/beds") where !exchange.request.values("Idempotency-Key").isEmpty:
            let bed = String(decoding: body, as: UTF8.self)
            try await reply(201, bed.replacing(#""id":0"#, with: #""id":3"#))
        case ("GET", "/v1/beds"):
            try await reply(200, #"[{"id":1,"crop":"Tomato"}]"#, link: #"</v1/beds?page=2>; rel="next""#)
        case ("GET", "/v1/beds?page=2"): try await reply(200, #"[{"id":2,"crop":"Chili"},{"id":3,"crop":"Basil"}]"#)
        case ("POST", "/v1/photos"): try await reply(body.count > 4_096 ? 204 : 400, "")
        case ("GET", "/v1/log"):
            try await reply(200, "{\"what\":\"watered\"}\n{\"what\":\"aired\"}\n", type: "application/x-ndjson")
        case ("GET", "/v1/readings") where exchange.request.values("Last-Event-ID") == ["2"]: try await reply(204, "")
        case ("GET", "/v1/readings"):
            let events = "retry: 1\n\nid: 1\ndata: {\"celsius\":21.5}\n\nid: 2\ndata: {\"celsius\":22}\n\n"
            try await reply(200, events, type: "text/event-stream")
        default: try await reply(404, "{}")
        }
    }
}
