import HTTPChain
import HTTPChainInMemory
import Testing

@Suite("The stages together")
struct TogetherTests {
    private struct Plant: Codable, Equatable, Sendable {
        var name: String
    }

    private func chain(_ transport: InMemoryTransport) throws -> Chain {
        try Chain(transport: transport) {
            SerializerMiddleware(.json)
            StatusValidationMiddleware()
            URLBuilderMiddleware(base: "https://api.example.com/v2?key=hunter2")
            HeadersMiddleware([.authorization: "Bearer hunter2"])
            GzipMiddleware(requests: .standard)
        }
    }

    @Test("The stages send a value there and back, encoded and compressed on the way")
    func roundTrip() async throws {
        let transport = InMemoryTransport { request in
            #expect(request.head.headerFields[.contentType] == "application/json")
            #expect(request.head.headerFields[.contentEncoding] == "gzip")
            return Response(
                .ok,
                headers: [.contentType: "application/json", .contentEncoding: "gzip"],
                body: request.body
            )
        }
        let plant = Plant(name: String(repeating: "fern ", count: 1000))
        let echoed = try await chain(transport).send(.post("plants", body: .value(plant)), as: Plant.self)
        #expect(echoed == plant)
    }

    @Test("The stages name the URL that was sent in an error, and no secret")
    func statusError() async throws {
        let transport = InMemoryTransport { _ in Response(.notFound, body: #"{"code":7,"token":"hunter2"}"#) }
        let error = await #expect(throws: StatusError.self) {
            try await chain(transport).send(.get("plants/{id}", path: ["id": 7]), as: Plant.self)
        }
        let text = "\(try #require(error))"
        #expect(text.contains("GET https://api.example.com/v2/plants/7?key=<redacted> → 404"), "\(text)")
        #expect(text.contains(#""code":7"#), "\(text)")
        #expect(!text.contains("hunter2"), "\(text)")
    }

    @Test("The stages name it in a decoding failure, too")
    func decodingFailure() async throws {
        let transport = InMemoryTransport { _ in
            Response(.ok, headers: [.contentType: "application/json"], body: #"{"nome":"fern"}"#)
        }
        let error = await #expect(throws: DecodingFailure.self) {
            try await chain(transport).send(.get("plants/{id}", path: ["id": 7]), as: Plant.self)
        }
        #expect(error?.codingPath == "name")
        #expect(error?.exchange?.url == "https://api.example.com/v2/plants/7?key=<redacted>")
    }
}
