public import Foundation
public import HTTPChainCore
import HTTPChainSupport

/// A cookie as stored in a jar: RFC 6265bis §5.7.
public struct Cookie: Sendable, Hashable {
    /// The requests from other sites that carry a cookie: RFC 6265bis §5.6.7.
    public enum SameSite: String, Sendable, Hashable, Codable, CaseIterable {
        /// The attribute was missing or unknown; treated as ``lax``.
        case unspecified
        /// Every request carries the cookie, which must be ``Cookie/isSecure``.
        case none
        /// Requests from the same site carry the cookie, and so do navigations from other sites with a safe method.
        case lax
        /// Only requests from the same site carry the cookie.
        case strict
    }

    /// The name; empty if the cookie has none.
    public var name: String
    /// The value, including any quotes, because it is opaque to the client.
    public var value: Secret
    /// The host that set the cookie, or the domain whose hosts receive it; in lower case, without a leading dot.
    public var domain: String
    /// Whether only the host ``domain`` itself receives the cookie, and not the hosts below it.
    public var isHostOnly: Bool
    /// The path at and below which requests carry the cookie.
    public var path: String
    /// The expiry date; nil for a cookie that ends with the session (``CookieJar/endSession()``).
    public var expires: Date?
    /// Whether only secure connections carry the cookie.
    public var isSecure: Bool
    /// Whether the cookie is hidden from scripts.
    ///
    /// It has no effect here, because this client runs no scripts. It is kept for other users of the jar.
    public var isHTTPOnly: Bool
    /// The requests from other sites that carry the cookie.
    public var sameSite: SameSite
    /// The top-level site in whose context the cookie was set, if it is `Partitioned`; nil if it isn't.
    public var partition: String?
    /// The date when the cookie was first set.
    public var created: Date

    /// Creates a cookie.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - value: The value.
    ///   - domain: The host, or the domain whose hosts receive the cookie. A leading dot is removed.
    ///   - isHostOnly: Whether only that host receives it; true by default.
    ///   - path: The path; `/` by default.
    ///   - expires: The expiry date; nil, the default, for the end of the session.
    ///   - isSecure: Whether only secure connections carry it; false by default.
    ///   - isHTTPOnly: Whether it is hidden from scripts; false by default.
    ///   - sameSite: The requests from other sites that carry it.
    ///   - partition: The top-level site it belongs to, if it is partitioned.
    ///   - created: The creation date; now by default.
    public init(
        _ name: String,
        _ value: Secret,
        domain: String,
        isHostOnly: Bool = true,
        path: String = "/",
        expires: Date? = nil,
        isSecure: Bool = false,
        isHTTPOnly: Bool = false,
        sameSite: SameSite = .unspecified,
        partition: String? = nil,
        created: Date = Date()
    ) {
        self.name = name
        self.value = value
        let name = Substring(domain.utf8.first == UInt8(ascii: ".") ? domain.utf8.dropFirst() : domain.utf8[...])
        // If the text isn't a host, the cookie matches no request.
        self.domain = URLHost(name)?.text ?? name.lowercased()
        self.isHostOnly = isHostOnly
        self.path = path
        self.expires = expires
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
        self.sameSite = sameSite
        self.partition = partition
        self.created = created
    }

    var host: URLHost { URLHost(canonical: domain) }

    /// Whether the cookie survives the end of the session.
    package var isPersistent: Bool { expires != nil }

    /// The key that identifies a cookie within a jar: RFC 6265bis §5.7 step 22, and the partition.
    var key: CookieKey {
        CookieKey(name: name, domain: domain, isHostOnly: isHostOnly, path: path, partition: partition)
    }

    func isExpired(at now: Date) -> Bool {
        expires.map { $0 <= now } ?? false
    }
}

extension Cookie: CustomStringConvertible, DescribedValue {
    /// The name, domain and attributes, but never the value.
    package var words: String {
        var parts = ["\(name)=\(value)", isHostOnly ? "host \(domain)" : "domain \(domain)", "path \(path)"]
        if let expires { parts.append("until \(HTTPDate(expires))") }
        if isSecure { parts.append("secure") }
        if isHTTPOnly { parts.append("HTTP only") }
        if sameSite != .unspecified { parts.append("same site: \(sameSite)") }
        if let partition { parts.append("partition \(partition)") }
        return parts.joined(separator: "; ")
    }
}

/// The key that identifies a cookie within a jar.
struct CookieKey: Sendable, Hashable {
    let name: String
    let domain: String
    let isHostOnly: Bool
    let path: String
    let partition: String?

    /// Whether both keys have the same bytes, because a name with a combining accent is a different name.
    static func == (one: CookieKey, other: CookieKey) -> Bool {
        one.name.hasSameBytes(as: other.name) && one.domain == other.domain && one.isHostOnly == other.isHostOnly
            && one.path.hasSameBytes(as: other.path) && one.partition == other.partition
    }
}
