public import HTTPChainCore

/// What keeps the calls of different users apart.
///
/// The request that reaches the stage does not tell who makes it: credentials are added further in. So a chain with an
/// authentication stage needs a partition.
public struct CoalescingPartition: Sendable {
    enum Kind: Sendable {
        case none
        case shared
        case by(@Sendable (Request) async throws -> String?)
    }

    let kind: Kind

    /// All callers are taken for one, and nobody has thought about it: refused beside an authentication stage.
    public static let none = CoalescingPartition(kind: .none)

    /// All callers are taken for one: there is one user, or what is answered is the same for all.
    public static let shared = CoalescingPartition(kind: .shared)

    /// What the closure says for each call: the user's name or number.
    ///
    /// It may say something else for the next call, when another user has logged in. `nil` is the partition of those
    /// who are not logged in. What it throws, the call throws.
    public static func by(_ partition: @escaping @Sendable (Request) async throws -> String?) -> CoalescingPartition {
        CoalescingPartition(kind: .by(partition))
    }
}
