import HTTPChainCore

/// The strongest scheme that each origin has accepted in response to a challenge.
///
/// Weaker schemes are no longer used there. Otherwise an attacker on the path could replace the challenge with one that
/// asks for the password itself.
final class ProvenSchemes: Sendable {
    /// Bounded, because servers can name origins.
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
