import Foundation
import HTTPChain
import HTTPChainClient
import HTTPChainTesting

/// A note service that counts the versions of its first note.
actor NoteService {
    private var version = 1
    private var note: [String: JSONValue] = ["id": 1, "title": "Water the roses", "color": "red"]

    /// Responds to a request with a status, an entity tag and a body.
    func answer(_ method: String, _ target: String, ifMatch: String?, _ body: Data) throws -> (Int, String?, Data) {
        let tag = "\"v\(version)\""
        switch (method, target) {
        case ("GET", "/api/notes"): return (200, nil, try JSONEncoder().encode([note]))
        case ("GET", "/api/notes/1"): return (200, tag, try JSONEncoder().encode(note))
        case ("PATCH", "/api/notes/1") where ifMatch != tag: return (412, tag, Data())
        case ("PATCH", "/api/notes/1"):
            print("  sent: \(String(decoding: body, as: UTF8.self))")
            for (name, value) in try JSONDecoder().decode([String: JSONValue].self, from: body) { note[name] = value }
            version += 1
            return (200, "\"v\(version)\"", try JSONEncoder().encode(note))
        default: return (404, nil, Data())
        }
    }
}

/// Shows the browser's commands, and that two users who change the same note don't lose each other's changes.
func demonstrate() async throws {
    let service = NoteService()
    let server = try await LoopbackServer.start { exchange in
        let body = try await exchange.readBody()
        let match = exchange.request.values("If-Match").first
        let (status, tag, content) = try await service.answer(
            exchange.request.method,
            exchange.request.target,
            ifMatch: match,
            body
        )
        let fields = [("Content-Type", "application/json")] + (tag.map { [("ETag", $0)] } ?? [])
        try await exchange.reply(status, fields: fields, body: content)
    }
    let base = server.url("/api")
    for command in [["list"], ["show", "1"], ["set", "1", "title=Water the ferns", "color=green"]] {
        print("> \(command.joined(separator: " "))")
        try await run(command, at: base)
    }
    print("> two people change the same note")
    let (mine, yours) = (try notes(at: base), try notes(at: base))
    var myNote = try await mine.fetch(1)
    var yourNote = try await yours.fetch(1)
    try change(&yourNote, ["color=blue"])
    try await yours.save(&yourNote)
    try change(&myNote, ["title=Sell the ferns"])
    do {
        try await mine.save(&myNote)
    } catch let error as LostUpdateError {
        print("  refused: \(error.reason)")
        try await mine.reload(&myNote)
        try change(&myNote, ["title=Sell the ferns"])
        try await mine.save(&myNote)
    }
    show(myNote)
    await server.stop()
}
