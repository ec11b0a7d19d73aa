#if AllTests
import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPChainInMemory
import HTTPTypes
import Testing

@Suite("What 304 and HEAD make of a stored response is judged as if it were stored now", .timeLimit(.minutes(10)))
struct MergedHeadTests {
    private static let lines: [(CacheRules.Mode, String, String)] = [
        (.private, "Cache-Control: no-store", "RFC 9111 §5.2.2.5"),
        (.private, "Vary: *", "RFC 9111 §4.1"),
        (.shared, "Cache-Control: max-age=60, private", "RFC 9111 §5.2.2.7"),
    ]

    @Test("RFC 9111 §3.2, §4.3.4: a 304 that forbids storing removes the validated response", arguments: lines)
    func notModified(mode: CacheRules.Mode, line: String, section: String) async throws {
        let talk = try Conversation(mode)
        talk.script(.ok, ["Cache-Control: max-age=60", "ETag: \"a\""], "stored")
        _ = try await talk.ask()
        talk.pass(61)
        talk.script(.notModified, ["ETag: \"a\"", line], "")
        let (response, text) = try await talk.ask()
        #expect(response.status == .ok && text == "stored", "\(section): this call is still answered")
        #expect(await talk.store.usage().entries == 0, "\(section)")
        talk.script(.ok, [], "new")
        #expect(try await talk.ask().text == "new")
        #expect(talk.last(.ifNoneMatch) == nil)
    }

    @Test("RFC 9111 §4.3.5: a HEAD that forbids to store removes what it tells about", arguments: lines)
    func head(mode: CacheRules.Mode, line: String, section: String) async throws {
        let talk = try Conversation(mode)
        talk.script(.ok, ["Cache-Control: max-age=60", "ETag: \"a\""], "stored")
        _ = try await talk.ask()
        talk.transport.enqueue(.status(.ok, headers: fields(["ETag: \"a\"", line])))
        _ = try await talk.ask(["Cache-Control: no-cache"], .head)
        #expect(await talk.store.usage().entries == 0, "\(section)")
    }

    @Test("RFC 9111 §3.5: a 304 to an authenticated request removes from a shared cache what it no longer allows")
    func authenticated() async throws {
        let talk = try Conversation(.shared)
        talk.script(.ok, ["Cache-Control: max-age=60, public", "ETag: \"a\""], "stored")
        _ = try await talk.ask(["Authorization: Bearer x"])
        #expect(await talk.store.usage().entries == 1)
        talk.pass(61)
        talk.script(.notModified, ["ETag: \"a\"", "Cache-Control: max-age=60"], "")
        #expect(try await talk.ask(["Authorization: Bearer x"]).text == "stored")
        #expect(await talk.store.usage().entries == 0)
    }

    @Test("A lifetime of the client's own outweighs what a 304 says, as it does when a response is stored")
    func clientsLifetime() async throws {
        let talk = try Conversation(settings: CacheSettings(lifetime: .exactly(.seconds(60))))
        talk.script(.ok, ["ETag: \"a\""], "stored")
        _ = try await talk.ask()
        talk.pass(61)
        talk.script(.notModified, ["ETag: \"a\"", "Cache-Control: no-store"], "")
        #expect(try await talk.ask().text == "stored")
        #expect(await talk.store.usage().entries == 1)
    }

    @Test("RFC 9111 §5.2.1.5: nothing of a response to a no-store request is kept, not even of a 304 or a HEAD")
    func noStoreRequest() async throws {
        let talk = try Conversation()
        talk.script(.ok, ["Cache-Control: max-age=60", "ETag: \"a\"", "X-Test: 1"], "stored")
        _ = try await talk.ask()
        talk.pass(61)
        talk.script(.notModified, ["ETag: \"a\"", "X-Test: 2"], "")
        let (response, text) = try await talk.ask(["Cache-Control: no-store"])
        #expect(text == "stored" && response.headers[.xTest] == "2")
        talk.transport.enqueue(.status(.ok, headers: fields(["ETag: \"a\"", "X-Test: 3"])))
        _ = try await talk.ask(["Cache-Control: no-store, no-cache"], .head)
        let stored = try #require(await talk.store.variants(of: CacheKey(url: target)).first)
        #expect(stored.response.metadata.head.headerFields[.xTest] == "1")
        talk.script(.notModified, ["ETag: \"a\""], "")
        _ = try await talk.ask()
        #expect(talk.last(.ifNoneMatch) == "\"a\"" && talk.count == 4, "it is as stale as it was")
    }

    @Test("RFC 9111 §4.2.2: a Last-Modified in a 304 lets nothing be used without asking that must be validated")
    func heuristics() async throws {
        let talk = try Conversation()
        talk.script(.ok, ["Cache-Control: no-cache", "ETag: \"a\""], "stored")
        _ = try await talk.ask()
        for _ in 1...2 {
            talk.script(.notModified, ["ETag: \"a\"", "Last-Modified: \(date(-1_000_000))"], "")
            #expect(try await talk.ask().text == "stored")
        }
        #expect(talk.count == 3)
    }
}
#endif
