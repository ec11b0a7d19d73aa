#if AllTests
import Foundation
import HTTPChain
import HTTPChainClient
import HTTPChainInMemory
import TestSupport

/// The requests that the tests send.
struct Plant: Codable, Hashable, Sendable {
    var id: Int
    var name: String
}

protocol GardenRequest: TypedRequest {}

struct GetPlant: GardenRequest, Hashable {
    typealias Output = Plant
    var id: Int
    var path: String { "plants/{id}" }
    var pathParameters: URLParameters { ["id": id] }
}

struct ListPlants: GardenRequest, ValuelessRequest, Hashable {
    typealias Output = [Plant]
    var path: String { "plants" }
    var query: URLQuery { ["sort": "name"] }
}

struct AddPlant: GardenRequest {
    typealias Output = Plant
    var plant: Plant
    var method: HTTPRequest.Method { .post }
    var path: String { "plants" }
    var body: HTTPBody { .value(plant) }
}

struct DeletePlant: GardenRequest, Hashable {
    typealias Output = Void
    var id: Int
    var method: HTTPRequest.Method { .delete }
    var path: String { "plants/\(id)" }
}

/// A request that gives whatever is asked for.
struct Fetch<Output: Sendable>: TypedRequest {
    var path: String
    var result: ResultKind<Output>
}

/// A request for each kind of result that is found by its type.
struct GetData: TypedRequest {
    typealias Output = Data
    var path: String
}
struct GetText: TypedRequest {
    typealias Output = String
    var path: String
}
struct GetMaybe: TypedRequest {
    typealias Output = Plant?
    var path: String
}
struct GetMaybeText: TypedRequest {
    typealias Output = String?
    var path: String
}
struct GetMaybeData: TypedRequest {
    typealias Output = Data?
    var path: String
}
struct GetFile: TypedRequest {
    typealias Output = TemporaryFile
    var path: String
}
struct GetStream: TypedRequest {
    typealias Output = HTTPBody
    var path: String
}
struct GetResponse: TypedRequest {
    typealias Output = Response
    var path: String
}

enum Garden {
    static let rose = Plant(id: 7, name: "Rose")
    static let base = "https://garden.example.com"

    /// The chain of an application, around a transport.
    static func chain(over transport: some Transport, base: String = base) throws -> Chain {
        try Chain(transport: transport) {
            ProgressMiddleware()
            TimeoutMiddleware(.seconds(60))
            SerializerMiddleware(.json)
            StatusValidationMiddleware()
            URLBuilderMiddleware(base: base)
            RetryMiddleware()
        }
    }

    /// The garden's server, whatever carries the requests to it.
    static func answer(_ method: HTTPRequest.Method, _ path: String) -> Response {
        let json: HTTPFields = [.contentType: "application/json"]
        return switch (method, path) {
        case (.get, "/plants/7"): Response(.ok, headers: json, body: #"{"id":7,"name":"Rose"}"#)
        case (.get, "/plants?sort=name"): Response(.ok, headers: json, body: #"[{"id":7,"name":"Rose"}]"#)
        case (.post, "/plants"): Response(.created, headers: json, body: #"{"id":8,"name":"Oak"}"#)
        case (.delete, _): Response(.noContent)
        case (.get, "/empty"): Response(.noContent)
        case (.get, "/latin"):
            Response(
                .ok,
                headers: [.contentType: "text/plain; charset=iso-8859-1"],
                body: HTTPBody(Data([0x52, 0xE9]))
            )
        case (.get, "/json-text"): Response(.ok, headers: json, body: #""quoted""#)
        default: Response(.notFound)
        }
    }
}

/// The garden in memory.
struct GardenTransport: Transport {
    var capabilities: TransportCapabilities { [.streamsUploads, .backpressure, .keepsRepeatedFields] }
    var name: String { "garden" }

    func send(_ request: consuming Request) async throws -> Response {
        var response = Garden.answer(request.method, request.head.path ?? "")
        if let bytes = response.body.bytes, !bytes.isEmpty {
            response.body = .chunks([bytes], length: Int64(bytes.count))
        }
        response.request = request.head
        return response
    }
}

extension Way {
    /// A transport to a service that believes to be the garden's, and the base of its URLs there.
    func transport(to service: some Transport) async throws -> (transport: any Transport, base: String) {
        try await transport(to: service, at: Garden.base, over: URLSessionTransport())
    }

    /// The chain of an application, around a transport to a service.
    func chain(to service: some Transport) async throws -> Chain {
        let (transport, base) = try await transport(to: service)
        return try Garden.chain(over: transport, base: base)
    }

    /// Calls a closure with a client of the garden.
    func withClient(_ body: (Client) async throws -> Void) async throws {
        try await body(Client(over: try await chain(to: GardenTransport())))
    }
}
#endif
