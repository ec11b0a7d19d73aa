#if AllTests && AsyncHTTPClient
import AsyncHTTPClient
import Foundation
import HTTPChainAsyncHTTPClient
import HTTPChainAuthDigest
import HTTPChainCore
import HTTPChainRedirect
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@Suite("The bytes of fields that are not UTF-8", .timeLimit(.minutes(10)))
struct FieldBytesTests {
    /// Reads a response in pieces, decodes it as SwiftNIO does, and restores the bytes.
    private static func readBack(_ pieces: [[UInt8]]) -> [UInt8] {
        var fields = FieldBytes()
        let read = pieces.flatMap { fields.replacement(for: $0) ?? $0 }
        let decoded = String(decoding: read, as: UTF8.self)
        return FieldBytes.original(decoded.utf8) ?? Array(decoded.utf8)
    }

    private static let samples: [[UInt8]] = [
        [], [0x61], [0x80], [0xE9], [0xFF, 0xFE], [0xC3, 0xA9], [0xC3], [0xC0, 0xAF], [0xF5],
        [0xE2, 0x82, 0xAC], [0xE2, 0x82], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80],
        [0xF0, 0x9F, 0x8C, 0xBF], [0xF0, 0x9F, 0x8C],
        [0xEE, 0xBE, 0x80], [0xEE, 0xBF, 0xBF], [0xEE, 0xBD, 0xBF],
    ]

    @Test("Every field value has its bytes again, wherever the network divides it")
    func divided() {
        for one in Self.samples {
            for other in Self.samples {
                let head = Array("HTTP/1.1 200 OK\r\nX: ".utf8) + one + other + Array("\r\nY: ".utf8) + other
                let whole = head + Array("\r\n\r\n".utf8)
                #expect(Self.readBack([whole]) == whole)
                for cut in head.indices {
                    #expect(Self.readBack([Array(whole[..<cut]), Array(whole[cut...])]) == whole)
                }
                #expect(Self.readBack(whole.map { [$0] }) == whole)
            }
        }
    }

    @Test("Content is left unchanged, and interim heads are followed by another head")
    func content() {
        var fields = FieldBytes()
        let interim = Array("\r\nHTTP/1.1 103 Early Hints\r\nLink: \u{E9}\r\n\r\n".utf8)
        #expect(fields.replacement(for: interim) == interim)
        let final = Array("HTTP/1.1 200 OK\r\nX: ".utf8) + [0xE9] + Array("\r\n\r\n".utf8)
        let replaced = fields.replacement(for: final + [0xE9, 0xEE, 0xBE, 0x80])
        #expect(replaced?.suffix(4) == [0xE9, 0xEE, 0xBE, 0x80])
        #expect(replaced.flatMap { FieldBytes.original($0.dropLast(4)) } == final)
        #expect(fields.replacement(for: [0xE9]) == nil)
        var plain = FieldBytes()
        #expect(plain.replacement(for: Array("HTTP/1.1 200 OK\r\n\r\n".utf8)) == nil)
    }

    @Test("A redirect to an ISO 8859-1 location keeps its bytes, again on the same connection")
    func location() async throws {
        let server = try await LoopbackServer.start { exchange in
            guard exchange.request.target.hasPrefix("/caf") else {
                let head = Array("HTTP/1.1 302 Found\r\nLocation: /caf".utf8) + [0xE9]
                exchange.keepConnection()
                return try await exchange.write(Data(head + Array("\r\nContent-Length: 1\r\n\r\n".utf8) + [0xE9]))
            }
            try await exchange.reply(200, body: Data(exchange.request.target.utf8))
        }
        let chain = try Chain(transport: AsyncHTTPClientTransport(configuration: .init())) { RedirectMiddleware() }
        for _ in 1...3 {
            #expect(try await chain.send(.get(server.url())).body.text() == "/caf%E9")
        }
        await server.stop()
    }

    @Test("A realm in ISO 8859-1 is hashed and sent as it came")
    func realm() async throws {
        let realm: [UInt8] = Array("G".utf8) + [0xE4] + Array("rten".utf8)
        let server = try await LoopbackServer.start { exchange in
            guard !exchange.request.values("Authorization").isEmpty else {
                let head = Array("HTTP/1.1 401 No\r\nWWW-Authenticate: Digest realm=\"".utf8) + realm
                let rest = Array("\", nonce=\"n\", algorithm=MD5\r\nContent-Length: 0\r\n\r\n".utf8)
                exchange.keepConnection()
                return try await exchange.write(Data(head + rest))
            }
            try await exchange.reply(200, body: exchange.request.bytes)
        }
        let chain = try Chain(transport: AsyncHTTPClientTransport(configuration: .init())) {
            DigestAuthMiddleware(user: "ada", password: "p", for: server.url())
        }
        let sent = try await chain.send(.get(server.url("/x"))).body.collect()
        let text = String(decoding: sent, as: UTF8.self)
        #expect(sent.range(of: Data(Array("realm=\"".utf8) + realm + Array("\"".utf8))) != nil, "\(text)")
        // MD5(MD5(ada:Gärten:p):n:MD5(GET:/x)) over these bytes, computed by Python's hashlib.
        #expect(text.contains("response=\"fb0110a3878dec0181b6aa28298ba198\""), "\(text)")
        await server.stop()
    }

    // MARK: - Private characters

    private static let latin1 = HTTPField.Name("X-L")
    private static let privateUse = HTTPField.Name("X-P")

    /// A request with a byte that isn't UTF-8 in one field, and the private character U+EF80 in two others.
    private static func request(to url: String) throws -> Request {
        var request = Request.get(url)
        request.headers.append(HTTPField(name: try #require(latin1), value: [0x63, 0x61, 0x66, 0xE9]))
        request.headers.append(HTTPField(name: try #require(privateUse), value: "\u{EF80}"))
        request.headers[.cookie] = "a=\u{EF80}"
        return request
    }

    private static func bytes(of name: HTTPField.Name?, in response: Response) -> [UInt8]? {
        response.headers.first { $0.name == name }?.withUnsafeBytesOfValue { Array($0) }
    }

    enum Client: CaseIterable {
        case own, standardOfCaller, plainOfCaller

        func make() -> HTTPClient? {
            switch self {
            case .own: nil
            case .standardOfCaller: HTTPClient(configuration: AsyncHTTPClientTransport.standardConfiguration)
            case .plainOfCaller: HTTPClient(configuration: .init())
            }
        }
    }

    private static func exchange(
        over transport: AsyncHTTPClientTransport,
        of client: Client,
        with server: LoopbackServer
    ) async throws {
        let response = try await transport.send(request(to: server.url()))
        let replacement: [UInt8] = [0xEF, 0xBF, 0xBD]
        let sent = Array("X-L: caf".utf8) + (client == .own ? [0xE9] : replacement) + Array("\r\n".utf8)
        let text = Array("caf".utf8) + (client == .plainOfCaller ? replacement : [0xE9])
        #expect(bytes(of: latin1, in: response) == text)
        #expect(bytes(of: privateUse, in: response) == [0xEE, 0xBE, 0x80])
        #expect(response.headers.count == 3, "\(response.headers)")
        let received = try await response.body.collect()
        for line in [sent, Array("X-P: \u{EF80}\r\n".utf8), Array("Cookie: a=\u{EF80}\r\n".utf8)] {
            #expect(received.range(of: Data(line)) != nil, "\(received)")
        }
        #expect(received.range(of: Data("HTTPChain".utf8)) == nil)
    }

    @Test(
        "A private character stands for itself over each client, and other bytes are kept if the client has the handlers",
        arguments: Client.allCases
    )
    func privateCharacters(client: Client) async throws {
        let server = try await LoopbackServer.start { exchange in
            let fields = Array("X-L: caf".utf8) + [0xE9] + Array("\r\nX-P: \u{EF80}\r\n".utf8)
            let request = exchange.request.bytes
            let length = Array("HTTP/1.1 200 OK\r\nContent-Length: \(request.count)\r\n".utf8)
            exchange.keepConnection()
            try await exchange.write(Data(length + fields + Array("\r\n".utf8)) + request)
        }
        let foreign = client.make()
        let transport =
            foreign.map { AsyncHTTPClientTransport(client: $0) } ?? AsyncHTTPClientTransport(configuration: .init())
        do {
            for _ in 1...2 { try await Self.exchange(over: transport, of: client, with: server) }
        } catch {
            Issue.record(error)
        }
        try await foreign?.shutdown()
        await server.stop()
    }

    @Test("A private character stands for itself over HTTP/2, too", .enabled(if: TLSFixture.isAvailable))
    func overHTTP2() async throws {
        let (server, transport) = try await HTTP2Server.start()
        let response = try await transport.send(Self.request(to: "https://localhost:\(server.port)/fields"))
        #expect(Self.bytes(of: Self.privateUse, in: response) == [0xEE, 0xBE, 0x80])
        #expect(try await response.body.text() == "caf\u{FFFD},\u{EF80},a=\u{EF80}")
        try await server.stop()
    }
}
#endif
