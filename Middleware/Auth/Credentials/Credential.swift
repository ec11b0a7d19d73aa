public import HTTPChainCore
import HTTPChainSupport

/// A user's name and password.
public struct Credential: Sendable, Hashable {
    /// The user's name.
    public let user: String
    /// The password, redacted when printed.
    public let password: Secret

    /// Makes a credential.
    public init(user: String, password: Secret) {
        self.user = user
        self.password = password
    }

    /// Whether both have the same password and user; names are compared by bytes.
    public static func == (one: Credential, other: Credential) -> Bool {
        one.user.hasSameBytes(as: other.user) && one.password == other.password
    }
}

extension Credential: CustomStringConvertible, DescribedValue {
    /// The user's name, without the password.
    package var words: String { "credential of \(user)" }
}

/// The part of a server that a credential is valid for, RFC 9110 §11.5.
public struct ProtectionSpace: Sendable, Hashable, CustomStringConvertible, DescribedValue {
    /// The server, or the proxy.
    public let origin: Origin
    /// The name in the challenge; `nil` if the challenge has none, or there was no challenge yet.
    public let realm: String?
    /// Whether the server or a proxy asks for the credential.
    package let target: AuthenticationTarget
    /// The authentication scheme, in lower case: `basic`, `digest`, `bearer`.
    package let scheme: String

    /// Makes a space.
    ///
    /// - Parameters:
    ///   - origin: The server, or the proxy.
    ///   - realm: The name in the challenge.
    ///   - target: The party that asks for the credential. Defaults to the server.
    ///   - scheme: The authentication scheme, ignoring letter case.
    public init(origin: Origin, realm: String?, target: AuthenticationTarget = .origin, scheme: String) {
        self.origin = origin
        self.realm = realm
        self.target = target
        self.scheme = scheme.lowercased()
    }

    /// Whether both are the same space; realms are compared by bytes.
    public static func == (one: ProtectionSpace, other: ProtectionSpace) -> Bool {
        one.origin == other.origin && one.realm.hasSameBytes(as: other.realm) && one.target == other.target
            && one.scheme == other.scheme
    }

    /// Scheme, realm and origin.
    package var words: String {
        let name = realm.map { " \(Challenge.quoted($0))" } ?? ""
        return "\(scheme)\(name) at \(target == .proxy ? "the proxy " : "")\(origin)"
    }
}
