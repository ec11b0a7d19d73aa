import Foundation
public import HTTPChainClient
public import HTTPChainCore
public import HTTPChainMultipart
import HTTPChainSerializer
public import HTTPChainURLBuilder
import HTTPTypes

/// Calls the routes of a table by their names.
///
/// ```swift
/// let routes = RouteClient(try await RouteTable.load(file), over: chain)
/// let reply = try await routes.request("doc", variables: ["uniqueId": 123])
/// let doc = try await routes.request("doc", as: Document.self, variables: ["uniqueId": 123])
/// try await routes.request("add", variables: ["thingId": 7], parameters: ["name": "Spade", "count": 2])
/// ```
///
/// Each is a typed call of a ``/HTTPChainClient/Client``, with all that one has: ``call(_:variables:parameters:data:)``
/// gives it before it is sent, to cancel it by a key, to be told its progress, or to wait for it in a program without
/// `async`. What a route asks for is done by stages of the chain: a serializer, `GzipMiddleware`,
/// `MultipartMiddleware`, `CacheMiddleware`, `CookieMiddleware`, `RoutedAuthMiddleware`. It keeps its client.
public struct RouteClient: Sendable {
    /// The routes.
    public let table: RouteTable
    /// The client that sends them: its registry, its events.
    public let client: Client

    /// Calls routes over a chain.
    ///
    /// - Parameters:
    ///   - table: The routes.
    ///   - transport: What sends them: a chain.
    public init(_ table: RouteTable, over transport: some Transport) {
        self.init(table, client: Client(over: transport))
    }

    /// Calls routes with a client that has more to do.
    ///
    /// - Parameters:
    ///   - table: The routes.
    ///   - client: The client; the requests of routes are ``RoutedRequest``, for its endpoints.
    public init(_ table: RouteTable, client: Client) {
        self.table = table
        self.client = client
    }

    /// Calls a route and gives what it answered: JSON, text, data, or a file if the route says so.
    ///
    /// - Parameters:
    ///   - name: The route's name.
    ///   - variables: The values of its path's variables.
    ///   - parameters: What is sent as its serialization says, such as `["name": "Ada"]`.
    ///   - data: What is sent beside them as parts of a form, or instead of them as the content: data, files.
    /// - Throws: ``RouteError``, and what a typed call throws.
    @discardableResult
    public func request(
        _ name: String,
        variables: URLParameters = [:],
        parameters: JSONValue? = nil,
        data: [MultipartPart] = []
    ) async throws -> RouteReply {
        try await make(name, variables, parameters, data, Self.reply).value
    }

    /// Calls a route and gives what it answered as a type.
    ///
    /// - Parameters:
    ///   - name: The route's name.
    ///   - type: The type: decoded by the chain's serializer, or the route's mapper.
    ///   - variables: The values of its path's variables.
    ///   - parameters: What is sent as its serialization says: anything `Encodable`.
    ///   - data: What is sent beside them as parts of a form, or instead of them as the content.
    /// - Throws: ``RouteError``, and what a typed call throws.
    public func request<Value: Decodable & Sendable>(
        _ name: String,
        as type: Value.Type,
        variables: URLParameters = [:],
        parameters: (any Encodable & Sendable)? = nil,
        data: [MultipartPart] = []
    ) async throws -> Value {
        try await make(name, variables, parameters, data) { _ in ResultKind<Value>.decoded }.value
    }

    /// A call of a route that is not sent yet.
    ///
    /// ```swift
    /// let reply = try routes.call("doc", variables: ["uniqueId": 123]).wait(atMost: .seconds(10))
    /// ```
    ///
    /// - Throws: ``RouteError`` if there is no such route.
    public func call(
        _ name: String,
        variables: URLParameters = [:],
        parameters: JSONValue? = nil,
        data: [MultipartPart] = []
    ) throws(RouteError) -> Call<RouteRequest<RouteReply>> {
        try make(name, variables, parameters, data, Self.reply)
    }

    /// A call of a route that is not sent yet, with a result of a type.
    ///
    /// - Throws: ``RouteError`` if there is no such route.
    public func call<Value: Decodable & Sendable>(
        _ name: String,
        as type: Value.Type,
        variables: URLParameters = [:],
        parameters: (any Encodable & Sendable)? = nil,
        data: [MultipartPart] = []
    ) throws(RouteError) -> Call<RouteRequest<Value>> {
        try make(name, variables, parameters, data) { _ in ResultKind<Value>.decoded }
    }

    private func make<Output>(
        _ name: String,
        _ variables: URLParameters,
        _ parameters: (any Encodable & Sendable)?,
        _ data: [MultipartPart],
        _ result: (Route) -> ResultKind<Output>
    ) throws(RouteError) -> Call<RouteRequest<Output>> {
        let route = try table.route(name)
        return client.makeCall(
            RouteRequest(
                route: route,
                base: table.base,
                variables: variables,
                parameters: parameters,
                data: data,
                result: result(route)
            )
        )
    }

    private static func reply(of route: Route) -> ResultKind<RouteReply> {
        if route.saveAsFile {
            return .custom { response in
                RouteReply(content: .file(try await response.body.saveToTemporaryFile()), response: response)
            }
        }
        if route.mapper != nil || !route.responseRootKeyPath.isWhole { return .mapped }
        return .bytes { bytes, response in
            RouteReply(content: try .init(bytes, response), response: response)
        }
    }
}

extension ResultKind where Output == RouteReply {
    /// Decoded by the chain's serializer, at the route's key path.
    fileprivate static var mapped: ResultKind {
        .decodedWithResponse(JSONValue?.self) { value, response in
            RouteReply(content: value.map { .json($0) } ?? .none, response: response)
        }
    }
}

extension RouteReply.Content {
    /// Decodes the content as its type says.
    fileprivate init(_ bytes: Data, _ response: Response) throws {
        let type = MediaType(response.headers[.contentType])
        let isJSON = type.map { $0.matches("application/json") || $0.matches("application/*+json") } ?? false
        if bytes.isEmpty {
            self = .none
        } else if isJSON {
            self = .json(try JSONDecoder().decode(JSONValue.self, from: bytes))
        } else if type?.essence.begins(with: "text/") == true {
            self = .text(try response.text(of: bytes))
        } else {
            self = .data(bytes)
        }
    }
}
