import Foundation
import HTTPChainCore
import HTTPChainSupport

#if canImport(FoundationNetworking)
import FoundationNetworking
#else
import CryptoKit
import Network
import Security
#endif

/// The connection settings as applied to URLSession.
final class ConnectionControl: Sendable {
    static let standard = ConnectionControl()

    #if canImport(FoundationNetworking)
    private init() {}

    /// Throws if there are any settings, because FoundationNetworking doesn't pass them to libcurl, which makes its
    /// connections.
    ///
    /// - Throws: ``ConnectionSettingsError`` for any setting.
    init(_ settings: ConnectionSettings) throws(ConnectionSettingsError) {
        let given: [(String, Bool)] = [
            ("connectTimeout", settings.connectTimeout != nil),
            ("minimumTLSVersion", settings.minimumTLSVersion != nil),
            ("trust", settings.trust.roots != nil || !settings.trust.pinned.isEmpty),
            ("clientIdentity", settings.clientIdentity != nil),
            ("proxy", settings.proxy != nil),
            ("allowsExpensiveNetworks", !settings.allowsExpensiveNetworks),
            ("allowsConstrainedNetworks", !settings.allowsConstrainedNetworks),
            ("waitsForConnectivity", settings.waitsForConnectivity),
        ]
        if let (setting, _) = given.first(where: \.1) {
            throw .unsupported(setting, "use AsyncHTTPClientTransport on Linux", stage: stageName)
        }
    }

    var capabilities: TransportCapabilities { [] }

    func apply(to configuration: URLSessionConfiguration) {}
    #else
    private let settings: ConnectionSettings
    /// The trusted roots in DER form.
    private let roots: [Data]?
    private let identity: URLCredential?
    /// For each host, the reason why the last connection was refused; it is used in the error of the call.
    private let refusals = Locked<[String: String]>([:])
    /// The maximum number of hosts in ``refusals``.
    private static let refusalLimit = 1_000

    private init() {
        settings = ConnectionSettings()
        roots = nil
        identity = nil
    }

    /// - Throws: ``ConnectionSettingsError`` for settings that URLSession doesn't support, and for invalid values.
    init(_ settings: ConnectionSettings) throws(ConnectionSettingsError) {
        if settings.connectTimeout != nil {
            let advice = "set requestTimeout, or add an AttemptTimeoutMiddleware"
            throw .unsupported("connectTimeout", advice, stage: stageName)
        }
        if let proxy = settings.proxy, let problem = PortNumber.problem(of: proxy.port) {
            throw .invalid("proxy", problem, stage: stageName)
        }
        self.settings = settings
        roots = try settings.trust.roots.map { (pem) throws(ConnectionSettingsError) in try Self.certificates(pem) }
        identity = try settings.clientIdentity.map { (identity) throws(ConnectionSettingsError) in
            try Self.credential(identity)
        }
    }

    var capabilities: TransportCapabilities {
        [
            .reportsConnections, .checksServerTrust, .showsClientIdentity, .choosesNetworks, .usesProxies,
            .choosesTLSVersion,
        ]
    }

    func apply(to configuration: URLSessionConfiguration) {
        switch settings.minimumTLSVersion {
        case .tls12: configuration.tlsMinimumSupportedProtocolVersion = .TLSv12
        case .tls13: configuration.tlsMinimumSupportedProtocolVersion = .TLSv13
        case nil: break
        }
        if !settings.allowsExpensiveNetworks { configuration.allowsExpensiveNetworkAccess = false }
        if !settings.allowsConstrainedNetworks { configuration.allowsConstrainedNetworkAccess = false }
        if settings.waitsForConnectivity { configuration.waitsForConnectivity = true }
        if let proxy = settings.proxy, let user = proxy.user, let port = UInt16(exactly: proxy.port) {
            // The dictionary below has no key for a user.
            let endpoint = NWEndpoint.hostPort(host: .init(proxy.host), port: .init(integerLiteral: port))
            var server = ProxyConfiguration(httpCONNECTProxy: endpoint)
            server.applyCredential(username: user, password: proxy.password?.revealed ?? "")
            configuration.proxyConfigurations = [server]
        } else if let proxy = settings.proxy {
            // CFNetwork's constants for these keys exist only on macOS, but their values work on all platforms.
            let kinds = proxy.kind == .socks ? ["SOCKS"] : ["HTTP", "HTTPS"]
            var dictionary: [String: Any] = [:]
            for kind in kinds {
                dictionary["\(kind)Enable"] = 1
                dictionary["\(kind)Proxy"] = proxy.host
                dictionary["\(kind)Port"] = proxy.port
            }
            configuration.connectionProxyDictionary = dictionary
        }
    }

    /// The response to a TLS challenge.
    typealias Answer = (URLSession.AuthChallengeDisposition, URLCredential?)

    /// Calls back with the response to a TLS challenge, immediately or later; with nil, the platform decides.
    func answer(to challenge: URLAuthenticationChallenge, _ completion: @escaping @Sendable (Answer?) -> Void) {
        let space = challenge.protectionSpace
        switch space.authenticationMethod {
        case NSURLAuthenticationMethodClientCertificate:
            completion(identity.map { (.useCredential, $0) })
        case NSURLAuthenticationMethodServerTrust:
            let pinned = settings.trust.pinned.first { $0.matches(space.host) }
            guard roots != nil || pinned != nil else { return completion(nil) }
            // Trust is evaluated on another queue, because it may fetch certificates and revocation lists, and the
            // delegate's queue is used by all transfers of the session.
            DispatchQueue.global(qos: .userInitiated).async {
                let space = challenge.protectionSpace
                completion(space.serverTrust.map { self.verdict(on: $0, of: space.host, pinned) })
            }
        default:
            completion(nil)
        }
    }

    private func verdict(on trust: SecTrust, of host: String, _ pinned: PinnedKeys?) -> Answer {
        if let roots {
            SecTrustSetAnchorCertificates(
                trust,
                roots.compactMap { SecCertificateCreateWithData(nil, $0 as CFData) } as CFArray
            )
            SecTrustSetAnchorCertificatesOnly(trust, true)
        }
        var failure: CFError?
        guard SecTrustEvaluateWithError(trust, &failure) else {
            let why = failure.flatMap { CFErrorCopyDescription($0) as String? }
            return refuse(host, why ?? "its certificate is not trusted")
        }
        let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate] ?? []
        if let mismatch = pinned?.mismatch(of: host, showing: chain.compactMap { Self.pin(of: $0) }) {
            return refuse(host, mismatch.description)
        }
        refusals.withLock { $0[Self.key(of: host)] = nil }
        return (.useCredential, URLCredential(trust: trust))
    }

    private func refuse(_ host: String, _ why: String) -> Answer {
        refusals.withLock { refusals in
            if refusals.count >= Self.refusalLimit { refusals.removeAll() }
            refusals[Self.key(of: host)] = why
        }
        return (.cancelAuthenticationChallenge, nil)
    }

    /// Returns the reason why the last connection to a host was refused for its certificate or keys, or nil if it
    /// wasn't.
    func refusal(of host: String) -> String? {
        refusals.withLock { $0[Self.key(of: host)] }
    }

    /// Returns the key of a server, which doesn't depend on how its host is written.
    private static func key(of host: String) -> String {
        URLHost(unbracketed: host)?.withoutRootDot.text ?? host
    }

    private static func pin(of certificate: SecCertificate) -> PublicKeyPin? {
        guard let key = SecCertificateCopyKey(certificate),
            let bytes = SecKeyCopyExternalRepresentation(key, nil) as Data?,
            let attributes = SecKeyCopyAttributes(key) as? [String: Any],
            let type = attributes[kSecAttrKeyType as String] as? String
        else { return nil }
        let isRSA = type == kSecAttrKeyTypeRSA as String
        let info = isRSA ? SubjectPublicKeyInfo.der(rsa: Array(bytes)) : SubjectPublicKeyInfo.der(ecPoint: Array(bytes))
        return info.map { PublicKeyPin(sha256: SHA256.hash(data: $0)) }
    }

    private static func certificates(_ pem: String) throws(ConnectionSettingsError) -> [Data] {
        let certificates = pem.components(separatedBy: "-----BEGIN CERTIFICATE-----").dropFirst().compactMap { part in
            part.components(separatedBy: "-----END CERTIFICATE-----").first
                .flatMap { Data(base64Encoded: $0, options: .ignoreUnknownCharacters) }
                .flatMap { SecCertificateCreateWithData(nil, $0 as CFData) == nil ? nil : $0 }
        }
        guard !certificates.isEmpty else {
            throw .invalid("trust", "the roots are not certificates in PEM form", stage: stageName)
        }
        return certificates
    }

    private static func credential(
        _ identity: ConnectionSettings.ClientIdentity
    ) throws(ConnectionSettingsError) -> URLCredential {
        var items: CFArray?
        var options: [String: Any] = [kSecImportExportPassphrase as String: identity.passphrase.revealed]
        // Before macOS 15, the key is added to the user's keychain. The other platforms have always kept it in memory.
        if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
            options[kSecImportToMemoryOnly as String] = true
        }
        let status = SecPKCS12Import(Data(identity.bytes) as CFData, options as CFDictionary, &items)
        guard status == errSecSuccess, let first = (items as? [[String: Any]])?.first,
            let value = first[kSecImportItemIdentity as String] as AnyObject?,
            CFGetTypeID(value) == SecIdentityGetTypeID()
        else {
            let why = "it is not PKCS #12, or the passphrase is wrong (status \(status))"
            throw .invalid("clientIdentity", why, stage: stageName)
        }
        let secIdentity = unsafeDowncast(value, to: SecIdentity.self)
        let chain = first[kSecImportItemCertChain as String] as? [SecCertificate] ?? []
        return URLCredential(identity: secIdentity, certificates: Array(chain.dropFirst()), persistence: .none)
    }
    #endif
}

#if !canImport(FoundationNetworking)
extension ConnectionMetrics {
    /// Creates the metrics of the last exchange of a task.
    init?(_ metrics: URLSessionTaskMetrics) {
        guard let last = metrics.transactionMetrics.last else { return nil }
        func duration(_ start: Date?, _ end: Date?) -> Duration? {
            guard let start, let end else { return nil }
            return .seconds(end.timeIntervalSince(start))
        }
        self.init()
        protocolName = last.networkProtocolName
        isReused = last.isReusedConnection
        domainLookup = duration(last.domainLookupStartDate, last.domainLookupEndDate)
        connect = duration(last.connectStartDate, last.connectEndDate)
        secureConnection = duration(last.secureConnectionStartDate, last.secureConnectionEndDate)
        isProxied = last.isProxyConnection
        isExpensive = last.isExpensive
        isConstrained = last.isConstrained
    }
}
#endif
