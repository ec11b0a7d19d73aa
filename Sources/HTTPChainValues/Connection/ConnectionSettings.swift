public import HTTPChainRedaction

/// The settings of a transport's connections: TLS, trust in servers, proxy, networks.
///
/// ```swift
/// let settings = ConnectionSettings(
///     connectTimeout: .seconds(5),
///     minimumTLSVersion: .tls13,
///     trust: try .system.pinning("api.example.com", ["sha256/9Jz…=", "sha256/backup…="])
/// )
/// let transport = try AsyncHTTPClientTransport(connection: settings)
/// ```
///
/// If a setting isn't set, the transport's default applies. If a transport or platform doesn't support a setting,
/// creating the transport throws a ``ConnectionSettingsError``, so that no setting is silently ignored.
/// ``TransportCapabilities`` says what a transport supports.
public struct ConnectionSettings: Sendable {
    /// The maximum time to resolve the name, connect and secure the connection.
    package var connectTimeout: Duration?
    /// The oldest TLS version that is accepted.
    package var minimumTLSVersion: TLSVersion?
    /// The servers that are trusted.
    package var trust: ServerTrust
    /// The certificate and key that the client presents to a server that requests a certificate.
    package var clientIdentity: ClientIdentity?
    /// The proxy for connections.
    package var proxy: Proxy?
    /// Whether networks that cost money may be used.
    package var allowsExpensiveNetworks: Bool
    /// Whether networks with data saving enabled by the user may be used.
    package var allowsConstrainedNetworks: Bool
    /// Whether a call waits for a network if there is none.
    package var waitsForConnectivity: Bool

    /// Makes settings, by default those of the transport.
    ///
    /// - Parameters:
    ///   - connectTimeout: The maximum time to resolve the name, connect and secure the connection.
    ///   - minimumTLSVersion: The oldest TLS version that is accepted.
    ///   - trust: The servers that are trusted; by default those that the platform trusts.
    ///   - clientIdentity: The certificate and key that the client presents to a server that requests a certificate.
    ///   - proxy: The proxy for connections.
    ///   - allowsExpensiveNetworks: Whether networks that cost money may be used, such as cellular ones and personal
    ///     hotspots; `true` by default.
    ///   - allowsConstrainedNetworks: Whether networks with data saving enabled by the user may be used; `true` by
    ///     default.
    ///   - waitsForConnectivity: Whether a call waits for a network if there is none, instead of failing immediately;
    ///     `false` by default.
    public init(
        connectTimeout: Duration? = nil,
        minimumTLSVersion: TLSVersion? = nil,
        trust: ServerTrust = .system,
        clientIdentity: ClientIdentity? = nil,
        proxy: Proxy? = nil,
        allowsExpensiveNetworks: Bool = true,
        allowsConstrainedNetworks: Bool = true,
        waitsForConnectivity: Bool = false
    ) {
        self.connectTimeout = connectTimeout
        self.minimumTLSVersion = minimumTLSVersion
        self.trust = trust
        self.clientIdentity = clientIdentity
        self.proxy = proxy
        self.allowsExpensiveNetworks = allowsExpensiveNetworks
        self.allowsConstrainedNetworks = allowsConstrainedNetworks
        self.waitsForConnectivity = waitsForConnectivity
    }

    /// A version of TLS.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum TLSVersion: String, Sendable, Hashable {
        /// TLS 1.2, RFC 5246.
        case tls12 = "TLS 1.2"
        /// TLS 1.3, RFC 8446.
        case tls13 = "TLS 1.3"
    }

    /// A proxy server.
    public struct Proxy: Sendable, Hashable {
        /// A proxy protocol.
        package enum Kind: Sendable, Hashable {
            /// An HTTP proxy: a tunnel (CONNECT, RFC 9110 §9.3.6), which some transports only use for https.
            case http
            /// A SOCKS 5 proxy.
            case socks
        }

        /// The protocol of the proxy.
        package let kind: Kind
        /// The proxy's host name or address.
        package let host: String
        /// The proxy's port.
        package let port: Int
        /// The user name for Basic authentication, for HTTP proxies only.
        package let user: String?
        /// The password for Basic authentication.
        package let password: Secret?

        /// Returns an HTTP proxy, by default without authentication.
        public static func http(host: String, port: Int, user: String? = nil, password: Secret? = nil) -> Proxy {
            Proxy(kind: .http, host: host, port: port, user: user, password: password)
        }

        /// Returns a SOCKS 5 proxy.
        public static func socks(host: String, port: Int = 1080) -> Proxy {
            Proxy(kind: .socks, host: host, port: port, user: nil, password: nil)
        }
    }

    /// A certificate with its private key.
    public struct ClientIdentity: Sendable, Hashable {
        /// The certificate and key in PKCS #12 format (RFC 7292).
        package let bytes: [UInt8]
        /// The passphrase for the bytes.
        package let passphrase: Secret

        /// Makes an identity from the bytes of a `.p12` or `.pfx` file, RFC 7292.
        ///
        /// - Parameters:
        ///   - bytes: The content of the file.
        ///   - passphrase: The passphrase of the file.
        public init(pkcs12 bytes: some Sequence<UInt8>, passphrase: Secret) {
            self.bytes = Array(bytes)
            self.passphrase = passphrase
        }
    }
}

/// An error thrown if a connection setting is invalid, or unsupported by the transport.
public struct ConnectionSettingsError: Error, Hashable {
    /// The problem.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Problem: Sendable, Hashable {
        /// The transport doesn't support this setting on this platform; the second text is the advice.
        case unsupported(setting: String, advice: String)
        /// The value of this setting is invalid for the given reason.
        case invalid(setting: String, why: String)
    }

    /// The problem.
    public let problem: Problem
    /// The transport that was to be created.
    package let failedStage: String

    /// Makes the error for a setting that a transport doesn't support.
    package static func unsupported(_ setting: String, _ advice: String, stage: String) -> ConnectionSettingsError {
        ConnectionSettingsError(problem: .unsupported(setting: setting, advice: advice), failedStage: stage)
    }

    /// Makes the error for an invalid value of a setting.
    package static func invalid(_ setting: String, _ why: String, stage: String) -> ConnectionSettingsError {
        ConnectionSettingsError(problem: .invalid(setting: setting, why: why), failedStage: stage)
    }
}

extension ConnectionSettings.TLSVersion: CustomStringConvertible {
    /// The name of the version.
    public var description: String { rawValue }
}
