/// A store whose bounds are known to what stands over it.
package protocol BoundedCacheStore: CacheStore {
    /// How much the store holds at most.
    var bounds: CacheBounds { get }
}

extension MemoryCacheStore: BoundedCacheStore {}

extension FileCacheStore: BoundedCacheStore {}
