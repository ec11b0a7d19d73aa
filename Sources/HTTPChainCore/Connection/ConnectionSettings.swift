/// The settings of a transport's connections: TLS, trust in servers, proxy, networks.
///
/// ```swift
/// var settings = ConnectionSettings()
/// settings.connectTimeout = .seconds(5)
/// settings.minimumTLSVersion = .tls13
/// settings.trust = try .system.pinning("api.example.com", ["sha256/9Jz…=", "sha256/backup…="])
/// let transport = try AsyncHTTPClientTransport(connection: settings)
/// ```
///
/// A setting that is left alone is as the transport has it. One that a transport or platform cannot keep is a
/// ``ConnectionSettingsError`` when the transport is made, so that no setting is silently ignored;
/// ``TransportCapabilities`` says what a transport can keep.
public struct ConnectionSettings: Sendable {
    /// The time to resolve the name, connect and secure the connection, at most.
    public var connectTimeout: Duration?
    /// The oldest version of TLS that is accepted.
    public var minimumTLSVersion: TLSVersion?
    /// The servers that are trusted; those that the platform trusts by default.
    public var trust: ServerTrust = .system
    /// The certificate and key that the client shows to a server that asks for a certificate.
    public var clientIdentity: ClientIdentity?
    /// The proxy that connections go to first; as the transport has it by default.
    public var proxy: Proxy?
    /// Whether networks may be used that cost money, such as cellular ones and personal hotspots.
    public var allowsExpensiveNetworks = true
    /// Whether networks may be used for which the user has asked to save data.
    public var allowsConstrainedNetworks = true
    /// Whether a call waits for a network when there is none, instead of failing at once.
    public var waitsForConnectivity = false

    /// Settings that leave everything as the transport has it.
    public init() {}

    /// A version of TLS.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum TLSVersion: String, Sendable, Hashable, CustomStringConvertible {
        /// TLS 1.2, RFC 5246.
        case tls12 = "TLS 1.2"
        /// TLS 1.3, RFC 8446.
        case tls13 = "TLS 1.3"

        /// The name of the version.
        public var description: String { rawValue }
    }

    /// A proxy server.
    public struct Proxy: Sendable, Hashable {
        /// A protocol of proxies.
        public enum Kind: Sendable, Hashable {
            /// An HTTP proxy: a tunnel (CONNECT, RFC 9110 §9.3.6), which some transports use for https alone.
            case http
            /// A SOCKS 5 proxy.
            case socks
        }

        /// The protocol of the proxy.
        public let kind: Kind
        /// Its host name or address.
        public let host: String
        /// Its port.
        public let port: Int
        /// The user for Basic authentication; HTTP proxies alone.
        public let user: String?
        /// The password for it.
        public let password: Secret?

        /// An HTTP proxy, by default without authentication.
        public static func http(host: String, port: Int, user: String? = nil, password: Secret? = nil) -> Proxy {
            Proxy(kind: .http, host: host, port: port, user: user, password: password)
        }

        /// A SOCKS 5 proxy.
        public static func socks(host: String, port: Int = 1080) -> Proxy {
            Proxy(kind: .socks, host: host, port: port, user: nil, password: nil)
        }
    }

    /// A certificate with its private key.
    public struct ClientIdentity: Sendable, Hashable {
        /// The certificate and key in PKCS #12 form (RFC 7292).
        package let bytes: [UInt8]
        /// The passphrase that the bytes are encrypted with.
        package let passphrase: Secret

        /// An identity from the bytes of a `.p12` or `.pfx` file, RFC 7292.
        ///
        /// - Parameters:
        ///   - bytes: The content of the file.
        ///   - passphrase: What it is encrypted with.
        public init(pkcs12 bytes: some Sequence<UInt8>, passphrase: Secret) {
            self.bytes = Array(bytes)
            self.passphrase = passphrase
        }
    }
}

/// A connection setting that is not valid, or that the transport cannot keep.
public struct ConnectionSettingsError: HTTPChainError, Hashable {
    /// The problem.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// The transport cannot keep this setting on this platform; the second text says what to do instead.
        case unsupported(setting: String, advice: String)
        /// The value of this setting is not valid, for this reason.
        case invalid(setting: String, why: String)
    }

    /// The problem.
    public let problem: Problem
    /// The transport that was to be made.
    public let stage: String

    /// Makes the error for a problem.
    public init(_ problem: Problem, stage: String) {
        self.problem = problem
        self.stage = stage
    }

    /// The problem.
    public var reason: String {
        switch problem {
        case .unsupported(let setting, _): "the transport cannot keep the setting \(setting) on this platform"
        case .invalid(let setting, let why): "the setting \(setting) is not valid: \(why)"
        }
    }

    /// The setting or transport to use instead; nil for a value that has to be corrected.
    public var recoverySuggestion: String? {
        if case .unsupported(_, let advice) = problem { advice } else { nil }
    }
}
