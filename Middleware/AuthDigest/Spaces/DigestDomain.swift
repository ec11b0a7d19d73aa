import HTTPChainAuth
import HTTPChainCore

/// Where the credentials of a protection space are good: what `domain` of a challenge says, RFC 7616 §3.3.
struct DigestDomain: Sendable, Hashable {
    private struct Root: Sendable, Hashable {
        let origin: Origin
        let path: String
    }

    private let roots: [Root]

    /// Reads a challenge's list.
    ///
    /// - Parameters:
    ///   - challenge: The challenge. Without a list, and from a proxy, all of its origin is meant.
    ///   - space: Who sent it.
    ///   - mayGoTo: Whether the user's credentials are meant for an origin that the list names: a server alone cannot
    ///     have them sent elsewhere.
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

    /// How much of a path a root in the list covers, the longest one; `nil` when none covers it.
    func coverage(of path: String, at origin: Origin) -> Int? {
        roots.lazy
            .filter { $0.origin == origin && path.utf8.starts(with: $0.path.utf8) }
            .map(\.path.utf8.count)
            .max()
    }
}
