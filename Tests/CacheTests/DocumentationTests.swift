#if AllTests
import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPChainInMemory
import HTTPTypes
import TestSupport
import Testing

/// The code of the documentation page, which compiles here.
private enum Page {
    struct Session: Sendable {
        let userName: String?
    }

    static func send(_ transport: some Transport, _ session: Session) async throws -> (CacheMiddleware, Chain) {
        // begin
        let cache = CacheMiddleware(store: .memory(limit: .megabytes(50)), partition: .by { _ in session.userName })
        let chain = try Chain(transport: transport) { cache }
        let response = try await chain.send(.get("https://api.example.com/plants"))
        print(response.cacheStatus?.explanation ?? "")
        // end
        return (cache, chain)
    }

    static func requests() -> [Request] {
        // begin
        let news = Request.get("https://api.example.com/news").caching(for: .exactly(.seconds(60)))
        let offline = Request.get("https://api.example.com/news").caching(.onlyStored)
        let robust = Request.get("https://api.example.com/news").caching(.storedOnFailure)
        let search = Request.post("https://api.example.com/search", body: "oak")
            .caching(identifier: "search/oak").caching(for: .exactly(.seconds(600)))
        let added = Request.post("https://api.example.com/plants", body: "oak")
            .caching(invalidating: .identifierPrefix("search/"))
        // end
        return [news, offline, robust, search, added]
    }

    static func selective() -> CacheMiddleware {
        // begin
        let selective = CacheMiddleware(
            store: .memory(limit: .megabytes(50)),
            partition: .shared,
            storing: { metadata, request in
                guard request.path?.hasPrefix("/account") != true else { return nil }
                var metadata = metadata
                metadata.head.headerFields[.setCookie] = nil
                return metadata
            }
        )
        // end
        return selective
    }

    static func look(_ cache: CacheMiddleware) async throws {
        // begin
        if let state = try await cache.state(for: .get("https://api.example.com/plants")) {
            print(state.freshness, state.isUsable)
        }
        try await cache.remove(.identifierPrefix("search/"))
        try await cache.remove(.all)
        // end
    }

    static func tiered(in directory: URL) -> some CacheStore {
        // begin
        let store = BuiltInCacheStore.tiered(
            memory: .megabytes(20),
            over: .files(in: directory, limit: .megabytes(500))
        )
        // end
        return store
    }
}

@Suite("The documentation", .timeLimit(.minutes(10)))
struct DocumentationTests {
    @Test("The examples of the page are the code above, and they work")
    func page() async throws {
        let page = try Repository.text("Middleware/Cache/Cache.docc/Cache.md")
        let code = try String(contentsOfFile: #filePath, encoding: .utf8)
        #expect(lines(of: page, between: "```swift", and: "```") == lines(of: code, between: "// begin", and: "// end"))

        let transport = InMemoryTransport { _ in Response(.ok, headers: [.cacheControl: "max-age=60"], body: "oak") }
        let (cache, chain) = try await Page.send(transport, Page.Session(userName: "ada"))
        var hits: [Bool] = []
        for request in Page.requests() {
            let response = try await chain.send(request)
            #expect(try await response.body.text() == "oak")
            hits.append(response.cacheStatus?.isHit ?? false)
        }
        #expect(hits == [false, true, true, false, false])
        #expect(transport.requestCount == 4)
        try await Page.look(cache)
        #expect(try await cache.state(for: .get("https://api.example.com/news")) == nil)
    }

    @Test("What the page says about stored responses is so: what is refused is not stored, and no cookie is")
    func selective() async throws {
        let transport = InMemoryTransport { _ in
            Response(.ok, headers: [.cacheControl: "max-age=60", .setCookie: "a=1"], body: "oak")
        }
        let cache = Page.selective()
        let chain = try Chain(transport: transport) { cache }
        for path in ["account", "plants"] {
            _ = try await chain.send(.get("https://api.example.com/\(path)")).body.text()
        }
        let entries = try await cache.entries(.all)
        #expect(entries.map(\.key.url) == ["https://api.example.com/plants"])
        #expect(entries.allSatisfy { $0.response.metadata.head.headerFields[.setCookie] == nil })
    }

    @Test("Each test that the page names for a rule is there")
    func rules() throws {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let page = try Repository.text("Middleware/Cache/Cache.docc/Cache.md")
        var count = 0
        for line in page.components(separatedBy: "\n") {
            guard let test = line.components(separatedBy: " | ").last, test.hasPrefix("`"),
                let end = test.range(of: "Tests`: ")
            else { continue }
            let suite = test[..<end.lowerBound].dropFirst() + "Tests"
            let name = test[end.upperBound...].dropLast(" |".count)
            let code = try String(contentsOf: tests.appendingPathComponent("\(suite).swift"), encoding: .utf8)
            #expect(code.contains("\"\(name)\""), "\(line)")
            count += 1
        }
        #expect(count > 40)
    }

    @Test("The example of the stage works")
    func stage() async throws {
        let transport = InMemoryTransport { _ in Response(.ok, headers: [.cacheControl: "max-age=60"], body: "plants") }
        func print(_ text: String) { #expect(text.contains("nothing is stored for this URL")) }

        let cache = CacheMiddleware(store: .memory(limit: .megabytes(50)), partition: .shared)
        let chain = try Chain(transport: transport) { cache }
        let response = try await chain.send(.get("https://api.example.com/plants"))
        print(response.cacheStatus?.explanation ?? "")
    }

    /// The lines of the blocks between two marks, without their indentation.
    private func lines(of text: String, between begin: String, and end: String) -> [String] {
        var isInside = false
        var result: [String] = []
        for line in text.components(separatedBy: "\n") {
            let line = line.trimmingCharacters(in: .whitespaces)
            if line == begin {
                isInside = true
            } else if line == end {
                isInside = false
            } else if isInside {
                result.append(line)
            }
        }
        return result
    }
}
#endif
