#if AllTests
import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPChainTesting
import HTTPChainURLSession
import HTTPTypes
import TestSupport
import Testing

#if AsyncHTTPClient
import HTTPChainAsyncHTTPClient
#endif

/// The transports that go over a network.
enum Carrier: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case urlSession
    #if AsyncHTTPClient
    case asyncHTTPClient
    #endif

    var testDescription: String { rawValue }

    func make() -> any Transport {
        switch self {
        case .urlSession: patientTransport
        #if AsyncHTTPClient
        case .asyncHTTPClient: AsyncHTTPClientTransport()
        #endif
        }
    }
}

/// A cache in files, in a chain over a real transport to a server on the loopback interface.
private struct Line: Sendable {
    let clock = VirtualClock()
    let directory = ScratchDirectory()
    let revalidator = CacheRevalidator()
    let server: LoopbackServer
    /// How often a client left before the end.
    let left: Counter
    let store: FileCacheStore
    let chain: Chain

    init(_ carrier: Carrier, _ server: LoopbackServer, _ left: Counter) throws {
        self.server = server
        self.left = left
        store = FileCacheStore(directory: directory.url, bounds: CacheBounds(totalBytes: .megabytes(200)))
        let cache = CacheMiddleware(store: store, revalidator: revalidator)
        chain = try Chain([cache], transport: carrier.make(), environment: .virtual(clock))
    }

    func ask(_ path: String, _ headers: HTTPFields = [:]) async throws -> (response: Response, content: Data) {
        let response = try await chain.send(.get(server.url(path), headers: headers))
        return (response, try await response.body.collect(upTo: .mebibytes(64)))
    }

    /// Waits until what was written of a response that was not stored is removed.
    func waitForRemoval() async throws {
        try await until("what was written to be removed") {
            !directory.names.contains { $0.hasSuffix(".tmp") || $0.hasSuffix(".body") }
        }
    }

    /// Reads the first chunk of a response, and drops it.
    func readFirstChunk(of path: String) async throws {
        let response = try await chain.send(.get(server.url(path)))
        var chunks = response.body.makeAsyncIterator()
        #expect(try await chunks.next() != nil)
    }

    func pass(_ seconds: Int) { clock.advance(by: .seconds(seconds)) }

    /// How often the server was asked.
    var count: Int { server.records.count }

    /// A field of the last request that the server has seen.
    func last(_ name: String) -> [String] { server.records.last?.request.values(name) ?? [] }
}

/// Waits for a server of the test's own as long as a busy machine needs.
private let patientTransport = URLSessionTransport(configuration: .init(requestTimeout: .seconds(600)))

@Suite("A cache over real transports", .heavy, .timeLimit(.minutes(10)))
struct TransportTests {
    private static let file = content(1, 1_000_000)

    private static func answer(_ exchange: LoopbackExchange, _ left: Counter) async throws {
        let request = exchange.request
        let fresh = ("Cache-Control", "max-age=60")
        let tag = ("ETag", "\"1\"")
        switch request.target {
        case "/page":
            if request.values("If-None-Match") == ["\"1\""] {
                return try await exchange.reply(304, fields: [fresh, tag, ("X-Test", "validated")])
            }
            let cookies = [("Set-Cookie", "a=1; Path=/"), ("Set-Cookie", "b=2; Path=/")]
            try await exchange.reply(200, fields: [fresh, tag] + cookies, body: Data("page".utf8))
        case "/vary":
            let language = request.values("Accept-Language").joined()
            try await exchange.reply(
                200,
                fields: [fresh, tag, ("Vary", "Accept-Language")],
                body: Data("in \(language)".utf8)
            )
        case "/file":
            guard let range = request.values("Range").first else {
                return try await exchange.reply(200, fields: [fresh, tag], body: file)
            }
            let ends = range.dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) }
            let (first, last) = (ends.first ?? 0, ends.dropFirst().first ?? file.count - 1)
            let fields = [fresh, tag, ("Content-Range", "bytes \(first)-\(last)/\(file.count)")]
            try await exchange.reply(206, fields: fields, body: file[first...last])
        case "/cut":
            try await exchange.writeHead(200, [fresh, ("Content-Length", "\(file.count)")])
            try await exchange.write(file.prefix(300_000))
            await exchange.close()
        case "/reset":
            try await exchange.writeHead(200, [fresh, ("Content-Length", "\(file.count)")])
            try await exchange.write(file.prefix(300_000))
            await exchange.reset()
        case "/chunks":
            try await exchange.beginChunks(fields: [fresh])
            try await exchange.writeChunk(file.prefix(300_000))
            await exchange.close()
        case "/endless":
            try await exchange.beginChunks(fields: [fresh])
            try await exchange.writeUntilPeerCloses(Data("10000\r\n".utf8) + file.prefix(65_536) + Data("\r\n".utf8))
            left.add()
        case "/robust":
            let fields = [("Cache-Control", "max-age=60, stale-if-error=600")]
            try await exchange.reply(200, fields: fields, body: Data("robust".utf8))
        case "/strict":
            let fields = [("Cache-Control", "max-age=60, must-revalidate"), tag]
            try await exchange.reply(200, fields: fields, body: Data("strict".utf8))
        case "/relaxed":
            let fields = [("Cache-Control", "max-age=60, stale-while-revalidate=600")]
            let number = exchange.request.values("If-None-Match").isEmpty ? "relaxed" : "asked with a tag"
            try await exchange.reply(200, fields: fields, body: Data(number.utf8))
        default:
            try await exchange.reply(404)
        }
    }

    private func talk(over carrier: Carrier, _ work: (Line) async throws -> Void) async throws {
        let left = Counter()
        let server = try await LoopbackServer.start { try await Self.answer($0, left) }
        do {
            let line = try Line(carrier, server, left)
            try await work(line)
            await line.revalidator.shutdown()
            await server.stop()
        } catch {
            await server.stop()
            throw error
        }
    }

    @Test("What is fresh is not asked for; what is stale is validated, and is fresh again", arguments: Carrier.allCases)
    func validation(carrier: Carrier) async throws {
        try await talk(over: carrier) { line async throws in
            let first = try await line.ask("/page")
            #expect(first.content == Data("page".utf8) && first.response.cacheStatus?.isStored == true)
            let second = try await line.ask("/page")
            #expect(second.content == first.content && second.response.cacheStatus?.isHit == true && line.count == 1)
            #expect(second.response.headers[.age] == "0")
            #expect(second.response.headers[values: .setCookie] == ["a=1; Path=/", "b=2; Path=/"])
            let head = try await line.chain.send(.head(line.server.url("/page")))
            #expect(head.status == .ok && head.headers[.eTag] == "\"1\"" && line.count == 1)
            line.pass(61)
            let third = try await line.ask("/page")
            #expect(third.response.status == .ok && third.content == first.content && line.count == 2)
            #expect(third.response.cacheStatus?.reason == .validated && line.last("If-None-Match") == ["\"1\""])
            #expect(third.response.headers[.xTest] == "validated")
            #expect(try await line.ask("/page").response.cacheStatus?.isHit == true && line.count == 2)
            // A 304 that the caller asked for is the caller's.
            line.pass(61)
            let own = try await line.ask("/page", [.ifNoneMatch: "\"1\""])
            #expect(own.response.status == .notModified && own.content.isEmpty && line.count == 3)
        }
    }

    @Test("Variants are told apart", arguments: Carrier.allCases)
    func vary(carrier: Carrier) async throws {
        try await talk(over: carrier) { line async throws in
            for (language, count) in [("de", 1), ("en", 2), ("de", 2), ("en", 2), ("fr", 3)] {
                let (_, content) = try await line.ask("/vary", [.acceptLanguage: language])
                #expect(String(decoding: content, as: UTF8.self) == "in \(language)")
                #expect(line.count == count, "\(language)")
            }
        }
    }

    @Test("Ranges are served from what is complete, and parts become the whole", arguments: Carrier.allCases)
    func ranges(carrier: Carrier) async throws {
        try await talk(over: carrier) { line async throws in
            let whole = try await line.ask("/file")
            #expect(whole.content == Self.file)
            let table: [(String, Range<Int>)] = [
                ("bytes=10-19", 10..<20), ("bytes=999990-", 999_990..<1_000_000),
                ("bytes=-5", 999_995..<1_000_000), ("bytes=65000-66000", 65_000..<66_001),
            ]
            for (range, expected) in table {
                let (response, content) = try await line.ask("/file", [.range: range])
                #expect(response.status == .partialContent && content == Self.file[expected], "\(range)")
                let field = "bytes \(expected.lowerBound)-\(expected.upperBound - 1)/1000000"
                #expect(response.headers[.contentRange] == field)
            }
            #expect(line.count == 1)
            try await line.store.remove(.all)
            for range in ["bytes=400000-699999", "bytes=0-399999", "bytes=700000-"] {
                #expect(try await line.ask("/file", [.range: range]).response.status == .partialContent)
            }
            #expect(line.count == 4)
            let (response, content) = try await line.ask("/file")
            #expect(response.status == .ok && content == Self.file && line.count == 4)
        }
    }

    @Test(
        "A transfer that breaks fails, and is not stored",
        arguments: Carrier.allCases,
        ["/cut", "/reset", "/chunks"]
    )
    func broken(carrier: Carrier, path: String) async throws {
        try await talk(over: carrier) { line async throws in
            for count in 1...2 {
                await #expect(throws: (any Error).self) { try await line.ask(path) }
                // A transport may try a broken connection again.
                #expect(line.count >= count)
            }
            #expect(try await line.store.usage() == CacheUsage())
            try await line.waitForRemoval()
        }
    }

    @Test("A caller who leaves ends the transfer, and nothing is stored", arguments: Carrier.allCases)
    func left(carrier: Carrier) async throws {
        try await talk(over: carrier) { line async throws in
            try await line.readFirstChunk(of: "/endless")
            try await line.left.wait(until: 1)
            #expect(try await line.store.usage() == CacheUsage())
            try await line.waitForRemoval()
        }
    }

    @Test("A caller who leaves before the end of what would be stored has stored nothing", arguments: Carrier.allCases)
    func leftHalfway(carrier: Carrier) async throws {
        try await talk(over: carrier) { line async throws in
            try await line.readFirstChunk(of: "/file")
            try await line.waitForRemoval()
            #expect(try await line.store.usage() == CacheUsage())
            // The same file is stored by who stays.
            #expect(try await line.ask("/file").content == Self.file && line.count == 2)
            #expect(try await line.store.usage().entries == 1)
        }
    }

    @Test("When the server is gone what is stored answers where it may", arguments: Carrier.allCases)
    func gone(carrier: Carrier) async throws {
        try await talk(over: carrier) { line async throws in
            for path in ["/robust", "/strict"] { _ = try await line.ask(path) }
            await line.server.stop()
            #expect(try await line.ask("/robust").response.cacheStatus?.isHit == true)
            line.pass(61)
            let stale = try await line.ask("/robust")
            #expect(stale.content == Data("robust".utf8) && stale.response.cacheFailure is TransportError)
            #expect(try await line.ask("/strict").response.status == .gatewayTimeout)
            await #expect(throws: TransportError.self) { try await line.ask("/unknown") }
        }
    }

    @Test("A stale answer at once, and the server is asked behind it", arguments: Carrier.allCases)
    func background(carrier: Carrier) async throws {
        try await talk(over: carrier) { line async throws in
            _ = try await line.ask("/relaxed")
            line.pass(61)
            let stale = try await line.ask("/relaxed")
            #expect(stale.response.cacheStatus?.reason == .staleWhileRevalidate)
            try await line.revalidator.waitUntilIdle()
            #expect(line.count == 2)
            let (response, _) = try await line.ask("/relaxed")
            #expect(response.cacheStatus?.reason == .fresh && line.count == 2)
        }
    }

    @Test("What came over the wire is there in the next run, byte for byte", arguments: Carrier.allCases)
    func nextRun(carrier: Carrier) async throws {
        try await talk(over: carrier) { line async throws in
            let first = try await line.ask("/file")
            let store = FileCacheStore(directory: line.directory.url, bounds: CacheBounds(totalBytes: .megabytes(200)))
            let chain = try Chain(
                [CacheMiddleware(store: store)],
                transport: carrier.make(),
                environment: .virtual(line.clock)
            )
            let second = try await chain.send(.get(line.server.url("/file")))
            #expect(second.cacheStatus?.isHit == true && line.count == 1)
            #expect(second.headers[.eTag] == first.response.headers[.eTag])
            #expect(try await second.body.collect() == Self.file)
        }
    }
}
#endif
