import HTTPChainSupport

extension CacheRules {
    /// Returns how long after its receipt a response can be useful, for a store that expires entries itself.
    ///
    /// This is the time until the response is stale (RFC 9111 §4.2), in a private or in a shared cache, plus the time
    /// for which it may be used stale (RFC 5861 §3, §4) or the given minimum, whichever is longer. A stale response can
    /// still be validated (RFC 9111 §4.3), and used if the server is unreachable (§4.2.4).
    ///
    /// - Parameters:
    ///   - response: The response as it is stored.
    ///   - stale: The minimum time to keep a stale response.
    package static func retention(of response: StoredResponse, stale: Duration) -> Duration {
        var longest = Duration.zero
        for mode in [Mode.private, .shared] {
            let rules = CacheRules(mode: mode)
            let freshness = rules.freshness(of: response, at: response.metadata.responseTime)
            let directives = rules.directives(response.facts)
            let windows = [directives.staleWhileRevalidate, directives.staleIfError].compactMap { $0 }.map(Double.init)
            // A century is longer than any store keeps entries, and the sum can't overflow.
            let seconds = max(0, freshness.timeToLive) + max(stale.inSeconds, windows.max() ?? 0)
            longest = max(longest, .seconds(min(seconds, 3.2e9)))
        }
        return longest
    }
}
