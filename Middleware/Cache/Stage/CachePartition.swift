public import HTTPChainCore

/// What keeps the entries of different users apart.
///
/// The request that reaches the cache does not tell who makes it: credentials are added further in. So a chain with an
/// authentication stage needs a partition.
public struct CachePartition: Sendable {
    enum Kind: Sendable {
        case none
        case shared
        case by(@Sendable (Request) async throws -> String?)
    }

    let kind: Kind

    /// All callers share what is stored, and nobody has thought about it: refused beside an authentication stage.
    public static let none = CachePartition(kind: .none)

    /// All callers share what is stored: there is one user, or what is stored is the same for all.
    public static let shared = CachePartition(kind: .shared)

    /// What the closure says for each call: the user's name or number, never a secret, because stores write it down.
    ///
    /// It may say something else for the next call, when another user has logged in. `nil` is the partition of those
    /// who are not logged in. What it throws, the call throws.
    public static func by(_ partition: @escaping @Sendable (Request) async throws -> String?) -> CachePartition {
        CachePartition(kind: .by(partition))
    }
}
