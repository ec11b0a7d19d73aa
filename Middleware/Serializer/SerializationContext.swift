public import HTTPChainCore
public import HTTPTypes

/// The call that a value is written or read for, as a ``Serializer`` is told it: by route, method and options.
///
/// ```swift
/// DataMapper("records", contentType: "application/x-records") { value, call in
///     try Record(value, isDraft: call.method == .post).bytes
/// } decode: { data, type, call in
///     try Record(data).value(inVersion: call.response?.headerFields[.eTag])
/// }
/// ```
public struct SerializationContext: Sendable {
    /// The request's method.
    public let method: HTTPRequest.Method
    /// The route: the request's URL as the caller wrote it, variables included (`users/{id}`).
    public let route: String
    /// All that the call declares.
    public let options: RequestOptions
    /// The head of the response that is read; nil while the request is written.
    public let response: HTTPResponse?
    /// The `Content-Type` of what is written or read; nil for a response without one.
    public let contentType: String?

    /// Makes a context, for a test of a serializer.
    public init(
        method: HTTPRequest.Method,
        route: String,
        options: RequestOptions = RequestOptions(),
        response: HTTPResponse? = nil,
        contentType: String? = nil
    ) {
        self.method = method
        self.route = route
        self.options = options
        self.response = response
        self.contentType = contentType
    }
}
