/// Counts of a cache's events since it was created.
///
/// See ``CacheMiddleware/metrics``. Each response to a call is counted once: as a hit, stale, revalidated or a miss. A
/// background validation is counted separately, by its result.
public struct CacheMetrics: Sendable, Hashable {
    /// Fresh responses served without contacting the server.
    public internal(set) var hits = 0
    /// Stale responses served.
    public internal(set) var stale = 0
    /// Stored responses validated by the server.
    public internal(set) var revalidated = 0
    /// Responses from the server.
    public internal(set) var misses = 0
    /// Background validations that ended, including those that failed.
    package internal(set) var revalidatedInBackground = 0
    /// Background validations that failed.
    package internal(set) var failedInBackground = 0
    /// Responses stored.
    public internal(set) var stored = 0
    /// The total size of their content in bytes.
    public internal(set) var storedBytes: Int64 = 0
    /// Responses not stored.
    package internal(set) var notStored = 0
    /// Entries evicted.
    package internal(set) var evicted = 0
    /// Entries invalidated by calls.
    package internal(set) var invalidated = 0
    /// Failures of the store.
    package internal(set) var storeFailures = 0

    mutating func count(_ event: CacheEvent) {
        switch event {
        case .hit: hits += 1
        case .stale: stale += 1
        case .revalidated: revalidated += 1
        case .miss: misses += 1
        case .revalidatedInBackground(_, let failure):
            revalidatedInBackground += 1
            if failure != nil { failedInBackground += 1 }
        case .stored(_, let bytes):
            stored += 1
            storedBytes += bytes
        case .notStored: notStored += 1
        case .evicted: evicted += 1
        case .invalidated(_, let count): invalidated += count
        case .storeFailure: storeFailures += 1
        }
    }
}
