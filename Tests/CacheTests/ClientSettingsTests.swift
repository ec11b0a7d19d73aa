#if AllTests
import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@Suite("What the client decides", .timeLimit(.minutes(10)))
struct ClientSettingsTests {
    private let fresh = "Cache-Control: max-age=60"

    @Test("Users are kept apart, and who is asked for each call")
    func partition() async throws {
        let user = Locked<String?>("ada")
        let talk = try Conversation(partition: .by { _ in user.withLock { $0 } })
        for name in ["ada", "bob", nil] {
            user.withLock { $0 = name }
            talk.script(.ok, [fresh], name ?? "nobody")
            #expect(try await talk.ask().text == name ?? "nobody")
        }
        for name in [nil, "bob", "ada"] {
            user.withLock { $0 = name }
            #expect(try await talk.ask().text == name ?? "nobody")
        }
        #expect(talk.count == 3)
        try await talk.cache.remove(.partition("bob"))
        #expect(await talk.store.usage().entries == 2)
    }

    @Test("A cache outside authentication is refused without a partition, with the fix")
    func chainCheck() throws {
        let auth = ClosureMiddleware("BearerAuth", phase: .authenticate) { request, next in try await next(request) }
        let cache = { (partition: UserPartition) in
            CacheMiddleware(store: .memory(limit: .megabytes(1)), partition: partition)
        }
        let error = #expect(throws: ChainOrderError.self) {
            try Chain([cache(.none), auth], transport: InMemoryTransport())
        }
        #expect(error?.description.contains("give it partition: .by") == true)
        for partition in [UserPartition.shared, .by { _ in "ada" }] {
            #expect(throws: Never.self) { try Chain([cache(partition), auth], transport: InMemoryTransport()) }
        }
        #expect(throws: Never.self) { try Chain([cache(.none)], transport: InMemoryTransport()) }
        #expect(throws: ChainOrderError.self) { try Chain([auth, cache(.shared)], transport: InMemoryTransport()) }
        #expect(throws: ChainOrderError.self) {
            try Chain([cache(.shared), cache(.shared)], transport: InMemoryTransport())
        }
        let chain = try Chain([cache(.shared)], transport: InMemoryTransport())
        #expect(chain.explain().contains("store: memory, up to 1 MB; mode: private; users: shared"))
    }

    @Test("The summary tells all partitions apart")
    func partitions() {
        let partitions: [UserPartition] = [.none, .shared, .by { _ in "ada" }, .byCredentials]
        let users = partitions.map { partition in
            CacheMiddleware(store: .memory(limit: .megabytes(1)), partition: partition)
                .summary.settings.first { $0.name == "users" }?.value
        }
        #expect(users == ["no partition", "shared", "separated by a closure", "separated by credentials"])
    }

    @Test(
        "Calls with one identifier and different content do not share a response",
        arguments: [HTTPRequest.Method.post, .query, .get]
    )
    func identifierAndContent(method: HTTPRequest.Method) async throws {
        let talk = try Conversation()
        func search(_ body: HTTPBody) -> Request {
            Request(method, target, body: body).caching(identifier: "search").caching(for: .exactly(.seconds(60)))
        }
        let bodies: [HTTPBody] = [
            "a", "b", "\u{E9}", "e\u{301}", .empty, .pieces(Data("streamed".utf8), of: 3, replayable: true),
        ]
        for (index, body) in bodies.enumerated() {
            talk.script(.ok, ["ETag: \"same\""], "\(index)")
            #expect(try await talk.ask(search(body)).text == "\(index)")
        }
        for (index, body) in bodies.enumerated() { #expect(try await talk.ask(search(body)).text == "\(index)") }
        #expect(talk.count == bodies.count)
        #expect(try await talk.cache.remove(.identifier("search")) == bodies.count)
    }

    @Test("A request whose content cannot be compared is not answered from the store, nor is its response stored")
    func contentThatCannotBeCompared() async throws {
        let talk = try Conversation()
        let large = HTTPBody(Data(repeating: 0x61, count: 1_048_577))
        for index in 0..<2 {
            for body in [HTTPBody.pieces(Data("once".utf8), of: 2), large] {
                let request = Request.post(target, body: body).caching(identifier: "x").caching(
                    for: .exactly(.seconds(60))
                )
                talk.script(.ok, [], "\(index)")
                let answer = try await talk.ask(request)
                #expect(answer.text == "\(index)")
                #expect(answer.response.cacheStatus?.reason == .requestContent)
            }
        }
        #expect(await talk.store.usage().entries == 0)
    }

    @Test("Identifiers tell calls apart, let a POST be stored, and are what is flushed")
    func identifiers() async throws {
        let talk = try Conversation()
        func search(_ text: String) -> Request {
            Request.post(target, body: HTTPBody(text)).caching(identifier: "search/\(text)").caching(
                for: .exactly(.seconds(60))
            )
        }
        for text in ["a", "b"] {
            talk.script(.ok, ["Cache-Control: no-store"], text)
            #expect(try await talk.ask(search(text)).text == text)
            #expect(try await talk.ask(search(text)).response.cacheStatus?.isHit == true)
        }
        #expect(talk.count == 2)
        let found = try await talk.cache.entries(.identifierPrefix("search/"))
        #expect(Set(found.map(\.key.identifier)) == ["search/a", "search/b"])
        #expect(try await talk.cache.entries(.all, limit: 1).count == 1)
        #expect(try await talk.cache.remove(.identifier("search/a")) == 1)
        #expect(try await talk.cache.remove(.identifierPrefix("search/")) == 1)
        talk.script(.ok, [], "again")
        #expect(try await talk.ask(search("b")).text == "again")
    }

    @Test("A call that succeeds makes invalid what it names; one that fails does not")
    func invalidating() async throws {
        let talk = try Conversation()
        talk.script(.ok, [fresh])
        _ = try await talk.ask(Request.get(target).caching(identifier: "list"))
        let change = Request.post("https://example.com/other").caching(invalidating: .identifier("list"))
        talk.script(.internalServerError)
        _ = try await talk.ask(change)
        #expect(await talk.store.usage().entries == 1)
        talk.script(.created)
        _ = try await talk.ask(change)
        #expect(await talk.store.usage().entries == 0)
    }

    @Test("Routes give calls their settings, and a call has the last word")
    func routes() async throws {
        let talk = try Conversation(
            settings: CacheSettings(ignoredQuery: .named(["t"])),
            routes: [
                CacheRoute(path: "/news", CacheSettings(lifetime: .exactly(.seconds(60)), classification: "news")),
                CacheRoute(path: "/account", CacheSettings(use: .off)),
            ]
        )
        for url in ["news", "news/1?t=5", "account/x", "newsroom"] {
            talk.script()
            _ = try await talk.ask(url: "https://example.com/\(url)")
        }
        talk.script()
        #expect(try await talk.ask(url: "https://example.com/news/1?t=6").response.cacheStatus?.isHit == true)
        #expect(try await talk.ask(url: "https://example.com/newsroom").response.cacheStatus?.isHit == false)
        talk.script()
        let refresh = Request.get("https://example.com/news").caching(.refresh)
        #expect(try await talk.ask(refresh).response.cacheStatus?.forward == .request)
        #expect(try await talk.cache.remove(.classification("news")) == 2)
        #expect(try await talk.cache.remove(.origin(try #require(Origin("https://example.com")))) == 1)
    }
}
#endif
