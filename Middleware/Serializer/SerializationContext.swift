public import HTTPChainCore
public import HTTPTypes

/// The call for which a ``Serializer`` encodes or decodes a value.
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
    /// The route: the request's URL as the caller wrote it, including variables (`users/{id}`).
    public let route: String
    /// All options of the call.
    public let options: RequestOptions
    /// The head of the response being decoded, or `nil` while the request is encoded.
    public let response: HTTPResponse?
    /// The `Content-Type` being encoded or decoded, or `nil` for a response without one.
    public let contentType: String?

    package init(
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

extension SerializationContext: DescribedValue, RedactedDisplay {
    /// The method, the route and the response's status, with secrets redacted.
    package var words: String {
        "\(method) \(Redaction.standard.url(route))" + (response.map { " → \($0.status.label)" } ?? "")
    }
}
