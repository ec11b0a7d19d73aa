import Foundation
public import HTTPChainClient
public import HTTPChainCore
public import HTTPChainMultipart
import HTTPChainSerializer
import HTTPChainSupport
public import HTTPChainURLBuilder
import HTTPTypes

/// A client that calls the routes of a table by name.
///
/// ```swift
/// let routes = RouteClient(try await RouteTable.load(file), over: chain)
/// let reply = try await routes.request("doc", variables: ["uniqueId": 123])
/// let doc = try await routes.request("doc", as: Document.self, variables: ["uniqueId": 123])
/// try await routes.request("add", variables: ["thingId": 7], parameters: ["name": "Spade", "count": 2])
/// ```
///
/// Each call is a typed call of a ``/HTTPChainClient/Client``, with all its features:
/// ``call(_:variables:parameters:data:)`` returns it unsent, for example to cancel it by a key, to observe its
/// progress, or to wait for it in a program without `async`. The stages of the chain implement the options of a route:
/// a serializer, `GzipMiddleware`, `MultipartMiddleware`, `CacheMiddleware`, `CookieMiddleware`,
/// `RoutedAuthMiddleware`. A route client retains its client.
public struct RouteClient: Sendable {
    private let currentTable: Locked<RouteTable>
    /// The client that sends the calls; it has the registry of calls and their events.
    public let client: Client

    /// Creates a client that calls routes over a chain.
    ///
    /// - Parameters:
    ///   - table: The routes.
    ///   - transport: The chain that sends the calls.
    public init(_ table: RouteTable, over transport: some Transport) {
        self.init(table, client: Client(over: transport))
    }

    /// Creates a client that calls routes with a shared client.
    ///
    /// - Parameters:
    ///   - table: The routes.
    ///   - client: The client. Its endpoints receive the requests of routes as ``RoutedRequest``.
    public init(_ table: RouteTable, client: Client) {
        currentTable = Locked(table)
        self.client = client
    }

    /// The routes.
    public var table: RouteTable { currentTable.withLock { $0 } }

    /// Adds routes to this value and its copies; a route replaces an existing one with the same name.
    ///
    /// ```swift
    /// try routes.register(Route("news", .get, "news/{day}"))
    /// let reply = try await routes.request("news", variables: ["day": "2026-05-01"])
    /// ```
    ///
    /// Calls made earlier keep their routes.
    ///
    /// - Throws: ``RouteTableError`` with all mistakes. Nothing is then added.
    public func register(_ routes: Route...) throws(RouteTableError) {
        let result = currentTable.withLock { table in
            Result { () throws(RouteTableError) in table = try table.registering(routes) }
        }
        try result.get()
    }

    /// Calls a route and returns its reply: JSON, text or data, or a file if the route specifies that.
    ///
    /// - Parameters:
    ///   - name: The route's name.
    ///   - variables: The values of its path's variables.
    ///   - parameters: The parameters, sent according to the route's serialization, such as `["name": "Ada"]`.
    ///   - data: Data or files sent together with the parameters as parts of a form, or instead of them as the content.
    /// - Throws: ``RouteError``, and the errors of a typed call.
    @discardableResult
    public func request(
        _ name: String,
        variables: URLParameters = [:],
        parameters: JSONValue? = nil,
        data: [MultipartPart] = []
    ) async throws -> RouteReply {
        try await make(name, variables, parameters, data, Self.reply).value
    }

    /// Calls a route and returns its reply as a type.
    ///
    /// - Parameters:
    ///   - name: The route's name.
    ///   - type: The type, decoded by the chain's serializer, or the route's mapper.
    ///   - variables: The values of its path's variables.
    ///   - parameters: The parameters, which may be any `Encodable` value, sent according to the route's serialization.
    ///   - data: Data or files sent together with the parameters as parts of a form, or instead of them as the content.
    /// - Throws: ``RouteError``, and the errors of a typed call.
    public func request<Value: Decodable & Sendable>(
        _ name: String,
        as type: Value.Type,
        variables: URLParameters = [:],
        parameters: (any Encodable & Sendable)? = nil,
        data: [MultipartPart] = []
    ) async throws -> Value {
        try await make(name, variables, parameters, data) { _ in ResultKind<Value>.decoded }.value
    }

    /// Returns an unsent call of a route.
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

    /// Returns an unsent call of a route, with a result of a type.
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
        let table = table
        let route = try table.route(name)
        return client.makeCall(
            RouteRequest(
                route: route,
                base: table.base,
                isInvalidated: table.invalidated.contains(name),
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
    /// The JSON value decoded by the chain's serializer, at the route's key path.
    fileprivate static var mapped: ResultKind {
        .decodedWithResponse(JSONValue?.self) { value, response in
            RouteReply(content: value.map { .json($0) } ?? .none, response: response)
        }
    }
}

extension RouteReply.Content {
    /// Decodes the content according to its type.
    fileprivate init(_ bytes: Data, _ response: Response) throws {
        let type = MediaType(response.headers[.contentType])
        let isJSON = type.map { $0.matches("application/json") || $0.matches("application/*+json") } ?? false
        if bytes.isEmpty {
            self = .none
        } else if isJSON {
            self = .json(try JSONDecoder().decode(JSONValue.self, received: bytes))
        } else if type?.essence.begins(with: "text/") == true {
            self = .text(try response.text(of: bytes))
        } else {
            self = .data(bytes)
        }
    }
}
