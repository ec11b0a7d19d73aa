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
        // In place: a stage that sets one field does not copy the table.
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

    /// The URL that the response came from, after redirects; nil if the transport did not say what it sent.
    ///
    /// It is there to read, unlike ``Request/url``: it tells of what was sent. A stage or a transport that answers on its
    /// own sets ``Response/request``.
    public var url: String? {
        guard let request, let scheme = request.scheme, let authority = request.authority else { return nil }
        return "\(scheme)://\(authority)\(request.path ?? "/")"
    }
}
