#if AllTests
import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainSupport
import HTTPTypes
import TestSupport
import Testing

@Suite("Validation, RFC 9111 §4.3", .timeLimit(.minutes(10)))
struct ValidationTests {
    private static let stale = "Cache-Control: max-age=60"
    private let stale = Self.stale

    @Test(
        "§4.3.1: a stored response is validated with its validators",
        arguments: [
            (["ETag: \"a\""], "\"a\"", nil),
            (["ETag: W/\"a\""], "W/\"a\"", nil),
            (["ETag: abc"], "abc", nil),
            (["Last-Modified: \(date(-9))"], nil, date(-9)),
            (["ETag: \"a\"", "Last-Modified: \(date(-9))"], "\"a\"", date(-9)),
            (["Last-Modified: yesterday"], nil, nil),
            ([], nil, nil),
        ] as [([String], String?, String?)]
    )
    func conditions(lines: [String], tag: String?, modified: String?) async throws {
        let talk = try Conversation()
        talk.script(.ok, [stale] + lines)
        _ = try await talk.ask()
        talk.pass(61)
        talk.script()
        let (response, _) = try await talk.ask()
        #expect(talk.last(.ifNoneMatch) == tag)
        #expect(talk.last(.ifModifiedSince) == modified)
        #expect(response.cacheStatus?.forward == .stale)
        #expect(response.headers[.cacheStatus] == "HTTPChain; fwd=stale; fwd-status=200; stored")
    }

    @Test("§4.3.4: a 304 freshens what is stored, and the caller gets 200 with the stored content")
    func notModified() async throws {
        let talk = try Conversation()
        talk.script(.ok, [stale, "ETag: \"a\"", "X-Test: 1", "Content-Type: a/b", "Age: 5"], "stored")
        _ = try await talk.ask()
        talk.pass(61)
        talk.script(.notModified, ["Cache-Control: max-age=30", "ETag: \"a\"", "X-Test: 2"], "")
        let (validated, text) = try await talk.ask()
        #expect(validated.status == .ok && text == "stored")
        #expect(validated.cacheStatus?.explanation.contains("RFC 9111 §4.3.4") == true)
        #expect(validated.headers[.cacheStatus] == "HTTPChain; fwd=stale; fwd-status=304; ttl=30")
        talk.pass(29)
        let (hit, again) = try await talk.ask()
        #expect(again == "stored" && hit.headers[.xTest] == "2" && hit.headers[.age] == "29")
        #expect(hit.headers[.contentType] == "a/b" && hit.headers[.cacheControl] == "max-age=30")
        #expect(talk.count == 2)
        #expect(talk.events == ["miss", "stored", "revalidated", "hit"])
    }

    @Test(
        "§3.2: a 304 updates the stored fields",
        arguments: [
            ("Content-Length", "99", false), ("Content-Encoding", "br", false), ("Content-Range", "bytes 0-1/2", false),
            ("Transfer-Encoding", "x", false), ("Connection", "close", false), ("Keep-Alive", "5", false),
            ("Content-Type", "c/d", false), ("Content-MD5", "1B2M2Y8AsgTpgAmY7PhCfg==", false),
            ("Content-Digest", "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:", false),
            ("Repr-Digest", "sha-256=:AAAA:", true), ("Content-Language", "fr", true), ("Set-Cookie", "a=b", true),
            ("X-Frame-Options", "DENY", true), ("X-Test", "2", true), ("Expires", date(99), true), ("Via", "x", true),
            ("Content-Location", "/b", true), ("Last-Modified", date(-1), true), ("Age", "7", true),
        ]
    )
    func updated(name: String, value: String, isUpdated: Bool) async throws {
        let talk = try Conversation()
        talk.script(.ok, [stale, "ETag: \"a\"", "Content-Type: a/b", "X-Test: 1", "Last-Modified: \(date(-9))"])
        _ = try await talk.ask()
        talk.pass(61)
        talk.script(.notModified, ["ETag: \"a\"", "\(name): \(value)"], "")
        _ = try await talk.ask()
        let stored = try #require(await talk.store.variants(of: CacheKey(url: target)).first)
        let field = try #require(HTTPField.Name(name))
        #expect((stored.response.metadata.head.headerFields[field] == value) == isUpdated)
        #expect(stored.response.metadata.head.headerFields[.contentLength] == "10")
    }

    @Test("§3.2: fields of a 304 that describe its own empty content are not added either, and HEAD updates the type")
    func ownContent() async throws {
        let talk = try Conversation()
        talk.script(.ok, [stale, "ETag: \"a\""])
        _ = try await talk.ask()
        talk.pass(61)
        talk.script(.notModified, ["ETag: \"a\"", "Content-Type: a/b", "Content-Digest: x", "Content-MD5: y"], "")
        #expect(try await talk.ask().response.headers[.contentType] == nil)
        let stored = try #require(await talk.store.variants(of: CacheKey(url: target)).first)
        let names = stored.response.metadata.head.headerFields.map(\.name.canonicalName)
        #expect(!names.contains("content-digest") && !names.contains("content-md5") && !names.contains("content-type"))
        talk.pass(61)
        talk.script(.ok, [stale, "ETag: \"a\"", "Content-Type: c/d"], "")
        _ = try await talk.ask([], .head)
        let updated = try #require(await talk.store.variants(of: CacheKey(url: target)).first)
        #expect(updated.response.metadata.head.headerFields[.contentType] == "c/d")
    }

    static let superseding: [(status: HTTPResponse.Status, lines: [String], isSuperseded: Bool)] = [
        (.gone, ["Cache-Control: no-store"], true), (.notFound, ["Cache-Control: no-store"], true),
        (.forbidden, [], true), (.badRequest, [], true), (.found, ["Location: /b"], true),
        (.ok, ["Cache-Control: no-store"], true), (.ok, [stale, "Vary: *"], true),
        (.ok, ["Content-Type: text/event-stream"], true),
        (.ok, [stale, "Content-Length: 2000000"], true),
        (.serviceUnavailable, [], false), (.internalServerError, [], false), (.tooManyRequests, [], false),
        (.unauthorized, [], false), (.requestTimeout, [], false),
    ]

    @Test(
        "§4.3.3: a full response that is not stored makes the one that was validated unusable, fresh or stale",
        arguments: 0..<superseding.count,
        [["ETag: \"a\""], ["Last-Modified: \(date(-9))"], []]
    )
    func superseded(index: Int, validator: [String]) async throws {
        let row = Self.superseding[index]
        let talk = try Conversation()
        talk.script(.ok, ["Cache-Control: max-age=60, stale-if-error=1000"] + validator, "old")
        _ = try await talk.ask()
        talk.pass(61)
        talk.script(
            row.status,
            row.lines,
            row.lines.contains("Content-Length: 2000000") ? String(repeating: "a", count: 2_000_000) : ""
        )
        let first = try await talk.ask()
        // While it is there, it answers for a server that fails.
        #expect(first.text == "old" || first.response.status == row.status)
        talk.transport.enqueue(.failure(TransportError(.connectionLost, sent: .maybe, stage: "test")))
        if row.isSuperseded {
            await #expect(throws: TransportError.self) { try await talk.ask() }
            talk.script(.serviceUnavailable, [], "down")
            #expect(try await talk.ask().text == "down")
            talk.script(.serviceUnavailable, [], "down")
            #expect(try await talk.ask(["Cache-Control: max-stale"]).text == "down")
            #expect(try await talk.ask(["Cache-Control: only-if-cached"]).response.status == .gatewayTimeout)
        } else {
            #expect(try await talk.ask().text == "old")
        }
    }

    @Test("§4.3.3: a full response that turns out to be too large for the store makes the stored one unusable")
    func supersededWhileRead() async throws {
        let talk = try Conversation()
        talk.script(.ok, ["Cache-Control: max-age=60, stale-if-error=1000"], "old")
        _ = try await talk.ask()
        talk.pass(61)
        let half = String(repeating: "a", count: 1_000_000)
        let large = HTTPBody.chunks([half, half])
        talk.transport.enqueue(.status(.ok, headers: fields([stale]), body: large))
        #expect(try await talk.ask().text.utf8.count == 2_000_000)
        talk.script(.serviceUnavailable, [], "down")
        #expect(try await talk.ask().text == "down")
    }

    @Test("§4.3.3: a full response that is not stored leaves the responses to other requests as they were")
    func othersStay() async throws {
        let talk = try Conversation()
        for language in ["de", "fr"] {
            talk.script(.ok, [stale, "Vary: Foo", "ETag: \"\(language)\""], language)
            _ = try await talk.ask(["Foo: \(language)"])
        }
        talk.pass(10)
        talk.script(.gone, ["Cache-Control: no-store"], "gone")
        #expect(try await talk.ask(["Foo: de", "Cache-Control: no-cache"]).text == "gone")
        #expect(try await talk.ask(["Foo: fr"]).text == "fr")
        talk.script(.notModified, ["ETag: \"de\""], "")
        #expect(try await talk.ask(["Foo: de"]).text == "de")
        #expect(try await talk.ask(["Foo: de"]).text == "de")
        #expect(talk.count == 4)
    }

    @Test("§5.2.1.5: a response to a no-store request changes nothing that is stored")
    func noStoreStays() async throws {
        let talk = try Conversation()
        talk.script(.ok, [stale], "old")
        _ = try await talk.ask()
        talk.script(.gone, ["Cache-Control: no-store"], "gone")
        _ = try await talk.ask(["Cache-Control: no-store, no-cache"])
        #expect(try await talk.ask().text == "old")
    }

    @Test("§3.2: fields with several lines are replaced together")
    func severalLines() async throws {
        let talk = try Conversation()
        talk.script(.ok, [stale, "ETag: \"a\"", "X-Test: 1", "X-Test: 2", "X-Test: 3"])
        _ = try await talk.ask()
        talk.pass(61)
        talk.script(.notModified, ["ETag: \"a\"", "X-Test: 4", "X-Test: 5"], "")
        let (response, _) = try await talk.ask()
        #expect(response.headers[values: .xTest] == ["4", "5"])
    }

    @Test("§4.3.3: a full answer to a validation takes the place of what is stored")
    func replaced() async throws {
        let talk = try Conversation()
        talk.script(.ok, [stale, "ETag: \"a\""], "old")
        _ = try await talk.ask()
        talk.pass(61)
        talk.script(.ok, [stale, "ETag: \"b\""], "new")
        #expect(try await talk.ask().text == "new")
        #expect(try await talk.ask().text == "new")
        #expect(talk.count == 2)
        #expect(await talk.store.usage().entries == 1)
    }

    @Test("§4.3.1: the tags of all variants are sent, and the 304 picks the one that it names")
    func severalVariants() async throws {
        let talk = try Conversation()
        for language in ["de", "fr"] {
            talk.script(.ok, [stale, "Vary: Foo", "ETag: \"\(language)\""], language)
            _ = try await talk.ask(["Foo: \(language)"])
        }
        talk.pass(1)
        talk.script(.notModified, ["ETag: \"de\"", "Vary: Foo"], "")
        let (response, text) = try await talk.ask(["Foo: at"])
        #expect(
            talk.last(.ifNoneMatch)?.contains("\"de\"") == true && talk.last(.ifNoneMatch)?.contains("\"fr\"") == true
        )
        #expect(text == "de" && response.cacheStatus?.forward == .varyMiss)
        #expect(try await talk.ask(["Foo: de"]).text == "de")
        #expect(try await talk.ask(["Foo: fr"]).text == "fr")
        #expect(talk.count == 3)
    }

    @Test("§4.3.4: a strong tag freshens every variant that has it")
    func strongTag() async throws {
        let talk = try Conversation()
        for language in ["de", "fr"] {
            talk.script(.ok, [stale, "Vary: Foo", "ETag: \"same\""], language)
            _ = try await talk.ask(["Foo: \(language)"])
        }
        talk.pass(61)
        talk.script(.notModified, [stale, "ETag: \"same\""], "")
        #expect(try await talk.ask(["Foo: fr"]).text == "fr")
        #expect(try await talk.ask(["Foo: de"]).text == "de")
        #expect(talk.count == 3)
    }

    @Test("A 304 that names nothing that is stored is not believed: the request goes out again without conditions")
    func unknownTag() async throws {
        let talk = try Conversation()
        talk.script(.ok, [stale, "ETag: \"a\""], "old")
        _ = try await talk.ask()
        talk.pass(61)
        talk.script(.notModified, ["ETag: \"z\""], "")
        talk.script(.ok, [stale, "ETag: \"z\""], "new")
        #expect(try await talk.ask().text == "new")
        #expect(talk.last(.ifNoneMatch) == nil && talk.count == 3)
    }

    @Test("What was validated and then evicted is asked for again")
    func evictedMeanwhile() async throws {
        let talk = try Conversation()
        talk.script(.ok, [stale, "ETag: \"a\""], "old")
        _ = try await talk.ask()
        talk.pass(61)
        let store = talk.store
        talk.transport.on(.get, "*", times: 1) { _ in
            await store.remove(.all)
            return Response(.notModified, headers: [.eTag: "\"a\""])
        }
        talk.transport.on(nil, "*") { request in
            if request.head.headerFields.contains(.ifNoneMatch) {
                await store.remove(.all)
                return Response(.notModified, headers: [.eTag: "\"a\""])
            }
            return Response(.ok, body: "new")
        }
        #expect(try await talk.ask().text == "new")
    }

    @Test("A 304 that the caller asked for itself passes through, and nothing is stored")
    func callersOwn() async throws {
        let talk = try Conversation()
        talk.script(.notModified, ["ETag: \"mine\""], "")
        let (response, _) = try await talk.ask(["If-None-Match: \"mine\""])
        #expect(response.status == .notModified && talk.last(.ifNoneMatch) == "\"mine\"")
        #expect(await talk.store.usage().entries == 0)
    }

    @Test(
        "§4.3.2: the caller's tags and the stored ones go out together",
        arguments: [("\"a\"", 200), ("\"mine\"", 304)]
    )
    func union(answered: String, status: Int) async throws {
        let talk = try Conversation()
        talk.script(.ok, [stale, "ETag: \"a\""], "stored")
        _ = try await talk.ask()
        talk.pass(61)
        talk.script(.notModified, [stale, "ETag: \(answered)"], "")
        let (response, text) = try await talk.ask(["If-None-Match: \"mine\""])
        #expect(talk.last(.ifNoneMatch) == "\"mine\", \"a\"")
        #expect(response.status.code == status && text == (status == 200 ? "stored" : ""))
    }

    @Test("§4.3.2: a caller that has the stored response gets 304 from the cache, even after validation")
    func callerHasIt() async throws {
        let talk = try Conversation()
        talk.script(.ok, [stale, "ETag: \"a\"", "Content-Type: a/b"], "stored")
        _ = try await talk.ask()
        let (fresh, text) = try await talk.ask(["If-None-Match: \"a\""])
        #expect(fresh.status == .notModified && text.isEmpty && fresh.headers[.eTag] == "\"a\"")
        #expect(fresh.headers[.contentLength] == nil && fresh.headers[.contentType] == nil && talk.count == 1)
        talk.pass(61)
        talk.script(.notModified, [stale, "ETag: \"a\""], "")
        #expect(try await talk.ask(["If-None-Match: \"a\""]).response.status == .notModified)
        #expect(talk.last(.ifNoneMatch) == "\"a\"")
    }

    @Test("§4.3.2: If-Modified-Since of the caller gives way to the stored date, and is answered from what comes")
    func callersDate() async throws {
        let talk = try Conversation()
        talk.script(.ok, [stale, "Last-Modified: \(date(-50))"], "stored")
        _ = try await talk.ask()
        talk.pass(61)
        talk.script(.notModified, [stale], "")
        let (response, _) = try await talk.ask(["If-Modified-Since: \(date(-10))"])
        #expect(talk.last(.ifModifiedSince) == date(-50) && response.status == .notModified)
    }

    @Test(
        "§4.3.5: a response to HEAD freshens or invalidates the stored response to GET",
        arguments: [
            (200, ["ETag: \"a\"", "Cache-Control: max-age=600"], "served"),
            (200, ["ETag: \"a\"", "Content-Length: 10", "Cache-Control: max-age=600"], "served"),
            (200, ["ETag: \"a\"", "Content-Length: 11", "Cache-Control: max-age=600"], "validated"),
            (200, ["ETag: \"b\"", "Cache-Control: max-age=600"], "validated"),
            (200, ["Last-Modified: \(date(-5))", "Cache-Control: max-age=600"], "validated"),
            (410, [], "validated"), (404, [], "validated"), (500, [], "untouched"),
        ] as [(Int, [String], String)]
    )
    func head(status: Int, lines: [String], outcome: String) async throws {
        let talk = try Conversation()
        talk.script(.ok, [stale, "ETag: \"a\"", "Last-Modified: \(date(-9))", "Content-Length: 10"])
        _ = try await talk.ask()
        // HEAD goes to the server, because the caller says so.
        talk.transport.enqueue(.status(.init(code: status), headers: fields(lines)))
        let (head, text) = try await talk.ask(["Cache-Control: no-cache"], .head)
        #expect(head.status.code == status && text.isEmpty)
        #expect(talk.last(.ifNoneMatch) == nil)
        talk.pass(outcome == "served" ? 599 : 1)
        if outcome == "validated" { talk.script(.notModified, [stale, "ETag: \"a\""], "") }
        let (get, content) = try await talk.ask()
        #expect(get.status == .ok && content == "0123456789")
        #expect(talk.count == (outcome == "validated" ? 3 : 2))
    }

    @Test("§4.3.5: HEAD is answered from a stored GET without content, its length kept")
    func headFromGet() async throws {
        let talk = try Conversation()
        talk.script(.ok, [stale])
        _ = try await talk.ask()
        let (head, text) = try await talk.ask([], .head)
        #expect(head.headers[.contentLength] == "10" && text.isEmpty && head.cacheStatus?.isHit == true)
        #expect(talk.count == 1)
    }
}

extension HTTPField.Name {
    static let xTest = HTTPField.Name(constant: "X-Test")
}
#endif
