import HTTPChainCore

/// A policy that says which redirects are followed.
///
/// Policies combine:
///
/// ```swift
/// RedirectMiddleware(.limited(10).and(.httpsOnly))
/// RedirectMiddleware(.sameOrigin.or(.when("goes to our CDN") { $0.destination?.host == "cdn.example.com" }))
/// ```
///
/// A policy that names no limit follows ``defaultLimit`` redirects at most.
///
/// Whatever a policy follows, a redirect from https to http is a ``RedirectError``, and so is one that takes a body to
/// another origin (307 and 308, and 301 and 302 for methods other than POST). ``allowing(_:)`` is how to say otherwise:
///
/// ```swift
/// try await chain.send(upload.redirects(.standard.allowing(.bodyToOtherOrigins)))
/// ```
public struct RedirectPolicy: Sendable, CustomStringConvertible {
    /// The kinds of redirect that are not followed unless they are allowed.
    public struct Allowance: OptionSet, Sendable, Hashable {
        /// One bit for each.
        public let rawValue: UInt8

        /// Makes allowances of bits.
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// A redirect from https to http, where everybody on the way can read and change what is sent.
        public static let downgrade = Allowance(rawValue: 1)
        /// A redirect that takes the request's body to another origin: scheme, host or port.
        public static let bodyToOtherOrigins = Allowance(rawValue: 2)
    }

    /// A decision about a redirect.
    public enum Decision: Sendable, Hashable {
        /// It is followed.
        case follow
        /// It is not: the redirect itself is the response.
        case stop
        /// It is an error: a ``RedirectError`` is thrown, with the redirect as its response.
        case refuse(RedirectError.Problem)
    }

    /// The number of redirects that are followed where no policy says more: 20, as in browsers.
    public static let defaultLimit = 20

    /// The name of the policy in summaries.
    public let description: String
    /// The largest limit that the policy names; what holds where it has none.
    let largestLimit: Int?
    let allowances: Allowance
    let isNever: Bool
    private let decide: @Sendable (RedirectProposal) -> Decision

    private init(
        _ description: String,
        largestLimit: Int?,
        allowances: Allowance = [],
        isNever: Bool = false,
        decide: @escaping @Sendable (RedirectProposal) -> Decision
    ) {
        self.allowances = allowances
        self.isNever = isNever
        self.description = description
        self.largestLimit = largestLimit
        self.decide = decide
    }

    /// Makes a policy of your own.
    ///
    /// - Parameters:
    ///   - description: What it does, for summaries.
    ///   - decide: Judges a redirect.
    public init(_ description: String, decide: @escaping @Sendable (RedirectProposal) -> Decision) {
        self.init(description, largestLimit: nil, decide: decide)
    }

    /// Returns the decision about a redirect under this policy.
    public func decision(on proposal: RedirectProposal) -> Decision {
        decide(proposal)
    }

    /// The same policy, which may follow what is refused otherwise; combined with others, it goes for the combination.
    public func allowing(_ allowances: Allowance) -> RedirectPolicy {
        let names = [
            allowances.contains(.downgrade) ? "http" : nil,
            allowances.contains(.bodyToOtherOrigins) ? "bodies to other origins" : nil,
        ]
        return RedirectPolicy(
            "\(description) allowing \(names.compactMap { $0 }.joined(separator: " and "))",
            largestLimit: largestLimit,
            allowances: self.allowances.union(allowances),
            isNever: isNever,
            decide: decide
        )
    }

    /// Follows ``defaultLimit`` redirects.
    public static let standard = RedirectPolicy.limited(defaultLimit)

    /// Follows none: every redirect is returned as the response.
    public static let never = RedirectPolicy("never", largestLimit: nil, isNever: true) { _ in .stop }

    /// Follows a number of redirects; one more is a ``RedirectError``, ``RedirectError/Problem/tooManyHops(limit:)``.
    ///
    /// With 0 the first redirect is an error already; to be given the redirect, take ``never``.
    public static func limited(_ limit: Int) -> RedirectPolicy {
        let limit = max(0, limit)
        return RedirectPolicy("limited(\(limit))", largestLimit: limit) { proposal in
            proposal.hops.count < limit ? .follow : .refuse(.tooManyHops(limit: limit))
        }
    }

    /// Follows while scheme, host and port stay the same; another redirect is returned as the response.
    public static let sameOrigin = RedirectPolicy.when("sameOrigin") { $0.isSameOrigin }

    /// Follows to https alone, so never down from https to http; another redirect is returned as the response.
    public static let httpsOnly = RedirectPolicy.when("httpsOnly") { $0.destination?.scheme == "https" }

    /// Follows where a closure says so; another redirect is returned as the response.
    ///
    /// - Parameters:
    ///   - description: What the closure looks at, for summaries.
    ///   - isFollowed: Whether to follow.
    public static func when(
        _ description: String,
        _ isFollowed: @escaping @Sendable (RedirectProposal) -> Bool
    ) -> RedirectPolicy {
        RedirectPolicy(description) { isFollowed($0) ? .follow : .stop }
    }

    /// Follows what both follow; the first that does not decides.
    public func and(_ other: RedirectPolicy) -> RedirectPolicy {
        combined(with: other, "and") { proposal in
            let decision = decision(on: proposal)
            return decision == .follow ? other.decision(on: proposal) : decision
        }
    }

    /// Follows what one of them follows; the second decides on what the first does not follow.
    public func or(_ other: RedirectPolicy) -> RedirectPolicy {
        combined(with: other, "or") { proposal in
            decision(on: proposal) == .follow ? .follow : other.decision(on: proposal)
        }
    }

    private func combined(
        with other: RedirectPolicy,
        _ word: String,
        decide: @escaping @Sendable (RedirectProposal) -> Decision
    ) -> RedirectPolicy {
        let limits = [largestLimit, other.largestLimit].compactMap { $0 }
        return RedirectPolicy(
            "(\(description) \(word) \(other.description))",
            largestLimit: limits.max(),
            allowances: allowances.union(other.allowances),
            decide: decide
        )
    }

    /// The number of redirects that are followed whatever the policy says: a closure may never say no.
    var bound: Int { largestLimit.map { max($0, Self.defaultLimit) } ?? Self.defaultLimit }
}
