import HTTPChainSupport
import HTTPTypes

/// The rule by which stages that share responses (caching and coalescing) separate users.
///
/// When a request reaches such a stage, it doesn't identify its user yet, because inner stages add the credentials. A
/// chain with an authentication stage therefore needs a partition. Use the same one for caching and coalescing.
public struct UserPartition: Sendable {
    package enum Kind: Sendable {
        case none
        case shared
        case by(@Sendable (Request) throws -> String?)
        case asking(@Sendable (Request) async throws -> String?)
        case byCredentials
    }

    package let kind: Kind

    /// No rule: all callers are treated as one user.
    ///
    /// A chain with an authentication stage rejects it. Calls that bring their own credentials don't share stored
    /// responses.
    public static let none = UserPartition(kind: .none)

    /// All callers are treated as one user, because there is only one, or responses are the same for all.
    public static let shared = UserPartition(kind: .shared)

    /// Separates users by the text that the closure returns for each call: a user's name or number, never a secret,
    /// because stores save it.
    ///
    /// The result may change when another user logs in. `nil` is the partition for users who aren't logged in. If the
    /// closure throws an error, the call throws it.
    public static func by(_ partition: @escaping @Sendable (Request) throws -> String?) -> UserPartition {
        UserPartition(kind: .by(partition))
    }

    /// Separates users by the text that the asynchronous closure returns for each call, within the call's deadline.
    ///
    /// Otherwise it is like the synchronous variant: `nil` is the partition for users who aren't logged in, and if the
    /// closure throws an error, the call throws it.
    public static func by(_ partition: @escaping @Sendable (Request) async throws -> String?) -> UserPartition {
        UserPartition(kind: .asking(partition))
    }

    /// Separates users by the credentials in the request: `Authorization`, `Cookie`, and every other field that is a
    /// secret by the chain's ``Redaction``, such as `X-Api-Key`.
    ///
    /// Use this if callers set these fields themselves. A chain with an authentication stage rejects it, because the
    /// stage adds credentials too late. Stores save the SHA-256 of the credentials. A call whose credentials are an
    /// option shares with no other call, because options can't be compared.
    public static let byCredentials = UserPartition(kind: .byCredentials)

    /// Whether the rule separates users whose credentials are added by inner stages.
    package var seesUsers: Bool {
        switch kind {
        case .by, .asking: true
        case .none, .shared, .byCredentials: false
        }
    }

    /// Whether users are separated at all.
    package var isApart: Bool {
        switch kind {
        case .none, .shared: false
        case .by, .asking, .byCredentials: true
        }
    }

    /// Whether all callers are treated as one user because the application chose so.
    package var isShared: Bool {
        if case .shared = kind { true } else { false }
    }

    /// The rule, as a setting in a stage's summary.
    package var summary: String {
        switch kind {
        case .none: "no partition"
        case .shared: "shared"
        case .by, .asking: "separated by a closure"
        case .byCredentials: "separated by credentials"
        }
    }

    /// The owner of an exchange.
    package enum Owner: Sendable, Hashable {
        /// A user, by a distinguishing name; empty for those who aren't logged in.
        case user(String)
        /// Unknown: nothing may be shared.
        case unknown
    }

    /// Whether a request still has the owner that it had before it was sent.
    ///
    /// Calls the closures again. If another user has logged in meanwhile, it is unclear whose credentials were sent, so
    /// the response can't be shared. A closure that throws counts as a change of owner.
    package func isOwner(_ name: String, of request: Request) async -> Bool {
        guard seesUsers else { return true }
        guard case .user(let now)? = try? await owner(of: request) else { return false }
        return now.hasSameBytes(as: name)
    }

    /// Returns the owner of a request.
    ///
    /// If a call asks for other credentials than the user's, the owner is unknown. If it asks for none, it has the
    /// owner of users who aren't logged in.
    ///
    /// - Throws: Errors of the closure.
    package nonisolated(nonsending) func owner(of request: borrowing Request) async throws -> Owner {
        if seesUsers, let choice = request.options[CredentialChoiceNote.self] {
            return choice == .none && !request.bringsCredentials ? .user("") : .unknown
        }
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

/// The credentials that a call asks for instead of its user's.
package enum ChosenCredentials: Sendable {
    /// No credentials.
    case none
    /// Other credentials, such as those of an administrator.
    case other
}

/// The credentials that a call chooses; `nil` for those of its user.
package enum CredentialChoiceNote: RequestNote {
    /// `nil`.
    package static var defaultValue: ChosenCredentials? { nil }
}
