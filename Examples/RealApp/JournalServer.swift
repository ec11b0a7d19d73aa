import Foundation
import HTTPChainTesting

/// A small service of field notes, on the loopback interface.
actor JournalServer {
    private var tokens = 0
    private var sightings = [
        #"{"id":1,"bird":"heron","seen_at":1790000000}"#, #"{"id":2,"bird":"kingfisher","seen_at":1790000600}"#,
        #"{"id":3,"bird":"wren","seen_at":1790001200}"#,
    ]

    func start() async throws -> LoopbackServer {
        try await LoopbackServer.start { exchange in
            let content = try await exchange.readBody()
            let (status, text) = await self.respond(to: exchange.request, content)
            var fields = [("Content-Type", "application/json"), ("Cache-Control", "private, max-age=0")]
            if status == 401 { fields.append(("WWW-Authenticate", #"Bearer error="invalid_token""#)) }
            try await exchange.reply(status, fields: fields, body: Data(text.utf8))
        }
    }

    /// Ends the current session, so that its token is rejected from now on.
    func endSession() { tokens += 1 }

    private func respond(to request: LoopbackRequest, _ content: Data) -> (status: Int, text: String) {
        let text = String(decoding: content, as: UTF8.self)
        if request.target == "/sessions" {
            guard text.contains("lovelace") || text.contains("renewal-") else {
                return (403, #"{"error":{"code":"wrong_password"}}"#)
            }
            tokens += 1
            print("  the server opens session \(tokens)")
            return (200, #"{"token":"token-\#(tokens)","renewal":"renewal-\#(tokens)","lifetime":3600}"#)
        }
        guard request.values("Authorization") == ["Bearer token-\(tokens)"], request.values("X-Device") == ["field-7"]
        else { return (401, #"{"error":{"code":"session_ended"}}"#) }
        switch (request.method, request.target) {
        case ("GET", "/sightings"):
            return (200, #"{"sightings":[\#(sightings[..<2].joined(separator: ","))],"next":"2"}"#)
        case ("GET", "/sightings?after=2"):
            return (200, #"{"sightings":[\#(sightings[2...].joined(separator: ","))]}"#)
        case ("POST", "/sightings"):
            sightings.append(text.replacing(#""id":0"#, with: #""id":4"#))
            return (201, sightings[3])
        case ("PUT", _) where content.count <= 1_000_000: return (204, "")
        case ("PUT", _): return (413, #"{"error":{"code":"photo_too_large","limit":1000000}}"#)
        default: return (404, #"{"error":{"code":"unknown"}}"#)
        }
    }
}
