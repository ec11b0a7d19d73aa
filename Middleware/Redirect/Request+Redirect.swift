import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// What RFC 9110 §15.4 makes of a request when it is sent to another target.
extension Request {
    /// Makes this request, which was answered with a redirect, the one that follows.
    ///
    /// - Parameters:
    ///   - target: Where it goes, absolute.
    ///   - status: The status that sends it there.
    ///   - origin: Where it went until now; `nil` when that is not known.
    ///   - redaction: What counts as a secret.
    mutating func redirect(
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

    /// The method that follows, and whether the content goes along.
    ///
    /// 301 and 302 turn POST into GET, as every browser does and RFC 9110 §15.4.2 allows; 303 asks for GET, or HEAD
    /// (§15.4.4); 307 and 308 change nothing (§15.4.8, §15.4.9).
    static func method(
        after status: HTTPResponse.Status,
        from method: HTTPRequest.Method
    ) -> (method: HTTPRequest.Method, keepsBody: Bool) {
        switch status.code {
        case 303: (method == .head ? .head : .get, false)
        case 301 where method == .post, 302 where method == .post: (.get, false)
        default: (method, true)
        }
    }

    /// Takes the content out, with all that described it.
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
