import HTTPChainSupport
import HTTPTypes

/// Scheme, host and port: the boundary that credentials do not cross (RFC 6454 §4, RFC 9110 §4.3.1).
public struct Origin: Sendable, Hashable, CustomStringConvertible {
    /// `http` or `https`, in lower case.
    public let scheme: String
    /// The host in lower case; an IPv6 address stands in its brackets.
    public let host: String
    /// The port, the scheme's own (80, 443) where the URL names none.
    public let port: Int

    /// The origin of a scheme and an authority, or `nil` when they do not name one.
    public init?(scheme: String?, authority: String?) {
        guard let scheme = scheme?.lowercased(), let authority,
            let address = Authority(authority), let defaultPort = Self.defaultPort(of: scheme)
        else { return nil }
        self.scheme = scheme
        self.host = address.host.lowercased()
        self.port = address.port ?? defaultPort
    }

    /// The origin of an absolute URL, or `nil` when it has none.
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

    /// The origin as RFC 6454 §6.2 writes it: without a default port.
    public var description: String {
        port == Self.defaultPort(of: scheme) ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
    }
}

extension Request {
    /// The origin that the request goes to, or `nil` while its target is not absolute.
    public var origin: Origin? { Origin(scheme: head.scheme, authority: head.authority) }
}

/// The pieces of a URL's authority, RFC 3986 §3.2.
///
/// Delimiters are looked for byte by byte: a combining character after one does not make it another, and every request
/// with credentials passes here.
struct Authority {
    var userInfo: Substring?
    var host: Substring
    var port: Int?

    init?(_ text: String) {
        var rest = text.utf8[...]
        if let at = rest.lastIndex(of: UInt8(ascii: "@")) {
            userInfo = Substring(rest[..<at])
            rest = rest[rest.index(after: at)...]
        }
        let portStart: String.Index?
        if rest.first == UInt8(ascii: "[") {
            guard let close = rest.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            let next = rest.index(after: close)
            guard next == rest.endIndex || rest[next] == Self.colon else { return nil }
            portStart = next == rest.endIndex ? nil : next
        } else {
            portStart = rest.firstIndex(of: Self.colon)
        }
        let bytes = portStart.map { rest[..<$0] } ?? rest
        guard Self.isPlausibleHost(bytes) else { return nil }
        host = Substring(bytes)
        if let portStart {
            let digits = rest[rest.index(after: portStart)...]
            if !digits.isEmpty {
                guard digits.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(Substring(digits)),
                    number <= 65535
                else { return nil }
                port = number
            }
        }
    }

    private static let colon = UInt8(ascii: ":")

    /// Whether RFC 3986 §3.2.2 lets a host consist of this: reg-name characters, or a bracketed address.
    private static func isPlausibleHost(_ host: Substring.UTF8View) -> Bool {
        let bracketed = host.first == UInt8(ascii: "[")
        let inner = bracketed ? host.dropFirst().dropLast() : host
        return !inner.isEmpty
            && inner.allSatisfy { byte in
                ASCII.isUnreserved(byte) || "%!$&'()*+,;=".utf8.contains(byte) || (byte == colon && bracketed)
            }
    }
}
