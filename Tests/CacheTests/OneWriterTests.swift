#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPTypes
import TestSupport
import Testing

@testable import HTTPChainCache
@testable import HTTPChainCoalescing

@Suite("Calls for the same response at the same time", .timeLimit(.minutes(10)))
struct OneWriterTests {
    private let transport = InMemoryTransport()
    private let store = CountingStore()
    private let reasons = Locked<[String]>([])

    private func chain() throws -> Chain {
        let cache = CacheMiddleware(store: store, partition: .shared) { [reasons] event in
            if case .notStored(_, let reason) = event { reasons.withLock { $0.append(reason) } }
        }
        return try Chain([cache], transport: transport)
    }

    private func reply(_ text: String, _ lines: [String] = []) -> ScriptedReply {
        .status(.ok, headers: fields(["Cache-Control: max-age=60"] + lines), body: .chunks([text]))
    }

    /// The responses of so many calls, all of them sent before the first was answered.
    private func responses(_ count: Int, _ chain: Chain, _ request: Request = .get(target)) async throws -> [Response] {
        let gate = Gate(count)
        transport.on(.get, "/*", times: count) { _ in
            try await gate.pass()
            return Response(.ok, headers: [.cacheControl: "max-age=60"], body: .chunks(["content"]))
        }
        return try await withThrowingTaskGroup(of: Response.self) { group in
            for _ in 0..<count { group.addTask { try await chain.send(request) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test("One of the responses is stored, and each caller has its own")
    func oneWriter() async throws {
        let chain = try chain()
        let responses = try await responses(50, chain)
        for response in responses { #expect(try await response.body.text() == "content") }
        #expect(store.writers.withLock { $0 } == 1)
        #expect(reasons.withLock { $0.count { $0.contains("at the same time") } } == 49)
        #expect(try await chain.send(.get(target)).body.text() == "content")
        #expect(transport.requestCount == 50, "the next call is answered from the store")
    }

    @Test("With a coalescing stage inside, one of them is sent and one is stored, and each caller has its own")
    func coalesced() async throws {
        let cache = CacheMiddleware(store: store, partition: .shared)
        let coalescing = CoalescingMiddleware()
        let chain = try Chain([cache, coalescing], transport: transport)
        let bytes = content(1, 500_000)
        let hasAll = Gate(2)
        transport.on(.get, "/*", times: 1) { _ in
            try await hasAll.pass()
            return Response(.ok, headers: [.cacheControl: "max-age=60"], body: .chunks([bytes]))
        }
        let responses = try await withThrowingTaskGroup(of: Response.self) { group in
            for _ in 0..<50 { group.addTask { try await chain.send(.get(target)) } }
            try await until("all calls to wait") { coalescing.transfers.waiterCount == 50 }
            try await hasAll.pass()
            return try await group.reduce(into: [Response]()) { $0.append($1) }
        }
        try await withThrowingTaskGroup(of: Data.self) { group in
            for response in responses { group.addTask { try await response.body.collect() } }
            for try await read in group { #expect(read == bytes) }
        }
        #expect(transport.requestCount == 1)
        #expect(store.writers.withLock { $0 } == 1)
        #expect(try await chain.send(.get(target)).body.collect() == bytes)
        #expect(transport.requestCount == 1)
    }

    @Test("Where the one that is being stored is left before its end, another is stored, and the next call")
    func leavesEarly() async throws {
        let chain = try chain()
        do {
            var responses = try await responses(2, chain)
            responses.removeAll()
        }
        #expect(await store.base.usage().entries == 0)
        transport.enqueue(reply("next"))
        #expect(try await chain.send(.get(target)).body.text() == "next")
        #expect(await store.base.usage().entries == 1)
    }

    @Test("A response that nobody reads does not keep a later one from being stored")
    func unread() async throws {
        let chain = try chain()
        transport.enqueue([reply("first"), reply("second")])
        let unread = try await chain.send(.get(target))
        #expect(try await chain.send(.get(target).caching(.refresh)).body.text() == "second")
        #expect(try await chain.send(.get(target)).body.text() == "second")
        #expect(try await unread.body.text() == "first")
        #expect(try await chain.send(.get(target)).body.text() == "second", "the slow, older one does not replace it")
    }

    @Test("Of two different ones the newer by its date is stored", arguments: [true, false])
    func newer(isFirst: Bool) async throws {
        let chain = try chain()
        let gate = Gate(2)
        let count = Locked(0)
        transport.on(.get, "/*", times: 2) { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            try await gate.pass()
            let isNewer = (number == 1) == isFirst
            return Response(
                .ok,
                headers: fields(["Cache-Control: max-age=6000", "Date: \(HTTPDate(Date() - (isNewer ? 10 : 20)))"]),
                body: .chunks([isNewer ? "new" : "old"])
            )
        }
        async let one = chain.send(.get(target))
        async let other = chain.send(.get(target))
        for response in try await [one, other] { _ = try await response.body.text() }
        #expect(try await chain.send(.get(target)).body.text() == "new")
    }

    @Test("Other variants, and other users' responses, are stored beside it")
    func others() async throws {
        let chain = try chain()
        let gate = Gate(4)
        transport.on(.get, "/*", times: 4) { request in
            try await gate.pass()
            let text = request.headers[.acceptLanguage] ?? ""
            return Response(
                .ok,
                headers: fields(["Cache-Control: max-age=60", "Vary: Accept-Language"]),
                body: .chunks([text])
            )
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for language in ["de", "fr", "de", "fr"] {
                group.addTask {
                    var request = Request.get(target)
                    request.headers[.acceptLanguage] = language
                    let text = try await chain.send(request).body.text()
                    #expect(text == language)
                }
            }
            try await group.waitForAll()
        }
        #expect(await store.base.usage().entries == 2)
    }

    @Test("A response that comes while the one before it is being stored, or afterwards, is not stored beside it")
    func lateResponses() async throws {
        let chain = try chain()
        let sent = Gate(3)
        let phase = Watched(0)
        store.onCommit.withLock { hook in
            hook = {
                phase.update { $0 = max($0, 1) }
                try await phase.wait { $0 >= 2 ? () : nil }
            }
        }
        let count = Locked(0)
        transport.on(.get, "/*", times: 3) { _ in
            try await sent.pass()
            let number = count.withLock { count in
                defer { count += 1 }
                return count
            }
            // The second while the first is being stored, the third when it is.
            try await phase.wait { [0, 1, 3][number] <= $0 ? () : nil }
            return Response(.ok, headers: [.cacheControl: "max-age=60"], body: .chunks(["content"]))
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    let text = try await chain.send(.get(target)).body.text()
                    #expect(text == "content")
                }
            }
            try await group.next()
            #expect(store.writers.withLock { $0 } == 1, "while it is being stored")
            phase.update { $0 = 2 }
            try await group.next()
            #expect(await store.base.usage().entries == 1)
            phase.update { $0 = 3 }
            try await group.next()
        }
        #expect(store.writers.withLock { $0 } == 1)
        transport.enqueue(reply("later"))
        #expect(try await chain.send(.get(target).caching(.refresh)).body.text() == "later")
        #expect(try await chain.send(.get(target)).body.text() == "later", "what is asked for later is stored")
    }

    @Test("Of calls for the same part one is stored, and parts beside each other both are")
    func parts() async throws {
        let chain = try chain()
        let gate = Gate(6)
        transport.on(.get, "/*", times: 6) { request in
            try await gate.pass()
            let isFirst = request.headers[.range] == "bytes=0-4"
            return Response(
                .partialContent,
                headers: fields([
                    "Cache-Control: max-age=60", "ETag: \"a\"", "Content-Range: bytes \(isFirst ? "0-4" : "5-9")/10",
                ]),
                body: .chunks([isFirst ? "01234" : "56789"])
            )
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<6 {
                group.addTask {
                    let range = number % 2 == 0 ? "bytes=0-4" : "bytes=5-9"
                    let text = try await chain.send(.get(target, headers: [.range: range])).body.text()
                    #expect(text == (number % 2 == 0 ? "01234" : "56789"))
                }
            }
            try await group.waitForAll()
        }
        #expect(store.writers.withLock { $0 } == 2)
        #expect(reasons.withLock { $0.count { $0.contains("at the same time") } } == 4)
    }

    @Test("Where too much is being stored at the same time, the reason says so, and not that a response is too large")
    func spentBudget() async throws {
        let bounds = CacheBounds(totalBytes: .kibibytes(100), entryBytes: .kibibytes(80))
        for kind in StoreKind.available where kind != .tiered {
            let directory = ScratchDirectory()
            let store = kind.make(bounds, in: directory)
            let reasons = Locked<[String]>([])
            let cache = CacheMiddleware(store: store, partition: .shared) { event in
                if case .notStored(_, let reason) = event { reasons.withLock { $0.append(reason) } }
            }
            let transport = InMemoryTransport { request in
                let length = request.head.path == "/large" ? 90_000 : 60_000
                return Response(
                    .ok,
                    headers: [.cacheControl: "max-age=60"],
                    body: .chunks([content(1, length), Data("end".utf8)])
                )
            }
            let chain = try Chain([cache], transport: transport)
            let first = try await chain.send(.get("https://example.com/1"))
            var reader = first.body.makeAsyncIterator()
            _ = try await reader.next()
            #expect(try await chain.send(.get("https://example.com/2")).body.collect().count == 60_003)
            #expect(reasons.withLock { $0 } == ["too much else is being stored at the same time"], "\(store.summary)")
            while try await reader.next() != nil {}
            #expect(try await chain.send(.get("https://example.com/large")).body.collect().count == 90_003)
            #expect(reasons.withLock { $0.last } == "it is too large for the store", "\(store.summary)")
            #expect(reasons.withLock { $0.count } == 2)
        }
    }

    @Test("Bounds that make no sense are corrected, also where they are set later")
    func clampedBounds() async throws {
        var bounds = CacheBounds(totalBytes: .megabytes(1))
        bounds.variantsPerKey = -5
        bounds.entryCount = -1
        #expect(bounds.variantsPerKey == 1 && bounds.entryCount == 0)
        bounds.entryCount = 10
        let store = MemoryCacheStore(bounds: bounds)
        for variant in ["a", "b"] { try await store.put(storeKey(1), content(1, 10), storeMetadata(variant)) }
        #expect(await store.variants(of: storeKey(1)).map(\.response.metadata.variant.fields.first?.value) == ["b"])
    }

    @Test("What is written to memory and not stored yet has a bound, and comes back with the writer")
    func budget() async throws {
        let store = MemoryCacheStore(bounds: CacheBounds(totalBytes: .kibibytes(100), entryBytes: .kibibytes(80)))
        let first = try #require(await store.makeWriter(for: storeKey(1), storeMetadata(), expecting: nil))
        let second = try #require(await store.makeWriter(for: storeKey(2), storeMetadata(), expecting: nil))
        #expect(try await first.write(content(1, 60_000)))
        #expect(try await !second.write(content(2, 60_000)), "it has no room beside the first")
        #expect(try await second.commit().entry == nil)
        await first.abandon()
        do {
            let dropped = try #require(await store.makeWriter(for: storeKey(3), storeMetadata(), expecting: nil))
            #expect(try await dropped.write(content(3, 60_000)))
        }
        for number in 4..<10 {
            let next = try #require(await store.makeWriter(for: storeKey(number), storeMetadata(), expecting: nil))
            #expect(try await next.write(content(number, 60_000)))
            #expect(try await next.commit().entry != nil)
        }
    }
}

/// Holds calls until so many are there.
private final class Gate: Sendable {
    private let count: Int
    private let passed = Watched(0)

    init(_ count: Int) { self.count = count }

    func pass() async throws {
        passed.update { $0 += 1 }
        try await passed.wait { [count] passed in passed >= count ? () : nil }
    }
}

/// A store in memory that counts what is begun to be written.
private final class CountingStore: WrappedStore {
    let base = MemoryCacheStore(bounds: CacheBounds(totalBytes: .megabytes(10)))
    let writers = Locked(0)
    /// Done before an entry is stored.
    let onCommit = Locked<(@Sendable () async throws -> Void)?>(nil)

    func makeWriter(
        for key: CacheKey,
        _ metadata: CacheMetadata,
        expecting length: Int64?
    ) async throws -> (any CacheWriter)? {
        writers.withLock { $0 += 1 }
        let writer = await base.makeWriter(for: key, metadata, expecting: length)
        guard let writer, let hook = onCommit.withLock({ $0 }) else { return writer }
        return ComposedCacheWriter(writer, beforeCommit: { try? await hook() }, finish: { $0 })
    }
}
#endif
