import HTTPChainCore

/// An event of a cache.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum CacheEvent: Sendable {
    /// A stored response was served without contacting the server.
    case hit(CacheKey, CacheStatus)
    /// The request went to the server, because no stored response could be used.
    case miss(CacheKey, CacheStatus)
    /// A stale response was served.
    case stale(CacheKey, CacheStatus)
    /// The server validated a stored response.
    case revalidated(CacheKey, CacheStatus)
    /// A validation in the background ended; the error is `nil` if it succeeded.
    case revalidatedInBackground(CacheKey, (any Error)?)
    /// A response was stored.
    case stored(CacheKey, bytes: Int64)
    /// A response was not stored, for this reason.
    case notStored(CacheKey, reason: String)
    /// An entry was evicted.
    case evicted(CacheKey)
    /// A call invalidated entries.
    case invalidated(CacheSelection, count: Int)
    /// The store failed; the call continued without it.
    case storeFailure(CacheKey?, any Error)
}

/// Counts events and delivers them to an observer and to streams.
final class CacheEvents: Sendable {
    private struct State {
        var streams: [Int: AsyncStream<CacheEvent>.Continuation] = [:]
        var nextID = 0
        var metrics = CacheMetrics()
    }
    private let observer: (@Sendable (CacheEvent) -> Void)?
    private let state = Locked(State())

    init(observer: (@Sendable (CacheEvent) -> Void)?) {
        self.observer = observer
    }

    deinit {
        for stream in state.withLock({ $0.streams }).values { stream.finish() }
    }

    /// The counts so far.
    var metrics: CacheMetrics { state.withLock { $0.metrics } }

    /// Counts and delivers an event.
    func emit(_ event: CacheEvent) {
        let streams = state.withLock { state in
            state.metrics.count(event)
            return state.streams
        }
        pass(event, to: streams)
    }

    /// Counts a hit; creates its event only if there are listeners, because hits are frequent.
    func emitHit(_ event: @autoclosure () -> CacheEvent) {
        let streams = state.withLock { state in
            state.metrics.hits += 1
            return state.streams
        }
        guard observer != nil || !streams.isEmpty else { return }
        pass(event(), to: streams)
    }

    /// Counts a response that is passed on while the cache is off.
    ///
    /// Returns `false` if there are listeners for its event.
    func countPassed() -> Bool {
        guard observer == nil else { return false }
        return state.withLock { state in
            guard state.streams.isEmpty else { return false }
            state.metrics.misses += 1
            state.metrics.notStored += 1
            return true
        }
    }

    private func pass(_ event: CacheEvent, to streams: [Int: AsyncStream<CacheEvent>.Continuation]) {
        observer?(event)
        for stream in streams.values { stream.yield(event) }
    }

    func stream(bufferingNewest limit: Int) -> AsyncStream<CacheEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: CacheEvent.self,
            bufferingPolicy: .bufferingNewest(max(1, limit))
        )
        let id = state.withLock { state in
            state.nextID += 1
            state.streams[state.nextID] = continuation
            return state.nextID
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.streams.removeValue(forKey: id) }
        }
        return stream
    }
}
