#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainSerializer
import HTTPChainTesting
import HTTPTypes

let url = "https://api.example.com/plants"

struct Plant: Codable, Sendable, Hashable {
    var name: String
    var heightInCM: Int?
}

/// The request that leaves the stage.
func sent(_ request: Request, through stage: SerializerMiddleware) async throws -> Request {
    let outcome = await StageHarness(stage).send(request)
    _ = try outcome.response()
    return outcome.requests.first ?? request
}

func sentText(_ request: Request, through stage: SerializerMiddleware) async throws -> String {
    try await sent(request, through: stage).body.text()
}

/// A chain of the stage alone over an answer that is always the same.
func chain(_ stage: SerializerMiddleware, answering response: Response) throws -> Chain {
    try Chain(transport: Answer(response: response)) { stage }
}

func chain(_ stage: SerializerMiddleware, _ contentType: String?, _ body: HTTPBody) throws -> Chain {
    var response = Response(.ok, body: body)
    response.headers[.contentType] = contentType
    return try chain(stage, answering: response)
}

private struct Answer: Transport {
    let response: Response
    var capabilities: TransportCapabilities { [] }
    func send(_ request: consuming Request) async throws -> Response {
        if request.body.value != nil { _ = try request.forWire() }
        return response
    }
}

/// Bytes that can be read once, in chunks of a size.
func once(_ text: String, chunk size: Int) -> HTTPBody {
    let bytes = Data(text.utf8)
    let chunks = stride(from: 0, to: bytes.count, by: size).map { Data(bytes.dropFirst($0).prefix(size)) }
    return .once(chunks: Chunks(chunks: chunks))
}

struct Chunks: AsyncSequence, Sendable {
    let chunks: [Data]

    struct AsyncIterator: AsyncIteratorProtocol {
        var rest: ArraySlice<Data>
        mutating func next() async -> Data? { rest.popFirst() }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: chunks[...]) }
}
#endif
