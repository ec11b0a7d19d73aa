package import HTTPChainCore
package import HTTPChainSupport
package import HTTPTypes

/// The part of a request that determines which cookies it carries, and which its response may set.
package struct CookieTarget: Sendable, Hashable {
    package let origin: Origin
    package let host: URLHost
    /// The path without the query.
    package let path: String
    package let isSecure: Bool
    let isSafeMethod: Bool
    package let site: SiteContext
    /// The server's clock, for `Expires`; nil for the local one.
    package var serverTime: ServerTime?

    package init(origin: Origin, path: String?, method: HTTPRequest.Method = .get, site: SiteContext = .sameSite) {
        self.origin = origin
        host = origin.server
        let bytes = (path ?? "").utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        self.path = bytes.first == UInt8(ascii: "/") ? String(Substring(bytes)) : "/"
        isSecure = origin.isConfidential
        isSafeMethod = [.get, .head, .options, .trace].contains(method)
        self.site = site
    }

    package init(_ head: HTTPRequest, from origin: Origin, site: SiteContext) {
        self.init(origin: origin, path: head.path, method: head.method, site: site)
    }

    package init?(_ url: String, method: HTTPRequest.Method = .get, site: SiteContext = .sameSite) {
        let request = Request(method, url)
        guard let origin = request.origin else { return nil }
        self.init(origin: origin, path: request.head.path, method: method, site: site)
    }
}

/// Cookie path rules: RFC 6265bis §5.1.4.
enum CookiePath {
    /// The directory of a request's path, which is the default for a cookie without `Path`.
    static func defaultPath(of path: String) -> String {
        guard let last = path.utf8.lastIndex(of: UInt8(ascii: "/")), last > path.startIndex else { return "/" }
        return String(path[..<last])
    }

    static func matches(_ requestPath: String, _ cookiePath: String) -> Bool {
        let request = requestPath.utf8
        let cookie = cookiePath.utf8
        if cookie.count == 1, cookie.first == UInt8(ascii: "/") { return true }
        guard request.starts(with: cookie) else { return false }
        if request.count == cookie.count || cookie.last == UInt8(ascii: "/") { return true }
        return request[request.index(request.startIndex, offsetBy: cookie.count)] == UInt8(ascii: "/")
    }
}
