public import Foundation
public import HTTPTypes

extension Request {
    /// Makes a request to a Foundation URL.
    ///
    /// A relative URL is resolved against its base, if it has one.
    ///
    /// - Parameters:
    ///   - method: The request method, RFC 9110 §9.
    ///   - url: The target. Its fragment isn't sent, but kept for redirects.
    ///   - headers: The header fields. Characters not allowed in field values (CR, LF, NUL) become spaces.
    ///   - body: The content sent after the head.
    public init(_ method: HTTPRequest.Method, _ url: URL, headers: HTTPFields = [:], body: HTTPBody = .empty) {
        self.init(method, url.absoluteString, headers: headers, body: body)
    }

    /// A GET request, RFC 9110 §9.3.1.
    public static func get(_ url: URL, headers: HTTPFields = [:]) -> Request {
        Request(.get, url, headers: headers)
    }

    /// A POST request, RFC 9110 §9.3.3.
    public static func post(_ url: URL, headers: HTTPFields = [:], body: HTTPBody = .empty) -> Request {
        Request(.post, url, headers: headers, body: body)
    }

    /// A POST request with a value, which is encoded as JSON immediately.
    ///
    /// Sets `Content-Type` unless given.
    ///
    /// - Throws: `EncodingError` if the value can't be encoded.
    public static func post(
        _ url: URL,
        headers: HTTPFields = [:],
        json value: some Encodable,
        encoder: JSONEncoder = JSONEncoder()
    ) throws -> Request {
        try .post(url.absoluteString, headers: headers, json: value, encoder: encoder)
    }

    /// A PUT request, RFC 9110 §9.3.4.
    public static func put(_ url: URL, headers: HTTPFields = [:], body: HTTPBody = .empty) -> Request {
        Request(.put, url, headers: headers, body: body)
    }

    /// A PATCH request, RFC 5789.
    public static func patch(_ url: URL, headers: HTTPFields = [:], body: HTTPBody = .empty) -> Request {
        Request(.patch, url, headers: headers, body: body)
    }

    /// A DELETE request, RFC 9110 §9.3.5.
    public static func delete(_ url: URL, headers: HTTPFields = [:], body: HTTPBody = .empty) -> Request {
        Request(.delete, url, headers: headers, body: body)
    }
}

extension Request {
    /// The origin that the request goes to, or `nil` while its target isn't absolute.
    public var origin: Origin? { Origin(scheme: head.scheme, authority: head.authority) }
}
