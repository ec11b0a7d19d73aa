public import Foundation
public import HTTPChainCore
import HTTPChainSupport

/// The age of a stored response, and its freshness lifetime.
public struct CacheFreshness: Sendable, Hashable, CustomStringConvertible, DescribedValue {
    /// The source of the lifetime, in order of precedence.
    package enum Source: String, Sendable, Hashable {
        /// Set by the client: ``CacheLifetime``.
        case client = "the client's lifetime"
        /// A targeted field, RFC 9213.
        case targeted = "a targeted max-age"
        /// RFC 9111 §5.2.2.10.
        case sharedMaxAge = "s-maxage"
        /// RFC 9111 §5.2.2.1.
        case maxAge = "max-age"
        /// RFC 9111 §5.3.
        case expires = "Expires"
        /// RFC 9111 §4.2.2.
        case heuristic = "a tenth of its age when it came"
        /// No lifetime is given.
        case none = "nothing"
    }

    /// `current_age` of RFC 9111 §4.2.3, in seconds.
    public let age: Double
    /// `freshness_lifetime` of RFC 9111 §4.2.1, in seconds.
    package let lifetime: Double
    /// The source of the lifetime.
    package let source: Source
    /// The number of seconds to compare with the lifetime: the age or, with `CacheLifetime.exactly`, the time since the
    /// response was received.
    let agedFor: Double

    /// The remaining number of seconds until the response is stale; negative if it is.
    public var timeToLive: Double { lifetime - agedFor }

    /// RFC 9111 §4.2: `freshness_lifetime > current_age`.
    package var isFresh: Bool { lifetime > agedFor }

    /// The freshness in words, such as "fresh for 48 s by max-age" or "stale since 12 s".
    package var words: String {
        isFresh ? "fresh for \(wholeTimeToLive) s by \(source.rawValue)" : "stale since \(-wholeTimeToLive) s"
    }

    /// The value of `Age`, RFC 9111 §5.1, in whole seconds.
    var ageField: Int64 { Int64(clampingSeconds: age.rounded(.down)) }

    /// The time to live in whole seconds, for display and for `ttl` of RFC 9211.
    var wholeTimeToLive: Int64 { Int64(clampingSeconds: timeToLive.rounded(.down)) }
}

extension CacheRules {
    /// Whether responses with this status may get a heuristic lifetime, RFC 9110 §15.1.
    static func isHeuristicallyCacheable(_ status: Int) -> Bool {
        switch status {
        case 200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }

    /// Returns the freshness of an entry.
    ///
    /// - Parameters:
    ///   - entry: The entry.
    ///   - time: The current time by the wall clock.
    public func freshness(of entry: CacheEntry, at time: Date) -> CacheFreshness {
        freshness(of: entry.response, at: time)
    }

    /// Returns the freshness of a stored response.
    ///
    /// - Parameters:
    ///   - response: The stored response.
    ///   - time: The current time by the wall clock.
    ///   - client: The client's lifetime for this call; `nil` for the lifetime set when the response was stored.
    package func freshness(
        of response: StoredResponse,
        at time: Date,
        lifetime client: CacheLifetime? = nil
    ) -> CacheFreshness {
        let facts = response.facts
        let metadata = response.metadata
        let received = metadata.responseTime.timeIntervalSince1970
        // §4.2.3. Computed in whole seconds, like the fields.
        let apparentAge = max(0, received.rounded(.down) - Double(facts.date))
        let delay = max(0, received - metadata.requestTime.timeIntervalSince1970)
        let initialAge = max(apparentAge, Double(facts.age) + delay)
        let elapsed = time.timeIntervalSince1970 - received
        // If the clock was set back, the time since the response arrived is unknown.
        let resident = elapsed < -60 ? Double(DeltaSeconds.largest) : max(0, elapsed)
        let age = initialAge + resident

        let client = client ?? metadata.lifetime
        if case .exactly(let duration) = client {
            return CacheFreshness(age: age, lifetime: duration.inSeconds, source: .client, agedFor: resident)
        }
        let server = serverLifetime(facts)
        switch client {
        case .whenUnspecified(let duration) where server.source == .none || server.source == .heuristic:
            return CacheFreshness(age: age, lifetime: duration.inSeconds, source: .client, agedFor: age)
        case .atMost(let duration) where duration.inSeconds < server.lifetime:
            return CacheFreshness(age: age, lifetime: duration.inSeconds, source: .client, agedFor: age)
        default:
            return CacheFreshness(age: age, lifetime: server.lifetime, source: server.source, agedFor: age)
        }
    }

    /// §4.2.1: the first of the lifetimes that is present; an invalid one counts as already stale.
    package func serverLifetime(_ facts: ResponseFacts) -> (lifetime: Double, source: CacheFreshness.Source) {
        func seconds(_ delta: DeltaSeconds) -> Double { Double(delta.seconds ?? 0) }
        if let targeted = targeted(facts) {
            if targeted.sMaxAge != .absent { return (seconds(targeted.sMaxAge), .targeted) }
            if targeted.maxAge != .absent { return (seconds(targeted.maxAge), .targeted) }
            return heuristic(facts, targeted)
        }
        let directives = facts.directives
        if isShared, directives.sMaxAge != .absent { return (seconds(directives.sMaxAge), .sharedMaxAge) }
        if directives.maxAge != .absent { return (seconds(directives.maxAge), .maxAge) }
        switch facts.expires {
        case .at(let expiry): return (Double(max(0, expiry - facts.date)), .expires)
        case .invalid: return (0, .expires)
        case .absent: return heuristic(facts, directives)
        }
    }

    /// §4.2.2: applies only without an explicit lifetime, and only to statuses that allow it, or with `public`.
    private func heuristic(
        _ facts: ResponseFacts,
        _ directives: ResponseDirectives
    ) -> (lifetime: Double, source: CacheFreshness.Source) {
        guard Self.isHeuristicallyCacheable(facts.status) || directives.isPublic, heuristicFraction > 0,
            let modified = facts.lastModified, modified < facts.date
        else { return (0, .none) }
        let guess = Double(facts.date - modified) * heuristicFraction
        return (min(guess.rounded(.down), heuristicLimit.inSeconds), .heuristic)
    }

    /// Whether the server forbids using the response when it is stale, RFC 9111 §4.2.4.
    package func forbidsStale(_ response: StoredResponse, lifetime client: CacheLifetime? = nil) -> Bool {
        directives(response.facts).noCache && !(client ?? response.metadata.lifetime).isExact
            || requiresRevalidation(response, lifetime: client)
    }

    /// Whether stale use is forbidden by `must-revalidate`, or in a shared cache by `proxy-revalidate` or `s-maxage`:
    /// RFC 9111 §5.2.2.2, §5.2.2.8, §5.2.2.10.
    package func requiresRevalidation(_ response: StoredResponse, lifetime client: CacheLifetime? = nil) -> Bool {
        if (client ?? response.metadata.lifetime).isExact { return false }
        let directives = directives(response.facts)
        return directives.mustRevalidate
            || isShared && (directives.proxyRevalidate || directives.sMaxAge != .absent)
    }
}
