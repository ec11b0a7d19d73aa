public import HTTPTypes

/// An HTTP request, as passed to a chain and between its stages.
///
/// It is a small value with a head, a body, and this call's options for the stages. Stages that accept it as
/// `consuming` change it in place.
public struct Request: Sendable {
    /// The method, target and header fields.
    public var head: HTTPRequest
    /// The content that is sent after the head.
    public var body: HTTPBody
    /// This call's options for the stages.
    public var options: RequestOptions

    /// Makes a request from its parts.
    public init(head: HTTPRequest, body: HTTPBody = .empty, options: RequestOptions = RequestOptions()) {
        self.head = head
        self.body = body
        self.options = options
    }

    /// Makes a request to a URL.
    ///
    /// The URL may be absolute, or a reference (`"users/42"`) that a URL-building stage completes. Characters not
    /// allowed in a URL are encoded as in a browser: `"/a b?q=é"` becomes `/a%20b?q=%C3%A9`, and `münchen.example`
    /// becomes `xn--mnchen-3ya.example`. A `%` and the braces of a template are unchanged. An invalid URL, or a
    /// reference that no stage has completed, is an ``InvalidRequestError`` when it reaches the transport.
    ///
    /// - Parameters:
    ///   - method: The request method, RFC 9110 §9.
    ///   - url: The target. Its fragment isn't sent, but kept for redirects.
    ///   - headers: The header fields. Characters not allowed in field values (CR, LF, NUL) become spaces.
    ///   - body: The content sent after the head.
    public init(_ method: HTTPRequest.Method, _ url: String, headers: HTTPFields = [:], body: HTTPBody = .empty) {
        let target = URLReference(URLEncoding.trimmed(url))
        self.init(
            head: HTTPRequest(
                method: method,
                scheme: target.scheme,
                authority: target.authority.map(URLEncoding.authority),
                path: URLEncoding.path(target.path),
                headerFields: headers
            ),
            body: body
        )
        if let fragment = target.fragment { self.fragment = fragment }
    }
}

extension Request {
    /// The request's target as a URL: absolute if scheme and authority are known, otherwise the reference alone.
    ///
    /// When set, the URL is encoded as by ``init(_:_:headers:body:)-(_,String,_,_)``.
    public var url: String {
        get { head.urlText }
        set {
            let target = URLReference(URLEncoding.trimmed(newValue))
            head.scheme = target.scheme
            head.authority = target.authority.map(URLEncoding.authority)
            head.path = URLEncoding.path(target.path)
            fragment = target.fragment
        }
    }

    /// A GET request, RFC 9110 §9.3.1.
    public static func get(_ url: String, headers: HTTPFields = [:]) -> Request {
        Request(.get, url, headers: headers)
    }

    /// A HEAD request, RFC 9110 §9.3.2.
    package static func head(_ url: String, headers: HTTPFields = [:]) -> Request {
        Request(.head, url, headers: headers)
    }

    /// A POST request, RFC 9110 §9.3.3.
    public static func post(_ url: String, headers: HTTPFields = [:], body: HTTPBody = .empty) -> Request {
        Request(.post, url, headers: headers, body: body)
    }

    /// A QUERY request, draft-ietf-httpbis-safe-method-w-body: safe and idempotent, with the query in its content.
    package static func query(_ url: String, headers: HTTPFields = [:], body: HTTPBody) -> Request {
        Request(.query, url, headers: headers, body: body)
    }

    /// A PUT request, RFC 9110 §9.3.4.
    public static func put(_ url: String, headers: HTTPFields = [:], body: HTTPBody = .empty) -> Request {
        Request(.put, url, headers: headers, body: body)
    }

    /// A PATCH request, RFC 5789.
    public static func patch(_ url: String, headers: HTTPFields = [:], body: HTTPBody = .empty) -> Request {
        Request(.patch, url, headers: headers, body: body)
    }

    /// A DELETE request, RFC 9110 §9.3.5.
    public static func delete(_ url: String, headers: HTTPFields = [:], body: HTTPBody = .empty) -> Request {
        Request(.delete, url, headers: headers, body: body)
    }

    /// An OPTIONS request, RFC 9110 §9.3.7.
    package static func options(_ url: String, headers: HTTPFields = [:]) -> Request {
        Request(.options, url, headers: headers)
    }
}
