import Foundation
import HTTPChainCore
import HTTPChainSupport
package import HTTPTypes

extension CacheKey {
    /// Returns the normalised URL of a request's target; `nil` if it isn't absolute.
    package static func url(of request: HTTPRequest, ignoring ignored: IgnoredQuery = .none) -> String? {
        guard let scheme = request.scheme, let authority = request.authority else { return nil }
        let path = request.path ?? ""
        var url = ""
        url.reserveCapacity(scheme.utf8.count + authority.utf8.count + path.utf8.count + 4)
        let isHTTPS = scheme == "https"
        guard isHTTPS || scheme == "http", isNormalised(authority, defaultPort: isHTTPS ? 443 : 80) else {
            guard let origin = Origin(scheme: scheme, authority: authority) else { return nil }
            url += origin.description
            append(path, to: &url, ignoring: ignored)
            return url
        }
        url += scheme
        url += "://"
        url += authority
        append(path, to: &url, ignoring: ignored)
        return url
    }

    /// Returns the normalised form of a URL; `nil` if it isn't an absolute http or https URL.
    package static func url(_ text: String, ignoring ignored: IgnoredQuery = .none) -> String? {
        url(of: Request.get(text).head, ignoring: ignored)
    }

    /// Returns the normalised URL of a reference; `nil` if it is empty or isn't in the origin of the base.
    package static func url(
        _ reference: String,
        relativeTo base: String,
        ignoring ignored: IgnoredQuery = .none
    ) -> String? {
        guard !reference.isEmpty, let origin = Origin(base) else { return nil }
        let resolved = URIReference(reference).resolved(against: URIReference(base)).text
        return Origin(resolved) == origin ? url(resolved, ignoring: ignored) : nil
    }

    /// Whether an authority is already normalised.
    private static func isNormalised(_ authority: String, defaultPort: UInt16) -> Bool {
        let hasPort = authority.utf8.includes { $0 == UInt8(ascii: ":") }
        let colon = (hasPort ? authority.utf8.firstIndex(of: UInt8(ascii: ":")) : nil) ?? authority.endIndex
        let host = authority[..<colon]
        guard let canonical = URLHost(host), canonical.text == host else { return false }
        guard colon < authority.endIndex else { return true }
        let port = authority[authority.utf8.index(after: colon)...]
        return UInt16(port).map { $0 != defaultPort && String($0) == port } ?? false
    }

    private static func append(_ path: String, to url: inout String, ignoring ignored: IgnoredQuery) {
        // Square brackets may or may not be encoded: builders and transports encode them, but callers and servers may
        // not.
        let kept = (ignored == .none ? path : withoutIgnored(path, ignored)).encodingSquareBrackets
        if kept.utf8.first != UInt8(ascii: "/") { url += "/" }
        if kept.utf8.includes(where: { $0 == UInt8(ascii: "%") }) { url += normalised(kept) } else { url += kept }
    }

    private static func withoutIgnored(_ path: String, _ ignored: IgnoredQuery) -> String {
        guard let question = path.utf8.firstIndex(of: UInt8(ascii: "?")) else { return path }
        guard case .named(let named) = ignored else { return String(path[..<question]) }
        let names = Set(named.map(ExactText.init))
        let pairs = path[path.utf8.index(after: question)...].utf8
            .split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
            .map { Substring($0) }
            .filter { pair in
                let name = String(Substring(pair.utf8.prefix { $0 != UInt8(ascii: "=") }))
                return !names.contains(ExactText(name))
                    && !names.contains(ExactText(name.removingPercentEncoding ?? name))
            }
        return pairs.isEmpty ? String(path[..<question]) : path[...question] + pairs.joined(separator: "&")
    }

    /// RFC 3986 §6.2.2.1 and §6.2.2.2: uses upper-case hexadecimal digits, and decodes characters that needn't be
    /// encoded.
    private static func normalised(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            guard let byte = bytes.percentEncodedByte(at: index) else {
                result.append(bytes[index])
                index += 1
                continue
            }
            if ASCII.isUnreserved(byte) {
                result.append(byte)
            } else {
                result.append(percentEncoding: byte)
            }
            index += 3
        }
        return String(decoding: result, as: UTF8.self)
    }
}

extension CacheSelection {
    /// The selection with its URL normalised like that of a key; unchanged if it isn't an http or https URL.
    var normalised: CacheSelection {
        switch self {
        case .url(let text): .url(CacheKey.url(text) ?? text)
        case .key(let key):
            .key(
                CacheKey(
                    url: CacheKey.url(key.url) ?? key.url,
                    method: key.method,
                    partition: key.partition,
                    identifier: key.identifier
                )
            )
        default: self
        }
    }
}

extension HTTPRequest.Method {
    /// Whether responses to the method are looked up and stored: always for GET and HEAD, never for methods that change
    /// their target (PUT, DELETE, PATCH), and otherwise only with an identifier.
    package func hasCacheKey(withIdentifier hasIdentifier: Bool) -> Bool {
        if self == .get || self == .head { return true }
        return hasIdentifier && ![.put, .delete, .patch, .connect].contains(self)
    }
}
