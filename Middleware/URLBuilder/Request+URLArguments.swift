public import HTTPChainCore
public import HTTPTypes

// The methods of the core module have fewer parameters, so a call without path and query uses those.

extension Request {
    /// Makes a request to a URL with variables and a query for ``URLBuilderMiddleware``.
    ///
    /// - Parameters:
    ///   - method: The request method, RFC 9110 §9.
    ///   - url: The target, absolute or relative to the stage's base: `"users/{id}{?page}"`.
    ///   - path: The values of the URL's variables.
    ///   - query: The parameters to append to the URL's query.
    ///   - headers: The header fields.
    ///   - body: The body.
    public init(
        _ method: HTTPRequest.Method,
        _ url: String,
        path: URLParameters = [:],
        query: URLQuery = [:],
        headers: HTTPFields = [:],
        body: HTTPBody = .empty
    ) {
        self.init(method, url, headers: headers, body: body)
        urlArguments = URLArguments(path: path, query: query)
    }

    /// A GET request (RFC 9110 §9.3.1) with path variables and query parameters for ``URLBuilderMiddleware``.
    public static func get(
        _ url: String,
        path: URLParameters = [:],
        query: URLQuery = [:],
        headers: HTTPFields = [:]
    ) -> Request {
        Request(.get, url, path: path, query: query, headers: headers)
    }

    /// A DELETE request (RFC 9110 §9.3.5) with path variables and query parameters for ``URLBuilderMiddleware``.
    public static func delete(
        _ url: String,
        path: URLParameters = [:],
        query: URLQuery = [:],
        headers: HTTPFields = [:]
    ) -> Request {
        Request(.delete, url, path: path, query: query, headers: headers)
    }

    /// A POST request (RFC 9110 §9.3.3) with path variables and query parameters for ``URLBuilderMiddleware``.
    public static func post(
        _ url: String,
        path: URLParameters = [:],
        query: URLQuery = [:],
        headers: HTTPFields = [:],
        body: HTTPBody = .empty
    ) -> Request {
        Request(.post, url, path: path, query: query, headers: headers, body: body)
    }

    /// A PUT request (RFC 9110 §9.3.4) with path variables and query parameters for ``URLBuilderMiddleware``.
    public static func put(
        _ url: String,
        path: URLParameters = [:],
        query: URLQuery = [:],
        headers: HTTPFields = [:],
        body: HTTPBody = .empty
    ) -> Request {
        Request(.put, url, path: path, query: query, headers: headers, body: body)
    }

    /// A PATCH request (RFC 5789) with path variables and query parameters for ``URLBuilderMiddleware``.
    public static func patch(
        _ url: String,
        path: URLParameters = [:],
        query: URLQuery = [:],
        headers: HTTPFields = [:],
        body: HTTPBody = .empty
    ) -> Request {
        Request(.patch, url, path: path, query: query, headers: headers, body: body)
    }
}
