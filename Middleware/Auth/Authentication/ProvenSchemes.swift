import HTTPChainCore

/// The strongest scheme that each origin has accepted after it had asked for it.
///
/// From then on no weaker one is used there: whoever sits on the way could otherwise replace the challenge by one that
/// asks for the password itself.
final class ProvenSchemes: Sendable {
    /// Origins may be named by servers, so that there must be an end to them.
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
