#if AllTests
import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@Suite("A cache in a chain", .timeLimit(.minutes(10)))
struct StageTests {
    private let fresh = "Cache-Control: max-age=60"

    @Test("§4, §5.1: a hit has an Age, a Cache-Status, and asks nobody")
    func hit() async throws {
        let talk = try Conversation()
        talk.script(.ok, [fresh, "Age: 3"], "content")
        let (miss, first) = try await talk.ask()
        #expect(miss.headers[.cacheStatus] == "HTTPChain; fwd=uri-miss; fwd-status=200; stored")
        #expect(miss.cacheStatus?.isStored == true && miss.cacheStatus?.isFromStore == false)
        talk.pass(4.5)
        for _ in 1...3 {
            let (hit, text) = try await talk.ask()
            #expect(text == first && text == "content")
            #expect(hit.headers[values: .age] == ["7"])
            #expect(hit.headers[values: .cacheStatus] == ["HTTPChain; hit; ttl=52"])
            #expect(hit.cacheStatus?.explanation == "fresh for 52 s; RFC 9111 §4.2")
        }
        talk.pass(1)
        #expect(try await talk.ask().response.headers[.age] == "8")
        #expect(talk.count == 1)
    }

    @Test("RFC 9211 §2: the reports of caches on the path are kept, before the report of this one")
    func upstreamStatus() async throws {
        let talk = try Conversation()
        talk.script(.ok, [fresh, "Cache-Status: Origin; hit"])
        #expect(
            try await talk.ask().response.headers[values: .cacheStatus]
                == ["Origin; hit", "HTTPChain; fwd=uri-miss; fwd-status=200; stored"]
        )
        #expect(
            try await talk.ask().response.headers[values: .cacheStatus] == ["Origin; hit", "HTTPChain; hit; ttl=60"]
        )
    }

    @Test("Every method but GET and HEAD passes", arguments: [HTTPRequest.Method.post, .put, .options, .trace])
    func methods(method: HTTPRequest.Method) async throws {
        let talk = try Conversation()
        talk.script(.ok, [fresh])
        talk.script(.ok, [fresh])
        _ = try await talk.ask([], method)
        let (response, _) = try await talk.ask([], method)
        #expect(response.headers[.cacheStatus] == "HTTPChain; fwd=method; fwd-status=200")
        #expect(talk.count == 2)
        #expect(await talk.store.usage().entries == 0)
    }

    @Test(
        "RFC 9110 §9.3.3: a response to POST serves GET if it says so",
        arguments: [
            (["Content-Location: /a", "Cache-Control: max-age=60"], true), (["Content-Location: /a"], false),
            (["Content-Location: /b", "Cache-Control: max-age=60"], false), (["Cache-Control: max-age=60"], false),
            (["Content-Location: /a", "Expires: \(date(60))"], true),
            (["Content-Location: /a", "Cache-Control: max-age=60, no-store"], false),
        ]
    )
    func post(lines: [String], isStored: Bool) async throws {
        let talk = try Conversation()
        talk.script(.ok, [fresh], "before")
        _ = try await talk.ask()
        talk.script(.ok, lines, "posted")
        let (response, _) = try await talk.ask([], .post)
        #expect(response.cacheStatus?.isStored == isStored)
        if !isStored { talk.script(.ok, [fresh], "after") }
        #expect(try await talk.ask().text == (isStored ? "posted" : "after"))
    }

    @Test("A GET with content passes: content is no part of the key")
    func content() async throws {
        let talk = try Conversation()
        talk.script(.ok, [fresh])
        talk.script(.ok, [fresh])
        var request = Request.get(target)
        request.body = "q"
        _ = try await talk.ask(request)
        #expect(try await talk.ask(request).response.cacheStatus?.forward == .bypass)
    }

    @Test("A broken response is not stored, and the caller gets the error")
    func broken() async throws {
        let talk = try Conversation()
        talk.transport.enqueue(.status(.ok, headers: fields([fresh]), body: "0123456789").failing(.atByte(5)))
        await #expect(throws: TransportError.self) { try await talk.ask() }
        talk.script(.ok, [fresh], "whole")
        #expect(try await talk.ask().text == "whole")
        #expect(talk.events == ["miss", "not stored", "miss", "stored"])
    }

    @Test("A response that is left before its end is not stored")
    func abandoned() async throws {
        let talk = try Conversation()
        talk.transport.enqueue(
            ScriptedReply(.ok, headers: fields([fresh]), chunks: [Data("01234".utf8), Data("56789".utf8)])
        )
        do {
            var reader = try await talk.chain.send(.get(target)).body.makeReader()
            #expect(try await reader.read()?.count == 5)
        }
        #expect(await talk.store.usage().entries == 0)
        #expect(talk.events == ["miss", "not stored"])
    }

    @Test(
        "Where the rest of it is to be read, it is stored all the same",
        arguments: [(100, 1), (3, 0)] as [(Int64, Int)]
    )
    func finished(limit: Int64, entries: Int) async throws {
        let talk = try Conversation(abandonment: .finish(upTo: .bytes(limit)))
        talk.transport.enqueue(
            ScriptedReply(.ok, headers: fields([fresh]), chunks: [Data("01234".utf8), Data("56789".utf8)])
        )
        do {
            var reader = try await talk.chain.send(.get(target)).body.makeReader()
            #expect(try await reader.read()?.count == 5)
        }
        try await talk.revalidator.waitUntilIdle()
        #expect(await talk.store.usage().entries == entries)
    }

    @Test("A response is stored in the pieces it comes in, and served whole")
    func pieces() async throws {
        let talk = try Conversation()
        let chunks = (0..<100).map { Data(repeating: UInt8($0), count: 1000) }
        talk.transport.enqueue(ScriptedReply(.ok, headers: fields([fresh]), chunks: chunks, declaresLength: false))
        #expect(try await talk.chain.send(.get(target)).body.collect() == chunks.reduce(Data(), +))
        let hit = try await talk.chain.send(.get(target))
        #expect(hit.cacheStatus?.isHit == true && hit.body.length == 100_000)
        #expect(try await hit.body.collect() == chunks.reduce(Data(), +))
    }

    @Test("A response too large for the store passes whole and is not stored")
    func tooLarge() async throws {
        let talk = try Conversation(store: MemoryCacheStore(bounds: CacheBounds(totalBytes: 10_000, entryBytes: 2000)))
        let text = String(repeating: "x", count: 5000)
        talk.script(.ok, [fresh], text)
        talk.transport.enqueue(
            ScriptedReply(
                .ok,
                headers: fields([fresh]),
                chunks: Array(repeating: Data(text.utf8), count: 3),
                declaresLength: false
            )
        )
        #expect(try await talk.ask().text.count == 5000)
        #expect(try await talk.ask().text.count == 15_000)
        #expect(await talk.store.usage() == CacheUsage())
    }

    @Test("§4.4: an unsafe call makes its target invalid, for every user and identifier; a failed one does not")
    func invalidation() async throws {
        let user = Locked("ada")
        let talk = try Conversation(partition: .by { _ in user.withLock { $0 } })
        for name in ["ada", "bob"] {
            user.withLock { $0 = name }
            talk.script(.ok, [fresh], name)
            _ = try await talk.ask()
        }
        talk.script(.badRequest)
        _ = try await talk.ask([], .put)
        #expect(await talk.store.usage().entries == 2)
        talk.script(.noContent, [], "")
        _ = try await talk.ask([], .put)
        #expect(await talk.store.usage().entries == 0)
        #expect(talk.events.last == "invalidated")
    }

    @Test("A response in flight while its URL is made invalid is not stored")
    func invalidatedMeanwhile() async throws {
        let talk = try Conversation()
        talk.transport.enqueue(ScriptedReply(.ok, headers: fields([fresh]), chunks: [Data("old".utf8)]))
        let old = try await talk.chain.send(.get(target))
        talk.script(.noContent, [], "")
        _ = try await talk.ask([], .put)
        #expect(try await old.body.text() == "old")
        talk.script(.ok, [fresh], "new")
        #expect(try await talk.ask().text == "new")
    }

    @Test(
        "§4.2.4: stale responses are served if the server is unreachable, and never if that is forbidden",
        arguments: [
            ("max-age=60", .private, [], "stale"), ("max-age=60, must-revalidate", .private, [], "504"),
            ("max-age=60, no-cache", .private, [], "error"), ("max-age=60, proxy-revalidate", .private, [], "stale"),
            ("max-age=60, proxy-revalidate", .shared, [], "504"), ("s-maxage=60", .shared, [], "504"),
            ("max-age=60, stale-if-error=600", .private, [], "stale"),
            ("max-age=60, stale-if-error=600, must-revalidate", .private, [], "504"),
            ("max-age=60", .private, ["Cache-Control: no-cache"], "error"),
            ("max-age=60", .private, ["Cache-Control: no-cache, stale-if-error=600"], "stale"),
            ("max-age=60", .private, ["Cache-Control: max-age=5"], "error"),
        ] as [(String, CacheRules.Mode, [String], String)]
    )
    func disconnected(directives: String, mode: CacheRules.Mode, ask: [String], outcome: String) async throws {
        let talk = try Conversation(mode)
        talk.script(.ok, ["Cache-Control: \(directives)", "ETag: \"a\""], "stored")
        _ = try await talk.ask()
        talk.pass(100)
        talk.transport.enqueue(.failure(.beforeConnect()))
        do {
            let (response, text) = try await talk.ask(ask)
            #expect(response.cacheFailure is TransportError)
            #expect(outcome == (response.status == .gatewayTimeout ? "504" : "stale"))
            if outcome == "stale" { #expect(text == "stored" && response.headers[.age] == "100") }
        } catch {
            #expect(error is TransportError && outcome == "error")
        }
    }

    @Test(
        "RFC 5861 §4: stale responses are served if the server fails and that is allowed",
        arguments: [
            (500, "max-age=60, stale-if-error=600", nil, "stored"),
            (503, "max-age=60, stale-if-error=600", nil, "stored"),
            (503, "max-age=60, stale-if-error=30", nil, "failed"), (503, "max-age=60", nil, "failed"),
            (503, "max-age=60, stale-if-error=600, must-revalidate", nil, "failed"),
            (404, "max-age=60, stale-if-error=600", nil, "failed"),
            (501, "max-age=60, stale-if-error=600", nil, "failed"),
            (503, "max-age=60", .storedOnFailure, "stored"),
            (503, "max-age=60, must-revalidate", .storedOnFailure, "failed"),
        ] as [(Int, String, CacheSettings.Use?, String)]
    )
    func failing(status: Int, directives: String, use: CacheSettings.Use?, expected: String) async throws {
        let talk = try Conversation()
        talk.script(.ok, ["Cache-Control: \(directives)", "ETag: \"a\""], "stored")
        _ = try await talk.ask()
        talk.pass(100)
        talk.script(.init(code: status), [], "failed")
        let (response, text) = try await talk.ask(Request.get(target).caching(CacheSettings(use: use)))
        #expect(text == expected)
        #expect(response.cacheStatus?.forwardStatus == status)
        #expect(response.cacheStatus?.isFromStore == (expected == "stored"))
    }

    @Test("RFC 5861 §3: the stale response is served immediately, with one validation in the background")
    func whileRevalidating() async throws {
        let talk = try Conversation()
        let gate = Rendezvous()
        talk.script(.ok, ["Cache-Control: max-age=60, stale-while-revalidate=30", "ETag: \"a\""], "old")
        _ = try await talk.ask()
        talk.pass(70)
        talk.transport.on(nil, "*") { request in
            #expect(request.head.headerFields[.ifNoneMatch] == "\"a\"")
            try await gate.wait()
            return Response(.ok, headers: fields(["Cache-Control: max-age=60"]), body: "new")
        }
        for _ in 1...3 {
            let (response, text) = try await talk.ask()
            #expect(text == "old" && response.headers[.cacheStatus] == "HTTPChain; hit; ttl=-10")
        }
        gate.reach()
        try await talk.revalidator.waitUntilIdle()
        #expect(try await talk.ask().text == "new")
        #expect(talk.count == 2)
        #expect(talk.events.filter { $0 == "background" }.count == 1)
        #expect(talk.events.filter { $0 == "stale" }.count == 3)
    }

    @Test("A validation in the background that fails is an event, and shutting down ends it")
    func backgroundFailure() async throws {
        let talk = try Conversation()
        talk.script(.ok, ["Cache-Control: max-age=60, stale-while-revalidate=300"], "old")
        _ = try await talk.ask()
        talk.pass(70)
        talk.transport.enqueue(.failure(.beforeConnect()))
        #expect(try await talk.ask().text == "old")
        try await talk.revalidator.waitUntilIdle()
        #expect(talk.events.contains("background failed"))
        talk.transport.on(nil, "*") { _ in
            try await Rendezvous().wait()
            return Response(.ok)
        }
        #expect(try await talk.ask().text == "old")
        try await talk.transport.waitForRequests(3)
        await talk.revalidator.shutdown()
        #expect(talk.revalidator.count == 0)
        #expect(try await talk.ask().text == "old")
        #expect(talk.count == 3)
    }

    @Test("The state says whether something is stored, and how fresh, without side effects")
    func state() async throws {
        let talk = try Conversation()
        #expect(try await talk.cache.state(for: .get(target)) == nil)
        talk.script(.ok, [fresh])
        _ = try await talk.ask()
        talk.pass(70)
        var request = Request.get(target)
        request.environment = .virtual(talk.clock)
        let state = try #require(try await talk.cache.state(for: request))
        #expect(state.freshness.age == 70 && state.freshness.lifetime == 60 && !state.isUsable)
        #expect(state.length == 10 && state.status == .ok && state.date == start)
        #expect(try await talk.cache.explain(request) == "stale since 10 s; sent unchanged; RFC 9111 §4.2")
        #expect(talk.count == 1)
        #expect(try await talk.cache.remove(for: request) == 1)
    }

    @Test("Events come as a sequence too")
    func eventStream() async throws {
        let talk = try Conversation()
        var events = talk.cache.events().makeAsyncIterator()
        talk.script(.ok, [fresh])
        _ = try await talk.ask()
        _ = try await talk.ask()
        var words: [String] = []
        for _ in 1...3 { words.append(await events.next()?.word ?? "") }
        #expect(words == ["miss", "stored", "hit"])
    }

    @Test("What has happened is counted, whoever listens")
    func metrics() async throws {
        let talk = try Conversation(store: MemoryCacheStore(bounds: CacheBounds(totalBytes: .kilobytes(8))))
        talk.script(.ok, [fresh, "ETag: \"a\""])
        _ = try await talk.ask()
        _ = try await talk.ask()
        _ = try await talk.ask(["Range: bytes=0-1"])
        talk.pass(61)
        _ = try await talk.ask(Request.get(target).caching(.onlyStored))
        talk.script(.notModified, [fresh, "ETag: \"a\""], "")
        _ = try await talk.ask()
        talk.script(.ok, ["Cache-Control: no-store"])
        _ = try await talk.ask(url: "https://example.com/b")
        talk.script(.ok, [fresh], String(repeating: "0", count: 5000))
        _ = try await talk.ask(url: "https://example.com/c")
        talk.script(.ok)
        _ = try await talk.ask([], .post)
        let metrics = talk.cache.metrics
        #expect(metrics.hits == 2 && metrics.stale == 1 && metrics.revalidated == 1 && metrics.misses == 3)
        #expect(metrics.stored == 1 && metrics.storedBytes == 10 && metrics.notStored == 2)
        #expect(metrics.invalidated == 1 && metrics.storeFailures == 0 && metrics.evicted == 0)
        #expect(metrics.revalidatedInBackground == 0 && metrics.failedInBackground == 0)
        #expect(talk.events.count { $0 == "hit" } == metrics.hits)
    }

    @Test("Offline, the response is what is stored, or 504, and the server is never asked")
    func offline() async throws {
        let talk = try Conversation()
        #expect(try await talk.ask(Request.get(target).caching(.onlyStored)).response.status == .gatewayTimeout)
        talk.script(.ok, [fresh], "stored")
        _ = try await talk.ask()
        talk.pass(9999)
        let (response, text) = try await talk.ask(Request.get(target).caching(.onlyStored))
        #expect(text == "stored" && response.cacheStatus?.isHit == true && talk.count == 1)
        let (unavailable, _) = try await talk.ask(["Cache-Control: only-if-cached"])
        #expect(unavailable.status == .gatewayTimeout)
        #expect(unavailable.headers[.cacheStatus]?.contains("detail=") == true)
    }

    @Test("What a transport has decoded is known to be decoded when it comes from the store")
    func decodedContent() async throws {
        let decoder = ClosureMiddleware("Decoder", phase: .wire) { request, next in
            var response = try await next(request)
            response.removeContentFields()
            return response
        }
        let transport = InMemoryTransport { _ in
            Response(.ok, headers: [.cacheControl: "max-age=60", .contentEncoding: "gzip"], body: "decoded")
        }
        let chain = try Chain(transport: transport) {
            CacheMiddleware(store: .memory(limit: .megabytes(1)))
            decoder
        }
        for _ in 1...2 {
            let response = try await chain.send(.get(target))
            #expect(try await response.body.text() == "decoded" && response.headers[.contentEncoding] == nil)
            #expect(response.options[OriginalContentFieldsFact.self][.contentEncoding] == "gzip")
        }
        #expect(transport.requestCount == 1)
    }

    @Test("Absurd numbers of fields are no trouble, and are not stored", .heavy, arguments: [9000, 60_000])
    func manyFields(count: Int) async throws {
        let talk = try Conversation(store: MemoryCacheStore(bounds: CacheBounds(totalBytes: .megabytes(10))))
        let lines = [fresh, "ETag: \"a\""] + Array(repeating: "X-Test: 1", count: count)
        talk.script(.ok, lines)
        _ = try await talk.ask()
        #expect(await talk.store.usage().entries == (count == 9000 ? 1 : 0))
        talk.pass(61)
        talk.script(.notModified, lines, "")
        talk.script(.ok, lines)
        #expect(try await talk.ask().response.headers[values: .xTest].count == count)
        let names = "Vary: " + (0..<1000).map { "x\($0)" }.joined(separator: ",")
        talk.transport.reset()
        talk.script(.ok, [fresh, names])
        #expect(try await talk.ask(url: "https://example.com/vary").response.cacheStatus?.isStored == false)
    }

    @Test(
        "The cache keeps the rules of every stage",
        .timeLimit(.minutes(10)),
        arguments: StageConformance.Check.allCases
    )
    func conforms(check: StageConformance.Check) async throws {
        try await StageConformance { CacheMiddleware(store: .memory(limit: .megabytes(1))) }.verify(check)
        try await StageConformance(
            calls: .atMostOnce,
            request: { .get("https://conformance.example/items") },
            answers: { [.status(.ok, headers: fields([fresh]), body: "what is answered, in several pieces")] }
        ) { CacheMiddleware(store: .memory(limit: .megabytes(1)), abandonment: .finish(upTo: 10)) }.verify(check)
    }
}
#endif
