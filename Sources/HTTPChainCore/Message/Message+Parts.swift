public import HTTPTypes

extension Request {
    /// The method, RFC 9110 §9.
    public var method: HTTPRequest.Method {
        get { head.method }
        set { head.method = newValue }
    }

    /// The header fields.
    @inlinable
    public var headers: HTTPFields {
        get { head.headerFields }
        // Modifies the fields in place, so that setting one doesn't copy all of them.
        _modify { yield &head.headerFields }
    }
}

extension Response {
    /// The status code and reason, RFC 9110 §15.
    public var status: HTTPResponse.Status {
        get { head.status }
        set { head.status = newValue }
    }

    /// The header fields.
    @inlinable
    public var headers: HTTPFields {
        get { head.headerFields }
        _modify { yield &head.headerFields }
    }

    /// The URL that the response came from, after redirects; nil if the transport didn't report the request it sent.
    ///
    /// Read-only, unlike ``Request/url``, because it describes the request that was sent. A stage or a transport that
    /// responds itself sets ``Response/request``.
    public var url: String? {
        guard let request, let scheme = request.scheme, let authority = request.authority else { return nil }
        return "\(scheme)://\(authority)\(request.path ?? "/")"
    }
}
