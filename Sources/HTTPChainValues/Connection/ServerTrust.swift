import Foundation
import HTTPChainSupport

/// The servers that a transport trusts.
///
/// The certificate chain and the host name are always verified. Pins are an additional condition.
public struct ServerTrust: Sendable {
    /// The certificates trusted as roots, in PEM format; nil for the platform's.
    package private(set) var roots: String?
    /// The pinned keys of hosts.
    package private(set) var pinned: [PinnedKeys] = []

    /// Trusts servers whose certificates lead to a root that the platform trusts.
    public static let system = ServerTrust()

    /// Trusts only servers whose certificates lead to one of these roots.
    ///
    /// Use it for a company's own certificate authority.
    ///
    /// - Parameter pem: One or more certificates in PEM format (RFC 7468 §5).
    public static func roots(pem: String) -> ServerTrust {
        var trust = ServerTrust()
        trust.roots = pem
        return trust
    }

    /// Returns the same trust with an additional condition: the host must present one of these public keys.
    ///
    /// Pin the key in use and at least one backup key. Otherwise, a host that has to change its key is unreachable
    /// until the application is updated. A mismatch ends the call before anything of the request is sent, with a
    /// ``TransportError`` of kind ``TransportError/Kind/untrustedServer``.
    ///
    /// - Parameters:
    ///   - host: The host name, or `*.example.com` for the names one level below it. The first entry that matches a
    ///     host applies; hosts without a matching entry need no pin. Hosts are compared as parsed by the URL Standard,
    ///     and a trailing dot is ignored: a pin for `localhost` also applies to `https://localhost./`.
    ///   - pins: The keys, each `sha256/` and the SHA-256 hash of the key (its SubjectPublicKeyInfo) in base64, RFC 7469 §2.4:
    ///     `openssl x509 -pubkey -noout -in cert.pem | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary |
    ///     base64`.
    ///   - isEnforced: Whether a mismatch fails the call; `false` to only report it.
    ///   - report: A closure called for each mismatch, from any thread; it must return quickly.
    /// - Throws: ``ConnectionSettingsError`` if there are no pins, a pin is malformed, or the host isn't a host name.
    public func pinning(
        _ host: String,
        _ pins: [String],
        isEnforced: Bool = true,
        report: (@Sendable (PinMismatch) -> Void)? = nil
    ) throws(ConnectionSettingsError) -> ServerTrust {
        guard !pins.isEmpty else {
            throw .invalid("trust", "no key is pinned for \(host); pin one, and a backup key", stage: "ServerTrust")
        }
        guard let hosts = HostPattern(host) else {
            let why = "keys are pinned for \"\(host)\", which is not a host name"
            throw .invalid("trust", why, stage: "ServerTrust")
        }
        var keys: Set<PublicKeyPin> = []
        for pin in pins { keys.insert(try PublicKeyPin(pin)) }
        var trust = self
        trust.pinned.append(PinnedKeys(hosts: hosts, keys: keys, isEnforced: isEnforced, report: report))
        return trust
    }
}

/// The SHA-256 hash of a public key (its SubjectPublicKeyInfo, RFC 5280 §4.1), as pinned by RFC 7469 §2.4.
///
/// ```sh
/// openssl s_client -connect api.example.com:443 </dev/null | openssl x509 -pubkey -noout |
///     openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64
/// ```
package struct PublicKeyPin: Sendable, Hashable, CustomStringConvertible {
    private let hash: Data

    /// Parses a pin: `sha256/` and the hash in base64.
    ///
    /// - Throws: ``ConnectionSettingsError`` if it is malformed.
    package init(_ text: String) throws(ConnectionSettingsError) {
        guard let base64 = text.without(prefix: "sha256/"), let hash = Data(base64Encoded: String(base64)),
            hash.count == 32
        else {
            let why = "the pin \"\(text)\" is not sha256/ followed by 32 bytes in base64"
            throw .invalid("trust", why, stage: "ServerTrust")
        }
        self.hash = hash
    }

    /// Makes a pin from the hash itself.
    package init(sha256 hash: some Sequence<UInt8>) {
        self.hash = Data(hash)
    }

    /// The textual form of the pin: `sha256/…`.
    package var description: String { "sha256/" + hash.base64EncodedString() }
}

/// A report that a host presented none of the keys pinned for it.
public struct PinMismatch: Sendable, Hashable, CustomStringConvertible {
    /// The host of the connection.
    ///
    /// With async-http-client, a pattern (`*.example.com`) that isn't enforced is reported here instead of the host.
    public let host: String
    /// The keys that the host presented, its own first.
    package let shown: [PublicKeyPin]
    /// The keys pinned for the host.
    package let pinned: Set<PublicKeyPin>
    /// Whether the mismatch fails the call.
    package let isEnforced: Bool

    /// The host, the presented keys and the pinned keys, on one line.
    public var description: String {
        let pins = pinned.map(\.description).sorted().joined(separator: ", ")
        return "\(host) presented \(shown.map(\.description).joined(separator: ", ")), but the pinned keys are \(pins)"
    }
}

/// The keys pinned for a host, or for the hosts one level below a name.
package struct PinnedKeys: Sendable {
    let hosts: HostPattern
    package let keys: Set<PublicKeyPin>
    package let isEnforced: Bool
    package let report: (@Sendable (PinMismatch) -> Void)?

    /// The host or the pattern that the keys are pinned for.
    package var host: String { hosts.description }

    /// Whether the entry applies to a host.
    package func matches(_ name: String) -> Bool {
        URLHost(unbracketed: name).map { hosts.matches($0, oneLevel: true) } ?? false
    }

    /// Checks a connection, and reports a mismatch.
    ///
    /// - Returns: The mismatch if the call must fail; nil if it may continue.
    package func mismatch(of name: String, showing shown: [PublicKeyPin]) -> PinMismatch? {
        guard keys.isDisjoint(with: shown) else { return nil }
        let mismatch = PinMismatch(host: name, shown: shown, pinned: keys, isEnforced: isEnforced)
        report?(mismatch)
        return isEnforced ? mismatch : nil
    }
}
