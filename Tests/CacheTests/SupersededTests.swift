#if AllTests
import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@Suite("A newer response that is not stored, RFC 9111 §4.3.3", .timeLimit(.minutes(10)))
struct SupersededTests {
    private static let fresh = "Cache-Control: max-age=600, stale-if-error=1000"

    /// The way a caller treats a response.
    enum Reading: CaseIterable, Sendable {
        case none, some, cancelled
    }

    private func reload(_ chain: Chain, _ transport: InMemoryTransport, _ reading: Reading) async throws {
        let body = HTTPBody.chunks(["ne", "w"], failing: reading == .cancelled ? CancellationError() : nil)
        transport.enqueue(.status(.ok, headers: fields([Self.fresh, "ETag: \"b\""]), body: body))
        let response = try await chain.send(.get(target, headers: [.cacheControl: "no-cache"]))
        #expect(response.headers[.eTag] == "\"b\"")
        switch reading {
        case .none: break
        case .some:
            var reader = try await response.body.makeReader()
            #expect(try await reader.read()?.count == 2)
        case .cancelled:
            await #expect(throws: CancellationError.self) { try await response.body.text() }
        }
    }

    @Test(
        "§4.3.3: a newer response whose reader stops early makes the stored one unusable without validation",
        arguments: StoreKind.available,
        Reading.allCases
    )
    func abandoned(kind: StoreKind, reading: Reading) async throws {
        let directory = ScratchDirectory()
        let store = kind.make(.ample, in: directory)
        let transport = InMemoryTransport()
        let cache = CacheMiddleware(store: store, partition: .shared)
        let chain = try Chain([cache], transport: transport)
        transport.enqueue(.status(.ok, headers: fields([Self.fresh, "ETag: \"a\""]), body: "old"))
        #expect(try await chain.send(.get(target)).body.text() == "old")
        try await reload(chain, transport, reading)
        #expect(try await cache.state(for: .get(target))?.isUsable == false)
        #expect(try await cache.explain(.get(target)).contains("invalidated"))

        transport.enqueue(.status(.serviceUnavailable, body: "down"))
        #expect(try await chain.send(.get(target)).body.text() == "down")
        #expect(try await store.variants(of: CacheKey(url: target)).first?.response.metadata.isInvalidated == true)
        // If the server returns to the old one, its content is still there.
        transport.enqueue(.status(.notModified, headers: fields(["ETag: \"a\"", Self.fresh])))
        #expect(try await chain.send(.get(target)).body.text() == "old")
        #expect(try await chain.send(.get(target)).cacheStatus?.isHit == true)
        #expect(transport.requestCount == 4)
        await store.shut()
    }

    @Test("A newer response that is stored after another reader stopped early is used")
    func storedAfterwards() async throws {
        let talk = try Conversation()
        talk.script(.ok, [Self.fresh, "ETag: \"a\""], "old")
        _ = try await talk.ask()
        try await reload(talk.chain, talk.transport, .none)
        talk.pass(1)
        talk.script(.ok, [Self.fresh, "ETag: \"b\""], "new")
        #expect(try await talk.ask().text == "new")
        #expect(try await talk.ask().text == "new")
        #expect(talk.count == 3)
    }

    @Test("A reader of a newer response that stops early leaves the responses to other requests in use")
    func othersStay() async throws {
        let talk = try Conversation()
        for language in ["de", "fr"] {
            talk.script(.ok, [Self.fresh, "Vary: Foo", "ETag: \"\(language)\""], language)
            _ = try await talk.ask(["Foo: \(language)"])
        }
        talk.transport.enqueue(
            .status(.ok, headers: fields([Self.fresh, "Vary: Foo", "ETag: \"b\""]), body: .chunks(["new"]))
        )
        _ = try await talk.chain.send(.get(target, headers: fields(["Foo: de", "Cache-Control: no-cache"])))
        #expect(try await talk.ask(["Foo: fr"]).response.cacheStatus?.isHit == true)
        talk.script(.ok, [Self.fresh, "Vary: Foo", "ETag: \"b\""], "new")
        #expect(try await talk.ask(["Foo: de"]).text == "new")
        #expect(talk.count == 4)
    }

    @Test("While a newer response arrives, the stored one is in use")
    func meanwhile() async throws {
        let talk = try Conversation()
        talk.script(.ok, [Self.fresh, "ETag: \"a\""], "old")
        _ = try await talk.ask()
        talk.transport.enqueue(
            .status(.ok, headers: fields([Self.fresh, "ETag: \"b\""]), body: .chunks(["ne", "w"]))
        )
        var reader = try await talk.chain.send(.get(target, headers: [.cacheControl: "no-cache"])).body.makeReader()
        _ = try await reader.read()
        #expect(try await talk.ask().text == "old")
        while try await reader.read() != nil {}
        #expect(try await talk.ask().text == "new")
        #expect(talk.count == 2)
    }

    @Test("A transfer that fails, and a server that fails, leave the stored response in use", arguments: [200, 503])
    func failed(status: Int) async throws {
        let talk = try Conversation()
        talk.script(.ok, [Self.fresh, "ETag: \"a\""], "old")
        _ = try await talk.ask()
        talk.pass(601)
        let lost = TransportError(.connectionLost, sent: .answered, stage: "test")
        talk.transport.enqueue(
            .status(
                .init(code: status),
                headers: fields([Self.fresh, "ETag: \"b\""]),
                body: .chunks(["ne", "w"], failing: lost)
            )
        )
        let text = try? await talk.ask().text
        #expect(text == (status == 200 ? nil : "old"))
        talk.transport.enqueue(.failure(lost))
        #expect(try await talk.ask().text == "old")
    }

    @Test(
        "A newer response that the store fails to keep makes the stored one unusable",
        arguments: [FailingStore.Point.makeWriter, .write, .commit]
    )
    func failingStore(point: FailingStore.Point) async throws {
        let store = FailingStore(point: point)
        let transport = InMemoryTransport()
        let chain = try Chain(
            [CacheMiddleware(store: store, partition: .shared)],
            transport: transport,
            environment: .virtual(VirtualClock())
        )
        var old = storeMetadata()
        old.head.headerFields = fields([Self.fresh])
        try await store.base.put(CacheKey(url: target), Data("old".utf8), old)
        #expect(try await chain.send(.get(target)).body.text() == "old")
        transport.enqueue(.status(.ok, headers: fields([Self.fresh]), body: .chunks(["new"])))
        #expect(try await chain.send(.get(target, headers: [.cacheControl: "no-cache"])).body.text() == "new")
        transport.enqueue(.status(.serviceUnavailable, body: "down"))
        #expect(try await chain.send(.get(target)).body.text() == "down")
    }
}
#endif
