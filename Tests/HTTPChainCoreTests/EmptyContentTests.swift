import Foundation
import HTTPChainCore
import HTTPChainSupport
import HTTPTypes
import TestSupport
import Testing

private struct Plant: Codable, Sendable, Hashable {
    var name: String
}

private func chain(_ response: Response) throws -> Chain {
    try Chain(transport: ClosureTransport(answering: response))
}

private let url = "https://api.example.com/plants"

@Suite("Responses without content")
struct EmptyContentTests {
    @Test("The answer to CONNECT ends with its head when it succeeds")
    func connect() {
        #expect(HTTPResponse(status: .ok).endsWithHead(answering: .connect))
        #expect(!HTTPResponse(status: .forbidden).endsWithHead(answering: .connect))
    }

    @Test("An optional type is nil for 204, for no bytes, for HEAD and for null")
    func optional() async throws {
        #expect(try await chain(Response(.noContent)).send(.get(url), as: Plant?.self) == nil)
        #expect(try await chain(Response(.ok)).send(.get(url), as: Plant?.self) == nil)
        #expect(try await chain(Response(.ok, body: .once(chunks: NoChunks()))).send(.get(url), as: Plant?.self) == nil)
        #expect(try await chain(Response(.ok, body: "null")).send(.get(url), as: Plant?.self) == nil)
        let head = Response(.ok, headers: [.contentLength: "20"])
        #expect(try await chain(head).send(.head(url), as: Plant?.self) == nil)
        let plant = try await chain(Response(.ok, body: #"{"name":"Fern"}"#)).send(.get(url), as: Plant?.self)
        #expect(plant == Plant(name: "Fern"))
    }

    @Test("EmptyResponse takes no content and any content")
    func emptyResponse() async throws {
        for body: HTTPBody in [.empty, "OK", #"{"a":1}"#] {
            let value = try await chain(Response(.ok, body: body)).send(.delete(url), as: EmptyResponse.self)
            #expect(value == EmptyResponse())
        }
        #expect(String(decoding: try JSONEncoder().encode(EmptyResponse()), as: UTF8.self) == "{}")
    }

    @Test("A type that has no value for it is an error that says what to ask for")
    func required() async throws {
        let error = try await #require(throws: DecodingFailure.self) {
            try await chain(Response(.noContent)).send(.get(url), as: Plant.self)
        }
        #expect(error.description.contains("there is no content; request Plant? or EmptyResponse"))
        #expect(error.description.contains("GET https://api.example.com/plants"))
        #expect(error.status == .noContent)
    }

    @Test("A value that a stage decoded is given as the type asked for, nil included")
    func decodedByStage() async throws {
        func decoding(_ value: any Sendable) throws -> Chain {
            try Chain(transport: ClosureTransport(answering: Response(.ok))) {
                ClosureMiddleware { request, next in
                    var response = try await next(request)
                    response.options[DecodedValueFact.self] = value
                    return response
                }
            }
        }
        #expect(try await decoding(Plant?.none as any Sendable).send(.get(url), as: Plant?.self) == nil)
        #expect(try await decoding(Plant(name: "a")).send(.get(url), as: Plant?.self) == Plant(name: "a"))
        #expect(try await decoding(Plant(name: "a")).send(.get(url), as: Plant.self) == Plant(name: "a"))
        #expect(try await decoding(Plant?.some(Plant(name: "a"))).send(.get(url), as: Plant.self) == Plant(name: "a"))
        let error = try await #require(throws: DecodingFailure.self) {
            try await decoding(42).send(.get(url), as: Plant.self)
        }
        #expect(error.description.contains("a stage decoded it to Int"))
    }
}

private struct NoChunks: AsyncSequence, Sendable {
    struct AsyncIterator: AsyncIteratorProtocol {
        mutating func next() async -> Data? { nil }
    }
    func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
}
