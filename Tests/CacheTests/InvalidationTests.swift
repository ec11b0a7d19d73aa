#if AllTests
import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPChainInMemory
import HTTPTypes
import TestSupport
import Testing

@Suite("Invalidation, RFC 9111 §4.4", .timeLimit(.minutes(10)))
struct InvalidationTests {
    private let fresh = "Cache-Control: max-age=60"

    @Test(
        "§4.4: target, Location and Content-Location are found without the ignored query parameters",
        arguments: ["", "Location: /a?session=7", "Content-Location: https://example.com/a?session=9"]
    )
    func ignoredQuery(line: String) async throws {
        let talk = try Conversation(settings: CacheSettings(ignoredQuery: .named(["session"])))
        talk.script(.ok, [fresh], "old")
        _ = try await talk.ask(url: target + "?session=1")
        #expect(try await talk.ask(url: target + "?session=2").text == "old")
        talk.script(.ok, line.isEmpty ? [] : [line], "")
        _ = try await talk.ask([], .post, url: line.isEmpty ? target + "?session=3" : "https://example.com/form")
        talk.script(.ok, [fresh], "new")
        #expect(try await talk.ask(url: target + "?session=4").text == "new")
    }

    @Test(
        "§4.4: Location and Content-Location are resolved to the URL that a request for them has",
        arguments: ["/items?f[a]=1", "/a|b", "/d/é", "/q?a=b c", "/d//x", "/a%2fb"],
        ["Location", "Content-Location"]
    )
    func resolved(path: String, name: String) async throws {
        let talk = try Conversation()
        talk.transport.on(.get, "*") { _ in Response(.ok, headers: [.cacheControl: "max-age=60"], body: "x") }
        talk.transport.on(.post, "*") { _ in Response(.created, headers: fields(["\(name): \(path)"])) }
        let url = "https://example.com\(path)"
        _ = try await talk.ask(url: url)
        _ = try await talk.ask([], .post, url: "https://example.com/create")
        #expect(try await talk.ask(url: url).response.cacheStatus?.isHit == false)
    }

    @Test(
        "RFC 9110 §9.3.3: a POST answers a GET of its target, however Content-Location writes it",
        arguments: ["/items?f[a]=1", "?f[a]=1", "https://EXAMPLE.com:443/items?f[a]=1", "/%69tems?f[a]=1"]
    )
    func contentLocation(location: String) async throws {
        let talk = try Conversation()
        let url = "https://example.com/items?f[a]=1"
        talk.script(.ok, [fresh, "Content-Location: \(location)"], "posted")
        _ = try await talk.ask([], .post, url: url)
        #expect(try await talk.ask(url: url).text == "posted")
        #expect(talk.count == 1)
    }

    @Test(
        "A URL is found with its square brackets encoded or not",
        arguments: ["/items?f[a]=1", "/items?f%5Ba%5D=1", "/items?f%5ba%5d=1"],
        ["/items?f[a]=1", "/items?f%5Ba%5D=1", "/items?f%5ba%5d=1"]
    )
    func squareBrackets(asked: String, named: String) async throws {
        let url = "https://example.com" + asked
        let talk = try Conversation()
        for (lines, post) in [
            (["Location: \(named)"], Request.post("https://example.com/create")),
            ([], Request.post("https://example.com/create").caching(invalidating: .url("https://example.com" + named))),
        ] {
            talk.script(.ok, [fresh], "old")
            #expect(try await talk.ask(url: url).text == "old")
            talk.script(.created, lines)
            _ = try await talk.ask(post)
            talk.script(.ok, ["Cache-Control: no-store"], "new")
            #expect(try await talk.ask(url: url).text == "new")
        }
    }

    @Test(
        "An application selects by a URL that isn't normalised",
        arguments: ["https://A.example/x y", "https://a.example:443/x%20y", "HTTPS://a.example/%78 y#z"]
    )
    func application(url: String) async throws {
        let talk = try Conversation()
        let stored = "https://a.example/x y"
        for selection in [CacheSelection.url(url), .key(CacheKey(url: url))] {
            talk.script(.ok, [fresh], "old")
            _ = try await talk.ask(url: stored)
            #expect(try await talk.cache.remove(selection) == 1)
            talk.script(.ok, [fresh], "old")
            _ = try await talk.ask(url: stored)
            talk.script(.ok, ["Cache-Control: no-store"])
            _ = try await talk.ask(.get("https://a.example/other").caching(invalidating: selection))
            #expect(await talk.store.usage().entries == 0)
        }
    }

    @Test(
        "A stored response to POST is given whole, and a condition is the server's to decide (RFC 9110 §13.1.2, §14.2)"
    )
    func conditionsOfPost() async throws {
        let talk = try Conversation()
        func call(_ lines: [String]) -> Request {
            Request.post(target, headers: fields(lines), body: "q").caching(identifier: "q")
                .caching(for: .exactly(.seconds(60)))
        }
        talk.script(.ok, ["ETag: \"1\""])
        _ = try await talk.ask(call([]))
        let part = try await talk.ask(call(["Range: bytes=0-1"]))
        #expect(part.response.status == .ok && part.text == "0123456789" && talk.count == 1)
        talk.script(.preconditionFailed, [], "")
        #expect(try await talk.ask(call(["If-None-Match: \"1\""])).response.status == .preconditionFailed)
        #expect(talk.last(.ifNoneMatch) == "\"1\"")
    }

    @Test("A call invalidates what it names if the server confirms its stored response, too")
    func validated() async throws {
        let talk = try Conversation()
        talk.transport.on(.get, "*") { request in
            let isKnown = request.headers.contains(.ifNoneMatch)
            let control = request.url.hasSuffix("/other") ? "no-cache" : "max-age=60"
            return Response(isKnown ? .notModified : .ok, headers: [.eTag: "\"1\"", .cacheControl: control], body: "x")
        }
        let call = Request.get("https://a.example/other").caching(invalidating: .url("https://a.example/list"))
        for _ in 0..<2 {
            _ = try await talk.ask(url: "https://a.example/list")
            _ = try await talk.ask(call)
            #expect(await talk.store.usage().entries == 1)
        }
        #expect(talk.transport.requests.map { $0.headers[.ifNoneMatch] } == [nil, nil, nil, "\"1\""])
    }

    @Test(
        "§4.4: what one stage makes invalid is not stored by another over the same store",
        arguments: StoreKind.available
    )
    func sharedStore(kind: StoreKind) async throws {
        let directory = ScratchDirectory()
        let store = kind.make(.ample, in: directory)
        let transport = InMemoryTransport()
        let (one, two) = (CacheMiddleware(store), CacheMiddleware(store))
        let reader = try Chain([one], transport: transport)
        let writer = try Chain([two], transport: transport)
        transport.enqueue(.status(.ok, headers: fields([fresh]), body: "old"))
        transport.enqueue(.status(.noContent))
        let response = try await reader.send(.get(target))
        _ = try await writer.send(.delete(target))
        #expect(try await response.body.text() == "old")
        #expect(try await store.keys().isEmpty)
        await store.shut()
    }

    @Test("§4.4: an entry that is invalidated while a response is committed is not found afterwards")
    func duringCommit() async throws {
        let store = CommitGate()
        let transport = InMemoryTransport { request in
            Response(.ok, headers: request.method == .get ? [.cacheControl: "max-age=60"] : [:], body: "old")
        }
        let chain = try Chain([CacheMiddleware(store: store, partition: .shared)], transport: transport)
        store.beforeCommit.withLock { $0 = { _ = try await chain.send(.delete(target)) } }
        #expect(try await chain.send(.get(target)).body.text() == "old")
        #expect(await store.base.usage().entries == 0)
        #expect(try await chain.send(.get(target)).body.text() == "old")
        #expect(await store.base.usage().entries == 1)
        #expect(transport.requestCount == 3)
    }
}

extension CacheMiddleware {
    fileprivate init(_ store: any CacheStore) {
        self.init(store: store, partition: .shared)
    }
}

/// A store that lets something happen once between the last look before a commit and the commit.
private final class CommitGate: WrappedStore {
    let base = MemoryCacheStore(bounds: CacheBounds(totalBytes: .megabytes(1)))
    let beforeCommit = Locked<(@Sendable () async throws -> Void)?>(nil)

    func makeWriter(
        for key: CacheKey,
        _ metadata: CacheMetadata,
        expecting length: Int64?
    ) async throws -> (any CacheWriter)? {
        guard let writer = await base.makeWriter(for: key, metadata, expecting: length) else { return nil }
        return Writer(gate: self, inner: writer)
    }

    private final class Writer: CacheWriter {
        let gate: CommitGate
        let inner: any CacheWriter

        init(gate: CommitGate, inner: any CacheWriter) {
            self.gate = gate
            self.inner = inner
        }

        func write(_ chunk: Data) async throws -> Bool { try await inner.write(chunk) }

        func commit() async throws -> CacheCommit {
            let work = gate.beforeCommit.withLock { work in
                defer { work = nil }
                return work
            }
            try await work?()
            return try await inner.commit()
        }

        func abandon() async { await inner.abandon() }
    }
}
#endif
