#if AllTests
import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

private let url = "https://api.example.com/inbox"

/// The user may log out, and another in, at any moment of a call.
@Suite("A user who is another when a response arrives", .timeLimit(.minutes(10)))
struct SwitchedUserTests {
    private let user = Locked("alice")
    private let store = MemoryCacheStore(bounds: CacheBounds(totalBytes: .megabytes(1)))
    private let transport = InMemoryTransport()

    enum Partition: CaseIterable, Sendable {
        case closure, asynchronousClosure
    }

    private func chain(_ partition: Partition = .closure, _ environment: ChainEnvironment = .virtual()) throws -> Chain
    {
        let user = user
        let rule: UserPartition =
            switch partition {
            case .closure: .by { (_: Request) -> String? in user.withLock { $0 } }
            case .asynchronousClosure:
                .by { (_: Request) async -> String? in
                    await Task.yield()
                    return user.withLock { $0 }
                }
            }
        return try Chain(transport: transport, environment: environment) {
            CacheMiddleware(store: store, partition: rule)
        }
    }

    private func log(in name: String) { user.withLock { $0 = name } }

    /// Answers with what belongs to the user who is logged in, after another one has.
    private func answer(switchingTo name: String? = nil, _ lines: [String] = ["Cache-Control: max-age=60"]) {
        transport.on(nil, "*") { [user] request in
            if let name { user.withLock { $0 = name } }
            let owner = user.withLock { $0 }
            if request.headers[.ifNoneMatch] != nil { return Response(.notModified, headers: [.eTag: "\"1\""]) }
            return Response(.ok, headers: fields(lines), body: HTTPBody("of \(owner)"))
        }
    }

    private func text(_ chain: Chain, _ request: Request = .get(url)) async throws -> String {
        try await chain.send(request).body.text()
    }

    @Test("Nothing is stored for the first one of a call in which the second logs in", arguments: Partition.allCases)
    func duringCall(partition: Partition) async throws {
        let chain = try chain(partition)
        answer(switchingTo: "bob")
        #expect(try await text(chain) == "of bob")
        #expect(await store.usage().entries == 0)
        log(in: "alice")
        answer()
        #expect(try await text(chain) == "of alice")
        #expect(try await text(chain) == "of alice")
        #expect(transport.requestCount == 2)
        #expect(await store.usage().entries == 1)
    }

    @Test("Nothing is stored if the second logs in while the body arrives")
    func duringBody() async throws {
        let feed = ChunkFeed()
        transport.on(.get, "*") { _ in Response(.ok, headers: [.cacheControl: "max-age=60"], body: feed.body) }
        let response = try await chain().send(.get(url))
        feed.send("of ")
        log(in: "bob")
        feed.send("bob")
        feed.finish()
        #expect(try await response.body.text() == "of bob")
        #expect(await store.usage().entries == 0)
    }

    @Test("A response that is validated for the second is not given as the first one's, and stays as it was")
    func duringValidation() async throws {
        let chain = try chain()
        answer(["Cache-Control: max-age=0", "ETag: \"1\""])
        #expect(try await text(chain) == "of alice")
        let before = await store.variants(of: CacheKey(url: url, partition: "alice")).map(\.metadata)
        answer(switchingTo: "bob", ["Cache-Control: max-age=60", "ETag: \"1\""])
        #expect(try await text(chain) == "of bob")
        let after = await store.variants(of: CacheKey(url: url, partition: "alice")).map(\.metadata)
        #expect(before == after && after.count == 1)
        #expect(await store.usage().entries == 1)
    }

    @Test("A stored part isn't joined with bytes for the second", arguments: Partition.allCases)
    func duringCompletion(partition: Partition) async throws {
        let chain = try chain(partition)
        let second = Locked<String?>(nil)
        transport.on(.get, "*") { [user] request in
            if let name = second.withLock({ $0 }) { user.withLock { $0 = name } }
            let text = user.withLock { $0 } == "alice" ? "ALICE-ALICE" : "BOB-BOB-BOB"
            guard let range = request.headers[.range] else { return Response(.ok, body: HTTPBody(text)) }
            let lines = ["ETag: \"1\"", "Cache-Control: max-age=60"]
            let (part, bounds) = range == "bytes=0-5" ? (text.prefix(6), "0-5") : (text.dropFirst(6), "6-10")
            let headers = fields(lines + ["Content-Range: bytes \(bounds)/11"])
            return Response(.partialContent, headers: headers, body: HTTPBody(String(part)))
        }
        #expect(try await text(chain, .get(url, headers: [.range: "bytes=0-5"])) == "ALICE-")
        let key = CacheKey(url: url, partition: "alice")
        let before = await store.variants(of: key).map(\.metadata)
        second.withLock { $0 = "bob" }
        #expect(try await text(chain) == "BOB-BOB-BOB")
        #expect(transport.requestCount == 3)
        #expect(await store.variants(of: CacheKey(url: url, partition: "bob")).isEmpty)
        let after = await store.variants(of: key).map(\.metadata)
        #expect(before == after && after.count == 1)
    }

    @Test("A response to HEAD changes nothing that the first one has stored")
    func head() async throws {
        let chain = try chain()
        answer(["Cache-Control: max-age=60", "X-Owner: alice"])
        _ = try await text(chain)
        answer(switchingTo: "bob", ["Cache-Control: max-age=60", "X-Owner: bob"])
        _ = try await chain.send(Request.head(url).caching(CacheSettings(use: .refresh)))
        log(in: "alice")
        let owner = try #require(HTTPField.Name("X-Owner"))
        #expect(try await chain.send(.get(url)).headers[owner] == "alice")
    }

    @Test("The response stays the caller's own if the partition fails when it is asked again")
    func failingPartition() async throws {
        struct LoggedOut: Error {}
        let asked = Locked(0)
        let cache = CacheMiddleware(
            store: store,
            partition: .by { (_: Request) throws -> String? in
                let count = asked.withLock { count in
                    count += 1
                    return count
                }
                if count > 1 { throw LoggedOut() }
                return "alice"
            }
        )
        answer()
        let chain = try Chain(transport: transport) { cache }
        #expect(try await text(chain) == "of alice")
        #expect(await store.usage().entries == 0)
    }
}
#endif
