public import HTTPChainCore

/// A policy that decides which redirects are followed.
///
/// Policies can be combined:
///
/// ```swift
/// RedirectMiddleware(.limited(10).and(.httpsOnly))
/// RedirectMiddleware(.sameOrigin.or(.when("goes to our CDN") { $0.destination?.host == "cdn.example.com" }))
/// ```
///
/// A policy without a limit follows at most 20 redirects, as browsers do.
///
/// Regardless of the policy, a redirect from https to http throws a ``RedirectError``, and so does one that sends a
/// body to another origin (307 and 308, and 301 and 302 for methods other than POST). Use ``allowing(_:)`` to permit
/// them:
///
/// ```swift
/// try await chain.send(upload.redirects(.standard.allowing(.bodyToOtherOrigins)))
/// ```
public struct RedirectPolicy: CustomStringConvertible, DescribedValue, Sendable {
    /// A kind of redirect that is followed only if allowed.
    public enum Allowance: Sendable, Hashable {
        /// A redirect from https to http, which lets anyone on the path read and change the messages.
        case downgrade
        /// A redirect that sends the request's body to another origin: scheme, host or port.
        case bodyToOtherOrigins
    }

    /// The decision about a redirect.
    package enum Decision: Sendable, Hashable {
        /// Follows the redirect.
        case follow
        /// Doesn't follow the redirect, which is returned as the response.
        case stop
        /// Throws a ``RedirectError`` with the redirect as its response.
        case refuse(RedirectError.Problem)
    }

    /// The maximum number of redirects, unless a policy has a larger limit: 20, as in browsers.
    package static let defaultLimit = 20

    /// The policy's name in summaries.
    package private(set) var words: String
    /// The largest limit in the policy, or `nil` if it has none.
    let largestLimit: Int?
    private(set) var allowances: Set<Allowance>
    let isNever: Bool
    private let decide: @Sendable (RedirectProposal) -> Decision

    /// Makes a custom policy.
    ///
    /// - Parameters:
    ///   - description: The policy's name in summaries.
    ///   - largestLimit: The largest limit in the policy, or `nil` if it has none.
    ///   - allowances: The kinds of redirects that are followed although they are refused by default.
    ///   - isNever: Whether no redirect is followed.
    ///   - decide: Decides on a redirect.
    package init(
        _ description: String,
        largestLimit: Int? = nil,
        allowances: Set<Allowance> = [],
        isNever: Bool = false,
        decide: @escaping @Sendable (RedirectProposal) -> Decision
    ) {
        self.allowances = allowances
        self.isNever = isNever
        words = description
        self.largestLimit = largestLimit
        self.decide = decide
    }

    /// Returns the policy's decision on a redirect.
    package func decision(on proposal: RedirectProposal) -> Decision {
        decide(proposal)
    }

    /// Returns the policy with additional allowances.
    ///
    /// They are kept in combinations with other policies.
    public func allowing(_ allowances: Allowance...) -> RedirectPolicy {
        let names = [
            allowances.contains(.downgrade) ? "http" : nil,
            allowances.contains(.bodyToOtherOrigins) ? "bodies to other origins" : nil,
        ]
        var policy = self
        policy.words += " allowing \(names.compactMap { $0 }.joined(separator: " and "))"
        policy.allowances.formUnion(allowances)
        return policy
    }

    /// Follows up to 20 redirects.
    public static let standard = RedirectPolicy.limited(defaultLimit)

    /// Follows no redirects: each is returned as the response.
    public static let never = RedirectPolicy("never", isNever: true) { _ in .stop }

    /// Follows up to a number of redirects.
    ///
    /// One more throws ``RedirectError/Problem/tooManyHops(limit:)``.
    ///
    /// With 0, the first redirect throws. To get the redirect as the response, use ``never``.
    public static func limited(_ limit: Int) -> RedirectPolicy {
        let limit = max(0, limit)
        return RedirectPolicy("limited(\(limit))", largestLimit: limit) { proposal in
            proposal.hops.count < limit ? .follow : .refuse(.tooManyHops(limit: limit))
        }
    }

    /// Follows redirects with the same scheme, host and port.
    ///
    /// Others are returned as the response.
    public static let sameOrigin = RedirectPolicy.when("sameOrigin") { $0.isSameOrigin }

    /// Follows only redirects to https, and so none from https to http.
    ///
    /// Others are returned as the response.
    public static let httpsOnly = RedirectPolicy.when("httpsOnly") { $0.destination?.scheme == "https" }

    /// Follows redirects that a closure accepts.
    ///
    /// Others are returned as the response.
    ///
    /// - Parameters:
    ///   - description: The closure's criterion, for summaries.
    ///   - isFollowed: Returns whether to follow a redirect.
    public static func when(
        _ description: String,
        _ isFollowed: @escaping @Sendable (RedirectProposal) -> Bool
    ) -> RedirectPolicy {
        RedirectPolicy(description) { isFollowed($0) ? .follow : .stop }
    }

    /// Follows redirects that both policies follow.
    ///
    /// Otherwise, the first policy that doesn't follow decides what happens.
    public func and(_ other: RedirectPolicy) -> RedirectPolicy {
        combined(with: other, "and", isNever: isNever) { proposal in
            let decision = decision(on: proposal)
            return decision == .follow ? other.decision(on: proposal) : decision
        }
    }

    /// Follows redirects that either policy follows.
    ///
    /// If neither does, the second policy decides what happens.
    public func or(_ other: RedirectPolicy) -> RedirectPolicy {
        combined(with: other, "or", isNever: isNever && other.isNever) { proposal in
            decision(on: proposal) == .follow ? .follow : other.decision(on: proposal)
        }
    }

    private func combined(
        with other: RedirectPolicy,
        _ word: String,
        isNever: Bool,
        decide: @escaping @Sendable (RedirectProposal) -> Decision
    ) -> RedirectPolicy {
        let limits = [largestLimit, other.largestLimit].compactMap { $0 }
        return RedirectPolicy(
            "(\(description) \(word) \(other.description))",
            largestLimit: limits.max(),
            allowances: allowances.union(other.allowances),
            isNever: isNever,
            decide: decide
        )
    }

    /// The maximum number of redirects regardless of the policy, because a closure may follow all of them.
    var bound: Int { largestLimit.map { max($0, Self.defaultLimit) } ?? Self.defaultLimit }
}

extension RedirectPolicy: EffectComparable {
    /// Policies are closures, so only those that never follow redirects can be recognized as equal.
    package func hasSameEffect(as other: RedirectPolicy) -> Bool { isNever && other.isNever }
}
