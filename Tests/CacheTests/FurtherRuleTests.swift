#if AllTests
import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@Suite("Rules at the edges of RFC 9111", .timeLimit(.minutes(10)))
struct FurtherRuleTests {
    private let fresh = "Cache-Control: max-age=60"

    @Test("RFC 9213 §2.2: only the targeted field that counts decides which fields are dropped")
    func targetedFields() async throws {
        let talk = try Conversation(.shared)
        talk.script(
            .ok,
            [
                "Cache-Control: max-age=60, private=\"X-Test\"",
                "CDN-Cache-Control: max-age=60, private=\"Set-Cookie\"", "Set-Cookie: a=b", "X-Test: kept",
            ]
        )
        _ = try await talk.ask()
        let stored = try #require(await talk.store.variants(of: CacheKey(url: target)).first)
        #expect(!stored.response.metadata.head.headerFields.contains(.setCookie))
        #expect(stored.response.metadata.head.headerFields[.xTest] == "kept")
        let own = try Conversation(.private)
        own.script(.ok, [fresh, "CDN-Cache-Control: max-age=60, no-cache=\"X-Test\"", "X-Test: kept"])
        _ = try await own.ask()
        #expect(try await own.ask().response.headers[.xTest] == "kept", "a private cache obeys no targeted field")
    }

    @Test(
        "RFC 9110 §13.1.5: a date in If-Range counts if it is a strong validator, a minute before Date, §8.8.2.2",
        arguments: [(-60.0, 206), (-3600.0, 206), (-59.0, 200), (0.0, 200)]
    )
    func strongDates(modified: Double, status: Int) async throws {
        let talk = try Conversation()
        talk.script(.ok, [fresh, "Date: \(date(0))", "Last-Modified: \(date(modified))"])
        _ = try await talk.ask()
        let (response, _) = try await talk.ask(["Range: bytes=0-1", "If-Range: \(date(modified))"])
        #expect(response.status.code == status && talk.count == 1)
    }

    @Test("RFC 9111 §5.1: the cache adds no Age to a response that was just validated, and adds it to any other")
    func ageOfValidated() async throws {
        let talk = try Conversation()
        talk.script(.ok, [fresh, "ETag: \"a\"", "Age: 9"])
        _ = try await talk.ask()
        talk.pass(61)
        talk.script(.notModified, ["ETag: \"a\""], "")
        #expect(try await talk.ask().response.headers[.age] == nil)
        talk.pass(1)
        #expect(try await talk.ask().response.headers[.age] == "1")
        talk.pass(61)
        talk.script(.notModified, ["ETag: \"a\"", "Age: 7"], "")
        #expect(try await talk.ask().response.headers[values: .age] == ["7"], "a cache on the way has said so")
    }

    @Test(
        "RFC 5861 §4: the caller's no-cache beats the server's stale-if-error, and nothing beats the caller's own",
        arguments: [
            ("no-cache", CacheSettings.Use.standard, 503), ("no-cache, stale-if-error=600", .standard, 200),
            ("no-cache", .storedOnFailure, 200), ("max-age=600", .standard, 200), ("no-transform", .refresh, 503),
        ]
    )
    func callersNoCache(directives: String, use: CacheSettings.Use, status: Int) async throws {
        let talk = try Conversation()
        talk.script(.ok, ["Cache-Control: max-age=60, stale-if-error=600", "ETag: \"a\""])
        _ = try await talk.ask()
        talk.pass(61)
        talk.script(.serviceUnavailable, [], "")
        let request = Request.get(target, headers: fields(["Cache-Control: \(directives)"]))
        #expect(try await talk.ask(request.caching(use)).response.status.code == status)
    }

    @Test(
        "RFC 9111 §4: an older response that arrives late does not replace a newer one",
        arguments: StoreKind.available
    )
    func lateAnswer(kind: StoreKind) async throws {
        let directory = ScratchDirectory()
        let store = kind.make(.ample, in: directory)
        let clock = VirtualClock()
        let transport = InMemoryTransport()
        let cache = CacheMiddleware(store: store, partition: .shared)
        let chain = try Chain([cache], transport: transport, environment: .virtual(clock))
        for (seconds, text) in [(0.0, "old"), (5.0, "new")] {
            transport.enqueue(
                .status(.ok, headers: fields([fresh, "Date: \(date(seconds))"]), body: HTTPBody(text))
            )
        }
        let slow = try await chain.send(.get(target))
        clock.advance(by: .seconds(5))
        #expect(try await chain.send(.get(target)).body.text() == "new")
        #expect(try await slow.body.text() == "old")
        #expect(try await chain.send(.get(target)).body.text() == "new")
        #expect(transport.requestCount == 2)
        // A server whose clock was set back is believed.
        clock.advance(by: .seconds(100))
        transport.enqueue(.status(.ok, headers: fields([fresh, "Date: \(date(1))"]), body: "back"))
        transport.enqueue(.status(.ok, headers: fields([fresh, "Date: \(date(1))"]), body: "again"))
        #expect(try await chain.send(.get(target)).body.text() == "back")
        let stored = try #require(try await store.variants(of: CacheKey(url: target)).first)
        #expect(stored.response.bodyLength == 4)
        await store.shut()
    }

    @Test("RFC 9111 §3.3: a response without content is complete with its head, and stored though nobody reads it")
    func emptyContent() async throws {
        for lines in [["Content-Length: 0"], ["Content-Length: 0", "ETag: \"a\""]] {
            let talk = try Conversation()
            talk.transport.on(nil, "*") { _ in
                let body = HTTPBody.chunks([String](), length: 0, replayable: true)
                return Response(.ok, headers: fields([self.fresh] + lines), body: body)
            }
            let response = try await talk.chain.send(.get(target))
            #expect(await talk.store.usage().entries == 1)
            #expect(try await talk.ask().response.cacheStatus?.isHit == true)
            #expect(talk.count == 1)
            #expect(try await response.body.text().isEmpty)
        }
    }

    @Test("RFC 5861 §3: a validation in the background does not have the deadline of its caller")
    func deadlineOfCaller() async throws {
        let talk = try Conversation()
        talk.script(.ok, ["Cache-Control: max-age=60, stale-while-revalidate=600"], "old")
        _ = try await talk.ask()
        talk.pass(61)
        let deadlines = Locked<[Duration?]>([])
        talk.transport.on(nil, "*") { request in
            deadlines.withLock { $0.append(request.options[DeadlineNote.self]?.instant) }
            return Response(.ok, headers: [.cacheControl: "max-age=60"], body: "new")
        }
        var request = Request.get(target)
        request.options[DeadlineNote.self] = DeadlineNote.Mark(.seconds(100))
        #expect(try await talk.ask(request).text == "old")
        try await talk.revalidator.waitUntilIdle()
        #expect(deadlines.withLock { $0 } == [nil])
        #expect(try await talk.ask(request).text == "new")
    }
}
#endif
