import HTTPChainSupport
import HTTPTypes

/// The rule that keeps the users of one chain apart in stages that let calls share an answer: caching and coalescing.
///
/// The request that reaches such a stage does not tell who makes it: credentials are added further in. So a chain with
/// an authentication stage needs a partition. Give the same one to the cache and to coalescing.
public struct UserPartition: Sendable {
    package enum Kind: Sendable {
        case none
        case shared
        case by(@Sendable (Request) throws -> String?)
        case asking(@Sendable (Request) async throws -> String?)
        case byCredentials
    }

    package let kind: Kind

    /// All callers are taken for one, and nobody has thought about it: refused beside an authentication stage, and
    /// calls that bring credentials of their own do not share what is stored.
    public static let none = UserPartition(kind: .none)

    /// All callers are taken for one: there is one user, or what is answered is the same for all.
    public static let shared = UserPartition(kind: .shared)

    /// Keeps users apart by the text that the closure returns for each call: the user's name or number, never a secret,
    /// because stores write it down.
    ///
    /// It may say something else for the next call, when another user has logged in. `nil` is the partition of those
    /// who are not logged in. What it throws, the call throws.
    public static func by(_ partition: @escaping @Sendable (Request) throws -> String?) -> UserPartition {
        UserPartition(kind: .by(partition))
    }

    /// Keeps users apart by the text that the closure finds out for each call, held to the deadline of the call.
    ///
    /// Otherwise as the one that is at once: `nil` is the partition of those who are not logged in, and what it throws,
    /// the call throws.
    public static func by(_ partition: @escaping @Sendable (Request) async throws -> String?) -> UserPartition {
        UserPartition(kind: .asking(partition))
    }

    /// The credentials that the request brings: `Authorization`, `Cookie`, and every other field that is a secret by the
    /// chain's ``Redaction``, such as `X-Api-Key`.
    ///
    /// For callers who set these themselves; refused beside an authentication stage, which sets them too late to be
    /// seen. Their SHA-256 is what stores write down. A call whose credentials are an option, which has no value that
    /// could be compared, shares with no other.
    public static let byCredentials = UserPartition(kind: .byCredentials)

    /// Whether it tells users apart whose credentials are added further in.
    package var seesUsers: Bool {
        switch kind {
        case .by, .asking: true
        case .none, .shared, .byCredentials: false
        }
    }

    /// Whether users are told apart at all.
    package var isApart: Bool {
        switch kind {
        case .none, .shared: false
        case .by, .asking, .byCredentials: true
        }
    }

    /// Whether all callers are taken for one because the application said so.
    package var isShared: Bool {
        if case .shared = kind { true } else { false }
    }

    /// The owner of an exchange.
    package enum Owner: Sendable, Hashable {
        /// Somebody, by a name that tells one from another; empty for those who are not logged in.
        case user(String)
        /// Not known: nothing may be shared.
        case unknown
    }

    /// Whether a request still belongs to whom it belonged to before it was sent.
    ///
    /// The closures are asked again: when another user has logged in meanwhile, nobody knows with whose credentials the
    /// request went out, and what came back is nobody's to share. One that fails does not say so.
    package func isOwner(_ name: String, of request: Request) async -> Bool {
        guard seesUsers else { return true }
        guard case .user(let now)? = try? await owner(of: request) else { return false }
        return now.hasSameBytes(as: name)
    }

    /// The owner of a request.
    ///
    /// - Throws: What the closure throws.
    package func owner(of request: borrowing Request) async throws -> Owner {
        switch kind {
        case .shared: return .user("")
        case .none: return request.bringsCredentials ? .unknown : .user("")
        case .by(let partition): return .user(try partition(copy request) ?? "")
        case .asking(let partition):
            let request = copy request
            return .user(try await request.withinDeadline { try await partition(request) } ?? "")
        case .byCredentials:
            if request.options.hasCredentials { return .unknown }
            let credentials = request.head.headerFields.credentials(by: request.redaction)
            return .user(credentials.isEmpty ? "" : SHA256Digest.hex(of: credentials.joined(separator: "\n")))
        }
    }
}
