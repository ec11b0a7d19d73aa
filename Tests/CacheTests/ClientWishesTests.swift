#if AllTests
import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@Suite("What the application wants beyond the rules", .timeLimit(.minutes(10)))
struct ClientWishesTests {
    private let fresh = "Cache-Control: max-age=60"

    @Test("RFC 9111 §5.2.1.4: only a refresh makes caches on the path contact the server, once")
    func refresh() async throws {
        let talk = try Conversation()
        talk.script(.ok, [fresh, "ETag: \"a\""])
        #expect(try await talk.ask(Request.get(target).caching(.refresh)).text == "0123456789")
        #expect(talk.transport.requests.last?.head.headerFields[values: .cacheControl] == ["no-cache"])
        talk.script(.notModified, [fresh, "ETag: \"a\""])
        let answer = try await talk.ask(Request.get(target).caching(.refresh))
        #expect(answer.text == "0123456789" && answer.response.cacheStatus?.forward == .request)
        #expect(talk.last(.cacheControl) == "no-cache" && talk.last(.ifNoneMatch) == "\"a\"")
        talk.script(.notModified, [fresh, "ETag: \"a\""])
        let own = Request.get(target, headers: [.cacheControl: "no-cache"]).caching(.refresh)
        _ = try await talk.ask(own)
        #expect(talk.transport.requests.last?.head.headerFields[values: .cacheControl] == ["no-cache"])
        talk.script(.ok, [fresh])
        _ = try await talk.ask(url: target + "/b")
        #expect(talk.last(.cacheControl) == nil)
        #expect(talk.count == 4)
    }

    @Test("Stored first: what is stored answers at once, fresh or stale, and the server is asked in the background")
    func storedFirst() async throws {
        let talk = try Conversation(settings: CacheSettings(use: .storedFirst))
        talk.script(.ok, [fresh, "ETag: \"1\""], "one")
        #expect(try await talk.ask().text == "one")
        // Fresh.
        talk.script(.ok, [fresh, "ETag: \"2\""], "two")
        let first = try await talk.ask()
        #expect(first.text == "one" && first.response.cacheStatus?.isHit == true)
        try await talk.revalidator.waitUntilIdle()
        #expect(talk.events.contains("background"))
        #expect(talk.last(.ifNoneMatch) == "\"1\"")
        // Stale for long, with no window of the server's.
        talk.pass(100_000)
        talk.script(.notModified, [fresh, "ETag: \"2\""])
        let second = try await talk.ask()
        #expect(second.text == "two" && second.response.cacheStatus?.reason == .storedFirst)
        try await talk.revalidator.waitUntilIdle()
        #expect(talk.events.count { $0 == "background" } == 2)
        #expect(talk.count == 3)
        talk.script(.notModified, [fresh, "ETag: \"2\""])
        let third = try await talk.ask()
        #expect(third.text == "two" && third.response.cacheStatus?.reason == .fresh, "the 304 has freshened it")
        try await talk.revalidator.waitUntilIdle()
        #expect(talk.events.count { $0 == "background" } == 3)
    }

    @Test("Stored first: what may not be used stale is validated first, and a caller's own limits count")
    func storedFirstForbidden() async throws {
        let rows: [(stored: [String], ask: [String])] = [
            (["Cache-Control: max-age=60, must-revalidate"], []), (["Cache-Control: no-cache"], []),
            ([fresh], ["Cache-Control: max-age=10"]), ([fresh], ["Cache-Control: no-cache"]),
        ]
        for row in rows {
            let talk = try Conversation(settings: CacheSettings(use: .storedFirst))
            talk.script(.ok, row.stored, "one")
            _ = try await talk.ask()
            talk.pass(100)
            talk.script(.ok, row.stored, "two")
            #expect(try await talk.ask(row.ask).text == "two", "\(row)")
        }
        let talk = try Conversation(settings: CacheSettings(use: .storedFirst))
        talk.script(.ok, [fresh])
        _ = try await talk.ask()
        #expect(try await talk.ask(["Cache-Control: only-if-cached"]).response.status == .ok)
        #expect(talk.count == 1, "nobody is asked for a caller who wants nothing else")
    }

    @Test("Stored first: a validation that fails leaves what is stored, and the next call has it")
    func storedFirstFails() async throws {
        let talk = try Conversation(settings: CacheSettings(use: .storedFirst))
        talk.script(.ok, [fresh], "one")
        _ = try await talk.ask()
        talk.pass(100)
        talk.transport.enqueue(.failure(.beforeConnect()))
        #expect(try await talk.ask().text == "one")
        try await talk.revalidator.waitUntilIdle()
        #expect(talk.events.contains("background failed"))
        talk.script(.ok, [fresh], "two")
        #expect(try await talk.ask().text == "one")
        try await talk.revalidator.waitUntilIdle()
        #expect(talk.events.contains("background"))
        talk.script(.ok, [fresh], "three")
        #expect(try await talk.ask().text == "two")
    }

    @Test("What is stored is what the application makes of it, also with a 304 or a HEAD; the caller's is as it came")
    func rewritten() async throws {
        let clock = VirtualClock()
        let transport = InMemoryTransport()
        let store = MemoryCacheStore(bounds: CacheBounds(totalBytes: .megabytes(1)))
        let cache = CacheMiddleware(
            store: store,
            partition: .shared,
            storing: { metadata, request in
                var metadata = metadata
                metadata.head.headerFields[.setCookie] = nil
                metadata.head.status = .accepted
                metadata.content = .part(0..<1, of: nil)
                metadata.classification = request.path
                return metadata
            }
        )
        let chain = try Chain([cache], transport: transport, environment: .virtual(clock))
        let head = fields([fresh, "ETag: \"a\"", "Set-Cookie: secret=1"])
        transport.enqueue(.status(.ok, headers: head, body: "content"))
        let first = try await chain.send(.get(target))
        #expect(first.headers[.setCookie] == "secret=1")
        #expect(try await first.body.text() == "content")
        let hit = try await chain.send(.get(target))
        #expect(hit.headers[.setCookie] == nil && hit.status == .ok)
        #expect(try await hit.body.text() == "content")
        #expect(try await store.keys(.classification("/a")) == ["a"])
        clock.advance(by: .seconds(100))
        transport.enqueue(.status(.notModified, headers: head))
        _ = try await chain.send(.get(target)).body.text()
        transport.enqueue(.status(.ok, headers: head))
        clock.advance(by: .seconds(100))
        _ = try await chain.send(Request(.head, target))
        let entry = try #require(await store.variants(of: CacheKey(url: target)).first)
        #expect(entry.response.metadata.head.headerFields[.setCookie] == nil)
        #expect(entry.response.metadata.content == .complete)
        #expect(transport.requestCount == 3)
    }

    @Test("What the application does not want stored is not stored, and goes when a 304 says so")
    func refused() async throws {
        let clock = VirtualClock()
        let transport = InMemoryTransport()
        let store = MemoryCacheStore(bounds: CacheBounds(totalBytes: .megabytes(1)))
        let reasons = Events<String>()
        let cache = CacheMiddleware(
            store: store,
            partition: .shared,
            observer: { event in
                if case .notStored(_, let reason) = event { reasons.add(reason) }
            },
            storing: { metadata, _ in metadata.head.headerFields[.contentLanguage] == "de" ? nil : metadata }
        )
        let chain = try Chain([cache], transport: transport, environment: .virtual(clock))
        transport.enqueue(.status(.ok, headers: fields([fresh, "Content-Language: de"]), body: "eins"))
        #expect(try await chain.send(.get(target)).body.text() == "eins")
        #expect(reasons.all == ["the application does not want it stored"])
        transport.enqueue(.status(.ok, headers: fields([fresh, "ETag: \"a\""]), body: "one"))
        #expect(try await chain.send(.get(target)).body.text() == "one")
        #expect(await store.usage().entries == 1)
        clock.advance(by: .seconds(100))
        transport.enqueue(.status(.notModified, headers: fields([fresh, "ETag: \"a\"", "Content-Language: de"])))
        #expect(try await chain.send(.get(target)).body.text() == "one")
        #expect(await store.usage().entries == 0)
    }
}
#endif
