#if AllTests
import Foundation
import HTTPChain
import HTTPTypes
import TestSupport
import Testing

#if AsyncHTTPClient
import HTTPChainAsyncHTTPClient
#endif

@Suite("Against nginx over TLS", .heavy, .timeLimit(.minutes(10)))
struct TLSTests {
    @Test("A server of a trusted authority answers, over HTTP/2 to who speaks it", arguments: Carrier.trusting)
    func get(carrier: Carrier) async throws {
        guard let base = Server.tls.base() else { return }
        let chain = try carrier.secureChain(to: base)
        for _ in 0..<3 {
            let text = try await chain.send(.get("/")).body.text()
            #expect(text.hasPrefix("HTTP/"))
            #expect(text.contains("TLSv1."))
            #if AsyncHTTPClient
            if carrier == .asyncHTTPClient { #expect(text.hasPrefix("HTTP/2.0")) }
            #endif
        }
    }

    @Test("What is streamed up arrives whole", arguments: Carrier.trusting)
    func upload(carrier: Carrier) async throws {
        guard let base = Server.tls.base() else { return }
        let chain = try carrier.secureChain(to: base)
        let path = "/stored/\(UUID().uuidString).bin"
        let chunks = (0..<80).map { Data(repeating: UInt8($0), count: 65_536) }
        let stream = AsyncStream { continuation in
            for chunk in chunks { continuation.yield(chunk) }
            continuation.finish()
        }
        #expect(try await chain.send(.put(path, body: .once(chunks: stream))).status == .created)
        let stored = try await chain.send(.get(path)).body.collect(upTo: .mebibytes(8))
        #expect(stored == chunks.reduce(into: Data()) { $0 += $1 })
    }

    @Test("A hundred megabytes come down in order", arguments: Carrier.trusting)
    func download(carrier: Carrier) async throws {
        guard let base = Server.tls.base() else { return }
        let response = try await carrier.secureChain(to: base).send(.get("/stored/large.bin"))
        #expect(response.body.length == 104_857_600)
        var count = 0
        for try await chunk in response.body {
            count += chunk.count
            #expect(chunk.allSatisfy { $0 == 0 })
        }
        #expect(count == 104_857_600)
    }

    @Test(
        "A certificate that is untrusted, expired or another host's ends the call before anything is sent",
        arguments: Carrier.allCases,
        [Server.stranger, .expired, .elsewhere]
    )
    func certificates(carrier: Carrier, server: Server) async throws {
        guard let base = server.base() else { return }
        let chain = try carrier.secureChain(to: base)
        let error = try #require(
            await #expect(throws: TransportError.self) { try await chain.send(.post("/", body: "hunter2")) }
        )
        #expect(error.kind == .untrustedServer)
        #expect(error.sent == .nothing)
    }

    @Test(
        "A connection that ends in its handshake has sent nothing",
        arguments: Carrier.allCases,
        [Server.cutAtHello, .cutInHandshake]
    )
    func handshake(carrier: Carrier, server: Server) async throws {
        guard let base = server.base() else { return }
        let chain = try carrier.secureChain(to: base)
        let error = try #require(
            await #expect(throws: TransportError.self) { try await chain.send(.post("/", body: "hunter2")) }
        )
        #expect([.secureConnectionFailed, .cannotConnect, .connectionLost].contains(error.kind), "\(error)")
        #expect(error.sent == .nothing, "\(error)")
    }

    @Test("A connection that is reset as soon as it was accepted has not answered", arguments: Carrier.allCases)
    func reset(carrier: Carrier) async throws {
        guard let base = Server.cutAtAccept.base() else { return }
        let chain = try carrier.secureChain(to: base)
        let error = try #require(
            await #expect(throws: TransportError.self) { try await chain.send(.post("/", body: "hunter2")) }
        )
        #expect([.secureConnectionFailed, .cannotConnect, .connectionLost].contains(error.kind), "\(error)")
        // Some resets are told in the words for one in the middle of an exchange: then nobody knows what was sent.
        #expect(error.sent == .nothing || (error.sent == .maybe && error.kind == .connectionLost), "\(error)")
    }

    @Test(
        "A connection that ends when the request was sent, and nothing was answered, may have sent it",
        arguments: Carrier.trusting,
        [Request.get("/"), .post("/", body: "hunter2")]
    )
    func cutAnswer(carrier: Carrier, request: Request) async throws {
        guard let base = Server.cutWhenAsked.base() else { return }
        let chain = try carrier.secureChain(to: base)
        let error = try #require(await #expect(throws: TransportError.self) { try await chain.send(request) })
        #expect(error.kind == .connectionLost, "\(error)")
        #expect(error.sent == .maybe, "\(error)")
    }

    @Test("A connection that ends in an upload may have sent it", arguments: Carrier.trusting)
    func cutUpload(carrier: Carrier) async throws {
        guard let base = Server.cutInUpload.base() else { return }
        let chain = try carrier.secureChain(to: base)
        let path = "/stored/\(UUID().uuidString).bin"
        let body = HTTPBody(Data(repeating: 1, count: 4_000_000))
        let error = try #require(
            await #expect(throws: TransportError.self) { try await chain.send(.put(path, body: body)) }
        )
        #expect(error.kind == .connectionLost, "\(error)")
        #expect(error.sent == .maybe, "\(error)")
    }

    @Test("A connection that ends in a download is an error, not the end", arguments: Carrier.trusting)
    func cutDownload(carrier: Carrier) async throws {
        guard let base = Server.cutInDownload.base() else { return }
        let response = try await carrier.secureChain(to: base).send(.get("/stored/large.bin"))
        var count = 0
        let error = try #require(
            await #expect(throws: TransportError.self) {
                for try await chunk in response.body { count += chunk.count }
            }
        )
        #expect([.connectionLost, .truncatedBody].contains(error.kind), "\(error)")
        #expect(error.sent == .answered, "\(error)")
        #expect(count < 3_000_000)
    }
}

extension Carrier {
    /// Those that can be told to trust the tests' own authority.
    ///
    /// URLSession on Linux trusts the file of the system, and nothing else: it is among them when the script `trusting`
    /// runs the tests.
    static let trusting: [Carrier] = {
        #if canImport(Darwin)
        return allCases
        #else
        let file = ProcessInfo.processInfo.environment["HTTPCHAIN_TLS_AUTHORITY"] ?? ""
        let authority = try? String(contentsOfFile: file, encoding: .utf8)
        let system = try? String(contentsOfFile: "/etc/ssl/certs/ca-certificates.crt", encoding: .utf8)
        return allCases.filter { $0 != .urlSession || (authority != nil && authority == system) }
        #endif
    }()

    /// A chain that trusts the tests' own authority, and no other, where it can be told to.
    fileprivate func secureChain(to base: String) throws -> Chain {
        try Chain([URLBuilderMiddleware(base: base)], transport: try secureTransport())
    }

    /// A transport with its own connections, which trusts the tests' own authority, where it can be told to.
    func secureTransport() throws -> any Transport {
        let authority = try #require(ProcessInfo.processInfo.environment["HTTPCHAIN_TLS_AUTHORITY"])
        var settings = ConnectionSettings()
        settings.trust = .roots(pem: try String(contentsOfFile: authority, encoding: .utf8))
        switch self {
        case .urlSession:
            #if canImport(Darwin)
            return try URLSessionTransport(connection: settings)
            #else
            return URLSessionTransport(configuration: URLSessionTransport.Configuration())
            #endif
        #if AsyncHTTPClient
        case .asyncHTTPClient: return try AsyncHTTPClientTransport(connection: settings)
        #endif
        }
    }
}
#endif
