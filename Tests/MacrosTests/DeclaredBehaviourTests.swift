#if AllTests && Macros
import Foundation
import HTTPChainInMemory
import HTTPChainMacros
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

/// A processor of the chain that reads what a declaration says of a call.
struct ZoneProcessor: RequestProcessor {
    func process(_ request: inout Request) async throws {
        guard let name = HTTPField.Name("X-Zone") else { return }
        request.headers[name] = request.options[Zone.self]
    }
}

/// What reaches the wire, the store and the stages.
@Service(base: "https://sheds.example/v1")
protocol ShedService {
    @GET("zone") @Option(Zone.self, "north")
    func zone() async throws

    @GET("zone")
    func nowhere() async throws

    @GET("sheds/{id}") @Caching(maxAge: .seconds(60), offline: true, identifier: "shed-{id}")
    func shed(id: Int) async throws -> String

    @GET("sheds/{id}") @Caching(maxAge: .seconds(60))
    func fresh(id: Int) async throws -> String

    @GET("balance") @Header("X-Account", from: "account") @Header("X-Zone", from: "zone") @Caching(maxAge: .seconds(60))
    func balance(account: String, zone: String?) async throws -> String

    @DELETE("sheds") @Caching(invalidating: .identifierPrefix("shed-"))
    func clear() async throws

    @POST("parts") @Multipart(boundary: "b")
    @Part("part", "list", "bytes", "text", "none", "id", "ids", "number", "ratio", "flag", "file")
    @Part("stream", from: "body")
    func parts(
        part: MultipartPart,
        list: [MultipartPart],
        bytes: Data,
        text: String?,
        none: String?,
        id: UUID,
        ids: [UUID]?,
        number: Int,
        ratio: Double,
        flag: Bool,
        file: URL,
        body: HTTPBody
    ) async throws

    @PUT("raw") @RawBody("bytes")
    func raw(bytes: Data) async throws

    @PUT("raw") @RawBody("file")
    func raw(file: URL) async throws

    @PUT("raw") @RawBody("body") @Header("Content-Type", from: "type")
    func raw(body: HTTPBody, type: String) async throws
}

@Suite("What a declared call sends, stores and says", .timeLimit(.minutes(10)))
struct DeclaredBehaviourTests {
    private let transport = InMemoryTransport()
    private let clock = VirtualClock()

    private func sheds() throws -> ShedServiceClient {
        let chain = try Chain(transport: transport, environment: .virtual(clock)) {
            StatusValidationMiddleware()
            URLBuilderMiddleware(base: "https://elsewhere.example")
            RequestProcessorMiddleware(ZoneProcessor())
            MultipartMiddleware()
            CacheMiddleware(store: .memory(limit: .megabytes(1)), partition: .shared)
        }
        return ShedServiceClient(chain: chain)
    }

    private func sent() throws -> RecordedRequest { try #require(transport.requests.last) }

    @Test("An option of the application's own reaches a processor of the chain")
    func option() async throws {
        transport.enqueue(.status(.noContent), times: 2)
        let name = try #require(HTTPField.Name("X-Zone"))
        try await sheds().zone()
        #expect(try sent().headers[name] == "north")
        try await sheds().nowhere()
        #expect(try sent().headers[name] == "none")
    }

    @Test("Offline, a stored answer that is stale is given where the server is out of reach")
    func offline() async throws {
        let sheds = try sheds()
        transport.enqueue([
            .text("stored"), .failure(.beforeConnect()), .failure(.beforeConnect()), .text("again"),
        ])
        #expect(try await sheds.shed(id: 7) == "stored")
        clock.advance(by: .seconds(59))
        #expect(try await sheds.shed(id: 7) == "stored")
        #expect(transport.requestCount == 1)
        clock.advance(by: .seconds(2))
        #expect(try await sheds.shed(id: 7) == "stored")
        #expect(transport.requestCount == 2)
        await #expect(throws: TransportError.self) { try await sheds.fresh(id: 7) }
        #expect(try await sheds.shed(id: 7) == "again")
        #expect(transport.requestCount == 4)
    }

    @Test("A stored answer is found by its identifier, and a call that succeeds removes it by that")
    func invalidates() async throws {
        let sheds = try sheds()
        transport.enqueue([
            .text("seven"), .text("eight"), .text("another"), .status(.noContent), .text("seven anew"),
            .text("eight anew"),
        ])
        #expect(try await sheds.shed(id: 7) == "seven")
        #expect(try await sheds.shed(id: 8) == "eight")
        // The same URL without the identifier is stored apart, and stays.
        #expect(try await sheds.fresh(id: 7) == "another")
        #expect(try await sheds.shed(id: 7) == "seven")
        try await sheds.clear()
        #expect(try await sheds.shed(id: 7) == "seven anew")
        #expect(try await sheds.shed(id: 8) == "eight anew")
        #expect(try await sheds.fresh(id: 7) == "another")
        #expect(transport.requestCount == 6)
    }

    @Test("A stored answer is given only to calls with the same parameters in their header fields")
    func headerParameters() async throws {
        let sheds = try sheds()
        transport.enqueue([.text("of ada"), .text("of bob"), .text("of bob in the north")])
        for _ in 0..<2 {
            #expect(try await sheds.balance(account: "ada") == "of ada")
            #expect(try await sheds.balance(account: "bob") == "of bob")
            #expect(try await sheds.balance(account: "bob", zone: "north") == "of bob in the north")
        }
        #expect(transport.requestCount == 3)
    }

    @Test("Parts of each kind are on the wire as they are meant")
    func parts() async throws {
        let scratch = try ScratchDirectory.created()
        let file = try scratch.file("note.txt", Data("a file".utf8))
        let id = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
        transport.enqueue(.status(.created))
        try await sheds().parts(
            part: .data("named", Data("<b>".utf8), fileName: "b.html", contentType: "text/html"),
            list: [MultipartPart(fileName: "1.txt", body: "one"), .text("second", 2)],
            bytes: Data("bytes".utf8),
            text: "água",
            none: nil,
            id: id,
            ids: [id],
            number: -3,
            ratio: 0.5,
            flag: true,
            file: file,
            body: "stream"
        )
        let octets = "Content-Type: application/octet-stream"
        let expected: [(head: [String], text: String)] = [
            (["name=\"named\"; filename=\"b.html\"", "Content-Type: text/html"], "<b>"),
            (["name=\"list\"; filename=\"1.txt\""], "one"),
            (["name=\"second\""], "2"),
            (["name=\"bytes\"", octets], "bytes"),
            (["name=\"text\""], "água"),
            (["name=\"id\""], id.uuidString),
            (["name=\"ids\""], id.uuidString),
            (["name=\"number\""], "-3"),
            (["name=\"ratio\""], "0.5"),
            (["name=\"flag\""], "true"),
            (["name=\"file\"; filename=\"note.txt\"", "Content-Type: text/plain"], "a file"),
            (["name=\"stream\"", octets], "stream"),
        ]
        let wire = expected.map { head, text in
            "--b\r\nContent-Disposition: form-data; \(head.joined(separator: "\r\n"))\r\n\r\n\(text)\r\n"
        }
        #expect(try sent().text == wire.joined() + "--b--\r\n")
        #expect(try sent().headers[.contentType] == "multipart/form-data; boundary=b")
    }

    @Test("A raw body is sent as it is: bytes, a file, a body of any kind")
    func rawBodies() async throws {
        let scratch = try ScratchDirectory.created()
        let file = try scratch.file("raw.bin", Data([0, 1, 0xFF]))
        transport.enqueue(.status(.noContent), times: 3)
        try await sheds().raw(bytes: Data([0xFF, 0]))
        #expect(try sent().body == Data([0xFF, 0]) && sent().headers[.contentType] == nil)
        try await sheds().raw(file: file)
        #expect(try sent().body == Data([0, 1, 0xFF]))
        try await sheds().raw(body: "text", type: "text/x-note")
        #expect(try sent().text == "text" && sent().headers[.contentType] == "text/x-note")
    }
}
#endif
