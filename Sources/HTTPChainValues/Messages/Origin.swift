package import HTTPChainSupport

/// The scheme, host and port of a URL: the boundary that credentials don't cross (RFC 6454 §4, RFC 9110 §4.3.1).
public struct Origin: Sendable, Hashable, CustomStringConvertible {
    /// `http` or `https`, in lower case.
    public let scheme: String
    /// The host in the form of the URL Standard: in lower case and ASCII (`xn--…`), IPv4 addresses in four decimal
    /// numbers, IPv6 addresses compressed and in brackets.
    ///
    /// A trailing dot is kept: `https://a.example.` and `https://a.example` are different origins, although they are
    /// the same server. Credentials bound to one of them aren't sent to the other.
    public let host: String
    /// The port, or the scheme's default (80, 443) if the URL has none.
    public let port: Int

    /// Makes an origin from a scheme and an authority; returns `nil` if they don't form one.
    package init?(scheme: String?, authority: String?) {
        guard let scheme = scheme?.lowercased(), let authority,
            let address = Authority(authority), let defaultPort = Self.defaultPort(of: scheme)
        else { return nil }
        self.scheme = scheme
        self.host = address.host.text
        self.port = address.port ?? defaultPort
    }

    private init(scheme: String, host: String, port: Int) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    /// Makes the origin of an absolute URL; returns `nil` if the URL has none.
    public init?(_ url: String) {
        let reference = URLReference(url)
        self.init(scheme: reference.scheme, authority: reference.authority)
    }

    private static func defaultPort(of scheme: String) -> Int? {
        switch scheme {
        case "http": 80
        case "https": 443
        default: nil
        }
    }

    /// The origin as serialized by RFC 6454 §6.2, without a default port.
    public var description: String { "\(scheme)://\(authority)" }

    /// Host and port, without a default port.
    package var authority: String { port == Self.defaultPort(of: scheme) ? host : "\(host):\(port)" }

    /// The origin without the trailing dot of its host; both forms are the same server for limits and measurements.
    package var withoutRootDot: Origin {
        Origin(scheme: scheme, host: server.withoutRootDot.text, port: port)
    }

    /// The host, for comparisons.
    package var server: URLHost { URLHost(canonical: host) }

    /// Whether data sent to the origin can't be read on the network, because it uses TLS or doesn't leave this machine.
    package var isConfidential: Bool { scheme == "https" || server.isLoopback }
}

/// The pieces of a URL's authority, RFC 3986 §3.2.
///
/// Delimiters are compared as bytes, so that a combining character can't hide one. This is also fast, which matters
/// because every request with credentials is parsed here.
package struct Authority {
    package let userInfo: Substring?
    package let host: URLHost
    package let port: Int?

    /// Parses an authority; returns `nil` if its host or port is invalid.
    package init?(_ text: String) {
        let parts = Parts(text)
        guard let host = URLHost(parts.host) else { return nil }
        var port: Int?
        if let digits = parts.port, !digits.isEmpty {
            guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits), number <= 65535
            else { return nil }
            port = number
        }
        userInfo = parts.userInfo
        self.host = host
        self.port = port
    }

    /// Returns the authority with its host in ASCII, as defined by ``URLHost``.
    ///
    /// Everything around the host is unchanged, and so is an ASCII host without percent-encoded bytes.
    ///
    /// - Returns: `nil` if a host with other characters is invalid.
    package static func inASCII(_ text: String) -> String? {
        guard text.utf8.contains(where: { $0 >= 0x80 || $0 == UInt8(ascii: "%") }) else { return text }
        let host = Parts(text).host
        guard host.utf8.contains(where: { $0 >= 0x80 || $0 == UInt8(ascii: "%") }) else { return text }
        return URLHost(host).map { text[..<host.startIndex] + $0.text + text[host.endIndex...] }
    }

    /// Whether an IPv6 address in the authority has a zone, RFC 6874.
    package static func hasZone(_ text: String) -> Bool {
        let host = Parts(text).host.utf8
        return host.first == UInt8(ascii: "[") && host.contains(UInt8(ascii: "%"))
    }

    private struct Parts {
        var userInfo: Substring?
        let host: Substring
        var port: Substring?

        init(_ text: String) {
            var rest = text.utf8[...]
            Steps.take(text.utf8.count)
            if let at = rest.lastIndex(of: UInt8(ascii: "@")) {
                userInfo = Substring(rest[..<at])
                rest = rest[rest.index(after: at)...]
            }
            let colon: String.Index?
            if rest.first == UInt8(ascii: "[") {
                let close = rest.firstIndex(of: UInt8(ascii: "]"))
                let next = close.map { rest.index(after: $0) } ?? rest.endIndex
                // Anything other than a port after an address makes the host invalid.
                colon = next < rest.endIndex && rest[next] == UInt8(ascii: ":") ? next : nil
            } else {
                colon = rest.firstIndex(of: UInt8(ascii: ":"))
            }
            host = Substring(rest[..<(colon ?? rest.endIndex)])
            port = colon.map { Substring(rest[$0...].dropFirst()) }
        }
    }
}
