#if AsyncHTTPClient
import AsyncHTTPClient
import Foundation
import HTTPChainCore
import NIOCore
import NIOSSL

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// Applies connection settings to async-http-client.
///
/// It uses NIOSSL for TLS. On Apple platforms, a client with a TLS setting therefore runs on SwiftNIO's event loops,
/// not on Network.framework's.
struct ClientSettings {
    private static let stage = "AsyncHTTPClientTransport"

    let settings: ConnectionSettings

    /// - Throws: ``ConnectionSettingsError`` for unsupported settings.
    init(_ settings: ConnectionSettings) throws(ConnectionSettingsError) {
        self.settings = settings
        if !settings.allowsExpensiveNetworks || !settings.allowsConstrainedNetworks {
            let advice = "use URLSessionTransport on an Apple platform"
            throw .unsupported("allowsExpensiveNetworks", advice, stage: Self.stage)
        }
        if settings.waitsForConnectivity {
            let advice = "use URLSessionTransport on an Apple platform, or a retry stage"
            throw .unsupported("waitsForConnectivity", advice, stage: Self.stage)
        }
    }

    /// Changes a configuration.
    ///
    /// Pins are applied separately; see ``pin(_:_:)``.
    func apply(to configuration: inout HTTPClient.Configuration) throws(ConnectionSettingsError) {
        if let timeout = settings.connectTimeout {
            configuration.timeout.connect = TimeAmount(bounding: timeout)
        }
        if let proxy = settings.proxy { configuration.proxy = try Self.proxy(proxy) }
        var tls = configuration.tlsConfiguration ?? .makeClientConfiguration()
        switch settings.minimumTLSVersion {
        case .tls12: tls.minimumTLSVersion = .tlsv12
        case .tls13: tls.minimumTLSVersion = .tlsv13
        case nil: break
        }
        if let pem = settings.trust.roots {
            do {
                tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(pem.utf8)))
            } catch {
                throw .invalid("trust", "the roots are not certificates in PEM form (\(error))", stage: Self.stage)
            }
        }
        if let identity = settings.clientIdentity {
            do {
                let bundle = try NIOSSLPKCS12Bundle(
                    buffer: identity.bytes,
                    passphrase: Array(identity.passphrase.revealed.utf8)
                )
                tls.certificateChain = bundle.certificateChain.map { .certificate($0) }
                tls.privateKey = .privateKey(bundle.privateKey)
            } catch {
                let why = "it is not PKCS #12, or the passphrase is wrong (\(error))"
                throw .invalid("clientIdentity", why, stage: Self.stage)
            }
        }
        configuration.tlsConfiguration = tls
    }

    /// Refuses each connection on which the host presents none of its pinned keys, before anything is sent.
    static func pin(_ pinned: PinnedKeys, _ configuration: inout HTTPClient.Configuration) {
        let host = pinned.host
        let check: @Sendable (any Channel) -> EventLoopFuture<Void> = { channel in
            channel.nioSSL_peerCertificate().flatMapThrowing { certificate in
                let shown = try certificate.map {
                    PublicKeyPin(sha256: SHA256.hash(data: try $0.extractPublicKey().toSPKIBytes()))
                }
                guard let shown, pinned.isEnforced else {
                    if shown == nil { throw PinMismatchError(pinned: pinned, shown: nil) }
                    // The call isn't affected, so the mismatch is reported here, with the pinned name or pattern as the
                    // host.
                    _ = pinned.mismatch(of: host, showing: shown.map { [$0] } ?? [])
                    return
                }
                guard pinned.keys.contains(shown) else { throw PinMismatchError(pinned: pinned, shown: shown) }
            }.flatMapErrorThrowing { error in
                channel.close(promise: nil)
                throw error
            }
        }
        configuration.http1_1ConnectionDebugInitializer = check
        configuration.http2ConnectionDebugInitializer = check
    }

    private static func proxy(
        _ proxy: ConnectionSettings.Proxy
    ) throws(ConnectionSettingsError) -> HTTPClient.Configuration.Proxy {
        if let problem = PortNumber.problem(of: proxy.port) { throw .invalid("proxy", problem, stage: stage) }
        switch proxy.kind {
        case .socks:
            return .socksServer(host: proxy.host, port: proxy.port)
        case .http:
            let authorization = proxy.user.map {
                HTTPClient.Authorization.basic(username: $0, password: proxy.password?.revealed ?? "")
            }
            return .server(host: proxy.host, port: proxy.port, authorization: authorization)
        }
    }
}

extension TimeAmount {
    /// Makes a time for the client, which counts nanoseconds.
    ///
    /// Clamps it to the range from zero to a year, which is longer than any wait.
    init(bounding duration: Duration) {
        self = .nanoseconds(min(duration, .seconds(31_536_000)).bounded.nanoseconds)
    }
}

/// An error for a host that presented none of its pinned keys.
///
/// The call reports it, because only the call has the host's name.
struct PinMismatchError: Error {
    let pinned: PinnedKeys
    /// The key that the host presented; nil if it presented no certificate.
    let shown: PublicKeyPin?

    /// Reports the mismatch, and returns its description.
    func detail(for host: String) -> String {
        guard let shown else { return "\(host) presented no certificate" }
        return pinned.mismatch(of: host, showing: [shown])?.description ?? "\(host) presented \(shown)"
    }
}
#endif
