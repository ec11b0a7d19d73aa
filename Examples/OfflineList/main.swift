// Shows a list immediately: first the stored list, and then the service's.
//
//     swift run OfflineList
//
// The server in this process responds with 503 once and then goes away. The list is always shown.

import Foundation
import HTTPChain
import HTTPChainClient
import HTTPChainTesting

struct Book: Codable, Hashable, Sendable {
    var title: String
}

/// The call that gets the list.
///
/// Its responses are stored.
struct ListBooks: StoredRequest, ValuelessRequest {
    typealias Output = [Book]
    var path: String { "books" }
    var storageIdentifier: String? { "books" }
    var storageClassification: String? { "library" }
    static var storage: ReplyStorage<[Book]> { .value }
}

/// Shows the stored list if there is one, then the live one.
func show(_ step: String, _ client: Client) async {
    print(step)
    let call = client.makeCall(ListBooks()).progress { progress in
        if progress.direction == .download, progress.isFinished { print("  received \(progress.completed) bytes") }
    }
    // The stored list always precedes the live one, so that the output is the same each time.
    for await step in call.storedThenLive(dropping: .never).steps {
        switch step {
        case .stored(let reply): print("  stored: \(reply.value.map(\.title).joined(separator: ", "))")
        case .notStored: print("  nothing stored")
        case .live(.success(let books)): print("  live: \(books.map(\.title).joined(separator: ", "))")
        case .live(.failure(let error)): print("  no connection: \((error as? any HTTPChainError)?.stage ?? "unknown")")
        case .live(.cancelled): print("  cancelled")
        }
    }
}

do {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("books-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let replies = ReplyStore(.files(in: folder, limit: .megabytes(10)), partition: .shared)
    let visits = VisitCount()
    let server = try await LoopbackServer.start { exchange in
        _ = try await exchange.readBody()
        let visit = await visits.next()
        // The second request gets a 503, and the retry stage retries it.
        if visit == 2 { return try await exchange.reply(503, fields: [("Retry-After", "0")], body: Data()) }
        let books = visit == 1 ? #"[{"title":"Emma"}]"# : #"[{"title":"Emma"},{"title":"Persuasion"}]"#
        try await exchange.reply(200, fields: [("Content-Type", "application/json")], body: Data(books.utf8))
    }
    let chain = try Chain(transport: URLSessionTransport()) {
        ProgressMiddleware()
        SerializerMiddleware(.json)
        StatusValidationMiddleware()
        URLBuilderMiddleware(base: server.origin)
        RetryMiddleware()
    }
    let client = Client(over: chain, replies: replies)
    await show("The first start", client)
    await show("The next start: the service fails once, and is asked again", client)
    await server.stop()
    await show("Offline", client)
    print("Forgotten: \(try await replies.remove(classification: "library"))")
    await show("Offline, with nothing stored", client)
} catch {
    print("\(error)")
    exit(1)
}

actor VisitCount {
    private var count = 0

    func next() -> Int {
        count += 1
        return count
    }
}
