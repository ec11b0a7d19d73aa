/// The counts of what has happened in a cache since it was made.
///
/// ``CacheMiddleware/metrics`` gives it. Of the answers to calls each counts once: as a hit, stale, revalidated or a
/// miss. A validation in the background counts there too, as what came of it.
public struct CacheMetrics: Sendable, Hashable {
    /// Fresh responses that answered without the server being asked.
    public internal(set) var hits = 0
    /// Stale responses that answered.
    public internal(set) var stale = 0
    /// Stored responses that the server has validated.
    public internal(set) var revalidated = 0
    /// Responses from the server.
    public internal(set) var misses = 0
    /// Validations in the background that ended, those that failed included.
    public internal(set) var revalidatedInBackground = 0
    /// Validations in the background that failed.
    public internal(set) var failedInBackground = 0
    /// Responses that were stored.
    public internal(set) var stored = 0
    /// The number of bytes of content that were stored with them.
    public internal(set) var storedBytes: Int64 = 0
    /// Responses that were not stored.
    public internal(set) var notStored = 0
    /// Entries that had to make room.
    public internal(set) var evicted = 0
    /// Entries that calls have made invalid.
    public internal(set) var invalidated = 0
    /// Faults of the store.
    public internal(set) var storeFailures = 0

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
