import HTTPChainCore

/// A scheme, whose credentials it is about, and how strong it is.
struct KnownScheme: Sendable, Hashable {
    let target: AuthenticationTarget
    let name: String
    let strength: AuthenticationStrength
    /// Whether the origin has accepted it before.
    var isProven = false
}

/// The schemes that stages further out answer: a stage further in leaves a challenge to them that offers a stronger one.
enum OuterSchemes: RequestOption {
    static var defaultValue: [KnownScheme] { [] }
}

/// The scheme whose credentials were sent and rejected: a stage further out does not follow with a weaker one.
enum RejectedScheme: ResponseOption {
    static var defaultValue: KnownScheme? { nil }
}

extension [KnownScheme] {
    /// Whether there is a stronger scheme among them than the authenticator's, of those that are meant.
    func hold(
        _ authenticator: any Authenticator,
        back target: AuthenticationTarget,
        where isMeant: (KnownScheme) -> Bool
    ) -> Bool {
        contains { $0.target == target && $0.strength > authenticator.strength && isMeant($0) }
    }
}
