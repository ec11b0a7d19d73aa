import Foundation
import HTTPChainSupport

/// The servers that a transport trusts.
///
/// The chain of certificates is verified in any case, and with it the host name: pins add a condition and remove none.
public struct ServerTrust: Sendable {
    /// The certificates that are trusted as roots, in PEM form; nil for those of the platform.
    package private(set) var roots: String?
    /// The keys that hosts must show.
    package private(set) var pinned: [PinnedKeys] = []

    /// Servers whose certificates lead to a root that the platform trusts.
    public static let system = ServerTrust()

    /// Servers whose certificates lead to one of these roots, and no others: a company's own authority.
    ///
    /// - Parameter pem: One or more certificates in PEM form (RFC 7468 §5).
    public static func roots(pem: String) -> ServerTrust {
        var trust = ServerTrust()
        trust.roots = pem
        return trust
    }

    /// The same trust, with the condition that a host shows one of several public keys.
    ///
    /// Pin the key in use and at least one that is kept in reserve: a host that has to change its key is otherwise out
    /// of reach until the application is updated. A mismatch ends the call before anything of the request is sent, with
    /// a ``TransportError`` of kind ``TransportError/Kind/untrustedServer``.
    ///
    /// - Parameters:
    ///   - host: The host name, or `*.example.com` for the names one level below it. The first entry that matches a host
    ///     decides; hosts that match none need no pin. Hosts are compared as the URL Standard parses them, and a dot at
    ///     the end of a name makes no difference: `localhost` is pinned for `https://localhost./`, too.
    ///   - pins: The keys, as ``PublicKeyPin/init(_:)`` reads them.
    ///   - isEnforced: Whether a mismatch fails the call; `false` to report only.
    ///   - report: Is told of each mismatch, from any thread; it must return quickly.
    /// - Throws: ``ConnectionSettingsError`` when there is no pin, or one that is malformed, and for a host that is not
    ///   a host name.
    public func pinning(
        _ host: String,
        _ pins: [String],
        isEnforced: Bool = true,
        report: (@Sendable (PinMismatch) -> Void)? = nil
    ) throws(ConnectionSettingsError) -> ServerTrust {
        guard !pins.isEmpty else {
            throw ConnectionSettingsError(
                .invalid(setting: "trust", why: "no key is pinned for \(host); name one, and one in reserve"),
                stage: "ServerTrust"
            )
        }
        guard let hosts = HostPattern(host) else {
            throw ConnectionSettingsError(
                .invalid(setting: "trust", why: "\"\(host)\", which keys are pinned for, is not a host name"),
                stage: "ServerTrust"
            )
        }
        var keys: Set<PublicKeyPin> = []
        for pin in pins { keys.insert(try PublicKeyPin(pin)) }
        var trust = self
        trust.pinned.append(PinnedKeys(hosts: hosts, keys: keys, isEnforced: isEnforced, report: report))
        return trust
    }
}

/// The SHA-256 hash of a public key (its SubjectPublicKeyInfo, RFC 5280 §4.1), as RFC 7469 §2.4 pins it.
///
/// ```sh
/// openssl s_client -connect api.example.com:443 </dev/null | openssl x509 -pubkey -noout |
///     openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | base64
/// ```
public struct PublicKeyPin: Sendable, Hashable, CustomStringConvertible {
    private let hash: Data

    /// Reads a pin: `sha256/` and the hash in base64.
    ///
    /// - Throws: ``ConnectionSettingsError`` when it is anything else.
    public init(_ text: String) throws(ConnectionSettingsError) {
        guard let base64 = text.without(prefix: "sha256/"), let hash = Data(base64Encoded: String(base64)),
            hash.count == 32
        else {
            throw ConnectionSettingsError(
                .invalid(setting: "trust", why: "the pin \"\(text)\" is not sha256/ and 32 bytes in base64"),
                stage: "ServerTrust"
            )
        }
        self.hash = hash
    }

    /// A pin from the hash itself.
    package init(sha256 hash: some Sequence<UInt8>) {
        self.hash = Data(hash)
    }

    /// The pin as it is written: `sha256/…`.
    public var description: String { "sha256/" + hash.base64EncodedString() }
}

/// A host has shown none of the keys that are pinned for it.
public struct PinMismatch: Sendable, Hashable, CustomStringConvertible {
    /// The host that was connected to.
    ///
    /// Over async-http-client, an entry for a pattern (`*.example.com`) that is not enforced names the pattern.
    public let host: String
    /// The keys that it showed, its own first.
    public let shown: [PublicKeyPin]
    /// The keys that are pinned for it.
    public let pinned: Set<PublicKeyPin>
    /// Whether the call fails for it.
    public let isEnforced: Bool

    /// Host, keys shown and keys pinned, on one line.
    public var description: String {
        let pins = pinned.map(\.description).sorted().joined(separator: ", ")
        return "\(host) showed \(shown.map(\.description).joined(separator: ", ")), and pinned are \(pins)"
    }
}

/// The keys that one host, or the hosts one level below a name, must show.
package struct PinnedKeys: Sendable {
    private let hosts: HostPattern
    package let keys: Set<PublicKeyPin>
    package let isEnforced: Bool
    package let report: (@Sendable (PinMismatch) -> Void)?

    package init(
        hosts: HostPattern,
        keys: Set<PublicKeyPin>,
        isEnforced: Bool,
        report: (@Sendable (PinMismatch) -> Void)?
    ) {
        self.hosts = hosts
        self.keys = keys
        self.isEnforced = isEnforced
        self.report = report
    }

    /// The host or the pattern that the keys are pinned for.
    package var host: String { hosts.description }

    /// Whether the entry is about a host.
    package func matches(_ name: String) -> Bool {
        URLHost(unbracketed: name).map { hosts.matches($0, oneLevel: true) } ?? false
    }

    /// Decides about a connection, and reports a mismatch.
    ///
    /// - Returns: Why the call must fail; nil when it may go on.
    package func mismatch(of name: String, showing shown: [PublicKeyPin]) -> PinMismatch? {
        guard keys.isDisjoint(with: shown) else { return nil }
        let mismatch = PinMismatch(host: name, shown: shown, pinned: keys, isEnforced: isEnforced)
        report?(mismatch)
        return isEnforced ? mismatch : nil
    }
}
