import HTTPChainAuth
import HTTPChainCore

/// The URLs for which a protection space's credentials are valid: the challenge's `domain`, RFC 7616 §3.3.
struct DigestDomain: Sendable, Hashable {
    private struct Root: Sendable, Hashable {
        let origin: Origin
        let path: String
    }

    private let roots: [Root]

    /// Parses a challenge's list.
    ///
    /// - Parameters:
    ///   - challenge: The challenge. Without a list, or from a proxy, it covers the whole origin.
    ///   - space: The protection space.
    ///   - mayGoTo: Whether the credentials may be sent to an origin in the list. The server alone can't decide that.
    init(_ challenge: DigestChallenge, of space: ProtectionSpace, mayGoTo: (Origin) -> Bool) {
        guard !challenge.domain.isEmpty, space.target == .origin else {
            roots = [Root(origin: space.origin, path: "")]
            return
        }
        roots = challenge.domain.compactMap { text in
            let reference = URLReference(text)
            guard let authority = reference.authority else {
                return reference.path.begins(with: "/") ? Root(origin: space.origin, path: reference.path) : nil
            }
            let scheme = reference.scheme ?? space.origin.scheme
            guard let origin = Origin(scheme: scheme, authority: authority), origin == space.origin || mayGoTo(origin)
            else { return nil }
            return Root(origin: origin, path: reference.path)
        }
    }

    /// Returns the length of the longest root that covers the path, or `nil` if none does.
    func coverage(of path: String, at origin: Origin) -> Int? {
        roots.lazy
            .filter { $0.origin == origin && path.utf8.starts(with: $0.path.utf8) }
            .map(\.path.utf8.count)
            .max()
    }
}
