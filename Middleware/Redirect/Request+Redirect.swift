package import HTTPChainCore
package import HTTPChainSupport
package import HTTPTypes

/// Changes a request for a redirect, RFC 9110 §15.4.
extension Request {
    /// Turns this redirected request into the next one.
    ///
    /// - Parameters:
    ///   - target: The absolute URL of the target.
    ///   - status: The status of the redirect.
    ///   - origin: The previous origin, or `nil` if it isn't known.
    ///   - redaction: The definition of secrets.
    package mutating func redirect(
        to target: URIReference,
        status: HTTPResponse.Status,
        from origin: Origin?,
        redaction: Redaction
    ) {
        let (method, keepsBody) = Self.method(after: status, from: head.method)
        head.method = method
        if !keepsBody { removeContent() }
        head.scheme = target.scheme
        head.authority = target.authority
        head.path = target.path + (target.query.map { "?" + $0 } ?? "")
        fragment = target.fragment
        let destination = self.origin
        if destination == nil || destination != origin {
            removeCredentials(goingTo: destination, redaction: redaction)
        }
    }

    /// Returns the method of the next request, and whether it keeps the content.
    ///
    /// 301 and 302 turn POST into GET, as in all browsers and as allowed by RFC 9110 §15.4.2. 303 requires GET or HEAD
    /// (§15.4.4). 307 and 308 keep the method and the content (§15.4.8, §15.4.9).
    package static func method(
        after status: HTTPResponse.Status,
        from method: HTTPRequest.Method
    ) -> (method: HTTPRequest.Method, keepsBody: Bool) {
        switch status.code {
        case 303: (method == .head ? .head : .get, false)
        case 301 where method == .post, 302 where method == .post: (.get, false)
        default: (method, true)
        }
    }

    /// Removes the content and the fields that describe it.
    private mutating func removeContent() {
        body = .empty
        for name in Set(head.headerFields.map(\.name)) where Self.describesContent(name) {
            head.headerFields[name] = nil
        }
    }

    private static func describesContent(_ name: HTTPField.Name) -> Bool {
        let name = name.canonicalName
        return name.begins(with: "content-")
            || ["digest", "repr-digest", "transfer-encoding", "trailer", "expect"].contains(name)
    }
}
