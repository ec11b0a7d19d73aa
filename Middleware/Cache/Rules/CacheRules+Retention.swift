import HTTPChainSupport

extension CacheRules {
    /// For how long after it was received a response can be of use, for a store that forgets by itself.
    ///
    /// That is until it is stale (RFC 9111 §4.2), in a private or in a shared cache, and after that for as long as it may
    /// be used stale (RFC 5861 §3, §4), at least for a given time: it can be validated (RFC 9111 §4.3), and used when the
    /// server is out of reach (§4.2.4).
    ///
    /// - Parameters:
    ///   - response: The response, as it is when it is stored.
    ///   - stale: How long it is kept at least when it is stale.
    package static func retention(of response: StoredResponse, stale: Duration) -> Duration {
        var longest = Duration.zero
        for mode in [Mode.private, .shared] {
            let rules = CacheRules(mode: mode)
            let freshness = rules.freshness(of: response, at: response.metadata.responseTime)
            let directives = rules.directives(response.facts)
            let windows = [directives.staleWhileRevalidate, directives.staleIfError].compactMap { $0 }.map(Double.init)
            // A century: more than any store keeps, and no arithmetic on it overflows.
            let seconds = max(0, freshness.timeToLive) + max(stale.inSeconds, windows.max() ?? 0)
            longest = max(longest, .seconds(min(seconds, 3.2e9)))
        }
        return longest
    }
}
