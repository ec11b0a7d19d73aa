/// A store that exposes its bounds to the store above it.
package protocol BoundedCacheStore: CacheStore {
    /// The limits of the store.
    var bounds: CacheBounds { get }
}

extension MemoryCacheStore: BoundedCacheStore {}

extension FileCacheStore: BoundedCacheStore {}
