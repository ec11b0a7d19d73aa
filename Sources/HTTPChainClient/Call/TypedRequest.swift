public import HTTPChainCore
public import HTTPChainURLBuilder
public import HTTPTypes

/// A kind of call: its target, its content, and the type of its output.
///
/// ```swift
/// struct GetUser: TypedRequest, Hashable {
///     typealias Output = User
///     var id: Int
///
///     var path: String { "users/{id}" }
///     var pathParameters: URLParameters { ["id": id] }
/// }
///
/// let user = try await client.call(GetUser(id: 42))
/// ```
///
/// All properties except ``path`` have defaults: a GET request without parameters, whose result is read according to
/// the type of ``Output`` (see ``result``). If a request type is `Hashable`, its running calls can be found by value.
public protocol TypedRequest<Output>: Sendable {
    /// The type of a call's result: a `Decodable` type, `Void`, `Data`, `String`, `TemporaryFile`, `HTTPBody` for a
    /// stream, `Response`, an optional, or a custom type with its own ``result``.
    associatedtype Output: Sendable

    /// The method, RFC 9110 §9; GET by default.
    var method: HTTPRequest.Method { get }

    /// The target: absolute, or relative to the base of the chain's URL builder. It may contain the builder's
    /// variables.
    var path: String { get }

    /// Values of the variables in ``path``; none by default. They need a ``/HTTPChainURLBuilder/URLBuilderMiddleware``.
    var pathParameters: URLParameters { get }

    /// Parameters of the query; none by default. They need a ``/HTTPChainURLBuilder/URLBuilderMiddleware``.
    var query: URLQuery { get }

    /// Header fields; none by default.
    var headers: HTTPFields { get }

    /// The content of the request, such as `.value(user)` for the chain's serializer; empty by default.
    var body: HTTPBody { get }

    /// The way the output is made from the response.
    var result: ResultKind<Output> { get }

    /// Sets options of stages, and anything else that this kind of call needs; does nothing by default.
    ///
    /// ```swift
    /// func configure(_ request: inout Request) {
    ///     request = request.retry(.never).timeout(.seconds(90))
    /// }
    /// ```
    ///
    /// - Parameter request: The request, made from the other properties.
    func configure(_ request: inout Request) throws

    /// Makes the request, by default from the properties above.
    func makeRequest() throws -> Request
}

extension TypedRequest {
    /// The default method, GET.
    public var method: HTTPRequest.Method { .get }
    /// The default value, no parameters.
    public var pathParameters: URLParameters { [:] }
    /// The default value, no parameters.
    public var query: URLQuery { [:] }
    /// The default value, no fields.
    public var headers: HTTPFields { [:] }
    /// The default value, an empty body.
    public var body: HTTPBody { .empty }
    /// Does nothing.
    public func configure(_ request: inout Request) throws {}

    /// Makes the request that the properties describe.
    ///
    /// - Throws: Any error of ``configure(_:)``.
    public func makeRequest() throws -> Request {
        var request = Request(method, path, headers: headers, body: body)
        let pathParameters = pathParameters
        let query = query
        if !pathParameters.isEmpty || !query.isEmpty {
            request.urlArguments = URLArguments(path: pathParameters, query: query)
            if !pathParameters.isEmpty { request.options[CallVariablesNote.self] = pathParameters }
        }
        try configure(&request)
        return request
    }
}

/// A request type without values, sent by its type alone: `client.call(GetStatus.self)`.
public protocol ValuelessRequest: TypedRequest {
    /// Creates the only value of the type.
    init()
}
