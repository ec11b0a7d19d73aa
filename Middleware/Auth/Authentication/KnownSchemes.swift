import HTTPChainCore

/// A scheme, the party that asks for its credentials, and its strength.
struct KnownScheme: Sendable, Hashable {
    let target: AuthenticationTarget
    let name: String
    let strength: AuthenticationStrength
    /// Whether the origin has accepted it before.
    let isProven: Bool

    init(_ authenticator: any Authenticator, _ target: AuthenticationTarget, isProven: Bool = false) {
        self.target = target
        name = authenticator.scheme
        strength = authenticator.strength
        self.isProven = isProven
    }
}

/// The schemes of outer stages; if a challenge offers a stronger one of these, an inner stage leaves it unanswered.
enum OuterSchemesNote: RequestNote {
    static var defaultValue: [KnownScheme] { [] }
}

/// The scheme whose credentials were rejected; an outer stage doesn't try a weaker one.
enum RejectedSchemeFact: ResponseOption {
    static var defaultValue: KnownScheme? { nil }
}

extension [KnownScheme] {
    /// Whether one of the schemes that satisfy the predicate is stronger than the authenticator's.
    func hold(
        _ authenticator: any Authenticator,
        back target: AuthenticationTarget,
        where isMeant: (KnownScheme) -> Bool
    ) -> Bool {
        contains { $0.target == target && $0.strength > authenticator.strength && isMeant($0) }
    }
}

/// The strongest scheme that each origin has accepted in response to a challenge.
///
/// Weaker schemes are then no longer used at that origin. Otherwise an attacker on the network path could replace the
/// challenge with one that asks for the password itself.
final class ProvenSchemes: Sendable {
    /// Limited, because servers choose the origins that they redirect to.
    private static let capacity = 1024

    private let schemes = Locked<[Origin: KnownScheme]>([:])

    func scheme(at origin: Origin) -> KnownScheme? {
        schemes.withLock { $0.isEmpty ? nil : $0[origin] }
    }

    func note(_ scheme: KnownScheme, at origin: Origin) {
        schemes.withLock { schemes in
            if let known = schemes[origin], known.strength >= scheme.strength { return }
            if schemes.count >= Self.capacity, schemes[origin] == nil { return }
            schemes[origin] = scheme
        }
    }
}
