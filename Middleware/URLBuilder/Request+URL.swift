public import Foundation
public import HTTPChainCore
public import HTTPTypes

extension URLBuilderMiddleware {
    /// Makes the stage with a Foundation base URL.
    ///
    /// - Parameters:
    ///   - base: The URL that relative references are joined to: scheme, host, and optionally a path and a query.
    ///   - encoder: The encoder for query parameters, and for Booleans and dates in path variables.
    ///   - syntax: The notations for variables; all by default.
    public init(base: URL, encoder: ParameterEncoder = ParameterEncoder(), syntax: URLVariableSyntax = .all) {
        self.init(base: base.absoluteString, encoder: encoder, syntax: syntax)
    }
}

extension Request {
    /// A GET request (RFC 9110 §9.3.1) with query parameters for ``URLBuilderMiddleware``.
    public static func get(_ url: URL, query: URLQuery, headers: HTTPFields = [:]) -> Request {
        .get(url.absoluteString, query: query, headers: headers)
    }

    /// A HEAD request (RFC 9110 §9.3.2) with query parameters for ``URLBuilderMiddleware``.
    public static func head(_ url: URL, query: URLQuery, headers: HTTPFields = [:]) -> Request {
        .head(url.absoluteString, query: query, headers: headers)
    }

    /// A DELETE request (RFC 9110 §9.3.5) with query parameters for ``URLBuilderMiddleware``.
    public static func delete(_ url: URL, query: URLQuery, headers: HTTPFields = [:]) -> Request {
        .delete(url.absoluteString, query: query, headers: headers)
    }

    /// An OPTIONS request (RFC 9110 §9.3.7) with query parameters for ``URLBuilderMiddleware``.
    public static func options(_ url: URL, query: URLQuery, headers: HTTPFields = [:]) -> Request {
        .options(url.absoluteString, query: query, headers: headers)
    }

    /// A POST request (RFC 9110 §9.3.3) with query parameters for ``URLBuilderMiddleware``.
    public static func post(_ url: URL, query: URLQuery, headers: HTTPFields = [:], body: HTTPBody = .empty) -> Request
    {
        .post(url.absoluteString, query: query, headers: headers, body: body)
    }

    /// A PUT request (RFC 9110 §9.3.4) with query parameters for ``URLBuilderMiddleware``.
    public static func put(_ url: URL, query: URLQuery, headers: HTTPFields = [:], body: HTTPBody = .empty) -> Request {
        .put(url.absoluteString, query: query, headers: headers, body: body)
    }

    /// A PATCH request (RFC 5789) with query parameters for ``URLBuilderMiddleware``.
    public static func patch(_ url: URL, query: URLQuery, headers: HTTPFields = [:], body: HTTPBody = .empty) -> Request
    {
        .patch(url.absoluteString, query: query, headers: headers, body: body)
    }
}
