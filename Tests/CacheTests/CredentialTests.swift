#if AllTests
import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

private let fresh = "Cache-Control: max-age=60"

/// An authentication stage inside the cache, whose token the test changes.
private func bearer(_ token: Locked<String>) -> ClosureMiddleware {
    ClosureMiddleware("Bearer", phase: .authenticate) { request, next in
        var request = request
        request.head.headerFields[.authorization] = "Bearer \(token.withLock { $0 })"
        return try await next(request)
    }
}

private enum ApiKeyOption: RequestOption {
    static var defaultValue: String? { nil }
    static func isHarmless(_ value: Value) -> Bool { true }
    static var isCredential: Bool { true }
}

@Suite("Cached bytes and whose they are", .timeLimit(.minutes(10)))
struct CredentialTests {
    private let token = Locked("ada")
    private let transport = InMemoryTransport()
    private let store = MemoryCacheStore(bounds: CacheBounds(totalBytes: .megabytes(1)))

    private func chain(_ mode: CacheRules.Mode, _ partition: UserPartition, order: OrderCheck = .checked) throws
        -> Chain
    {
        let cache = CacheMiddleware(store: store, rules: CacheRules(mode: mode), partition: partition)
        return try Chain([cache, bearer(token)], transport: transport, order: order, environment: .virtual())
    }

    /// What Ada and then Bob get of the same URL.
    private func answers(_ chain: Chain, _ lines: [String], _ request: Request = .get(target)) async throws -> [String]
    {
        transport.on(.get, "*") { request in
            let owner = request.head.headerFields[.authorization] ?? "nobody"
            return Response(.ok, headers: fields(lines), body: HTTPBody(owner))
        }
        var texts: [String] = []
        for name in ["ada", "bob"] {
            token.withLock { $0 = name }
            texts.append(try await chain.send(request).body.text())
        }
        return texts
    }

    private let apart = ["Bearer ada", "Bearer bob"]

    @Test("§3.5: a shared cache does not store a response that an inner bearer stage authenticated for another token")
    func sharedWithBearerInside() async throws {
        #expect(try await answers(chain(.shared, .shared), [fresh]) == apart)
        #expect(await store.usage().entries == 0)
    }

    @Test("§3.5: what is public is stored in a shared cache, whoever asked")
    func publicInShared() async throws {
        let chain = try chain(.shared, .shared)
        #expect(try await answers(chain, ["Cache-Control: public, max-age=60"]) == ["Bearer ada", "Bearer ada"])
    }

    @Test(
        "§4.1: Vary: Authorization is judged by the request as it was sent",
        arguments: [CacheRules.Mode.private, .shared]
    )
    func varyByAuthorization(mode: CacheRules.Mode) async throws {
        let lines = ["Cache-Control: public, max-age=60", "Vary: Authorization"]
        #expect(try await answers(chain(mode, .shared), lines) == apart)
        #expect(await store.usage().entries == 0)
    }

    @Test("A private cache with no partition stores nothing of what turns out to be authenticated")
    func nobodyThoughtOfIt() async throws {
        #expect(try await answers(chain(.private, .none, order: .unchecked), [fresh]) == apart)
        #expect(await store.usage().entries == 0)
    }

    @Test("A partition keeps users apart, and each of them has the cache's use")
    func partition() async throws {
        let chain = try chain(.private, .by { [token] _ in token.withLock { $0 } })
        #expect(try await answers(chain, [fresh]) == apart)
        #expect(try await answers(chain, [fresh]) == apart)
        #expect(transport.requestCount == 2)
    }

    @Test(
        "A private cache with no partition leaves calls alone that bring credentials of their own",
        arguments: [
            "Authorization", "Cookie", "option", "bound", "X-Api-Key", "X-Auth-Token", "X-Auth", "X-Plant-Gate",
        ]
    )
    func bypass(kind: String) async throws {
        let talk = try Conversation(partition: .none)
        var redaction = Redaction.standard
        redaction.fieldNames.insert("x-plant-gate")
        func call(_ secret: String) throws -> Request {
            var request = Request.get(target)
            switch kind {
            case "option": request.options[ApiKeyOption.self] = secret
            case "bound":
                let name = try #require(HTTPField.Name("X-Session"))
                request.head.headerFields[name] = secret
                request.bindFields([name], to: try #require(request.origin))
            default: request.head.headerFields[try #require(HTTPField.Name(kind))] = secret
            }
            request.environment = ChainEnvironment(redaction: redaction)
            return request
        }
        for secret in ["ada", "bob"] {
            talk.script(.ok, [fresh], secret)
            let answer = try await talk.ask(try call(secret))
            #expect(answer.text == secret)
            #expect(answer.response.cacheStatus?.reason == .credentials)
        }
        #expect(await talk.store.usage().entries == 0)
        talk.script(.ok, [fresh], "all")
        #expect(try await talk.ask().text == "all")
        #expect(try await talk.ask().text == "all", "who brings none still has the cache's use")
    }

    @Test("A partition by the credentials keeps them apart, and does not write them down")
    func byCredentials() async throws {
        let talk = try Conversation(partition: .byCredentials)
        for secret in ["ada", "bob"] {
            talk.script(.ok, [fresh], secret)
            for _ in 0..<2 { #expect(try await talk.ask(["Authorization: Bearer \(secret)"]).text == secret) }
        }
        #expect(talk.count == 2)
        let partitions = try await talk.cache.entries(.all).map(\.key.partition)
        #expect(Set(partitions).count == 2)
        #expect(partitions.allSatisfy { $0.count == 64 && !$0.contains("ada") })
        var request = Request.get(target)
        request.options[ApiKeyOption.self] = "ada"
        talk.script(.ok, [fresh], "option")
        #expect(try await talk.ask(request).text == "option")
        #expect(await talk.store.usage().entries == 2)
    }

    @Test("A partition by the credentials is refused where they are added further in")
    func byCredentialsInside() {
        #expect(throws: ChainOrderError.self) { try chain(.private, .byCredentials) }
    }

    @Test(
        "A PUT, DELETE or PATCH is never answered from a store, and makes its target invalid, with an identifier too",
        arguments: [HTTPRequest.Method.put, .delete, .patch]
    )
    func changes(method: HTTPRequest.Method) async throws {
        let talk = try Conversation()
        talk.script(.ok, [fresh], "old")
        _ = try await talk.ask()
        for count in 2...3 {
            let change = Request(method, target).caching(identifier: "change").caching(for: .exactly(.seconds(60)))
            talk.script(.ok, [fresh], "done")
            #expect(try await talk.ask(change).text == "done")
            #expect(talk.count == count)
            #expect(await talk.store.usage().entries == 0)
        }
        talk.script(.ok, [fresh], "new")
        #expect(try await talk.ask().text == "new")
    }

    @Test("A POST with an identifier makes the answer to GET invalid, and what other identifiers have stays")
    func query() async throws {
        let talk = try Conversation()
        func search(_ text: String) -> Request {
            Request.post(target, body: HTTPBody(text)).caching(identifier: text).caching(for: .exactly(.seconds(60)))
        }
        talk.script(.ok, [fresh], "old")
        _ = try await talk.ask()
        for text in ["a", "b", "a", "b"] {
            if talk.count < 3 { talk.script(.ok, [], text) }
            #expect(try await talk.ask(search(text)).text == text)
        }
        #expect(talk.count == 3)
        talk.script(.ok, [fresh], "new")
        #expect(try await talk.ask().text == "new")
    }

    @Test("What an inspector shows of keys, variants and descriptions has no secret of any shape")
    func inspected() {
        for shape in SecretShapes.all {
            let text = shape.text.split(whereSeparator: \.isNewline).joined(separator: " ")
            let key = CacheKey(url: "https://a.example/?q=1", partition: text, identifier: shape.text)
            let variant = CacheVariant([
                .init(name: "x-kind", value: text), .init(name: "cookie", value: "a=\(shape.secret)"),
            ])
            let head = HTTPResponse(status: .ok, headerFields: [.server: text, .setCookie: "a=\(shape.secret)"])
            let metadata = CacheMetadata(head: head, variant: variant, requestTime: start, responseTime: start)
            let entry = CacheEntry(
                id: CacheEntryID(rawValue: 1),
                key: key,
                response: StoredResponse(metadata, bodyLength: 0, bodyChecksum: ContentChecksum())
            )
            for shown in [
                "\(entry)", "\(key) \(variant) \(metadata)", String(reflecting: metadata), String(reflecting: key),
            ] {
                #expect(!shown.contains(shape.secret), "\(shape): \(shown)")
            }
        }
    }

    @Test("SHA-256 is that of FIPS 180-4")
    func digest() {
        #expect(SHA256Digest.hex(of: "abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(SHA256Digest.hex(of: "") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        let long = String(repeating: "a", count: 1000)
        #expect(SHA256Digest.hex(of: long) == "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3")
    }
}
#endif
