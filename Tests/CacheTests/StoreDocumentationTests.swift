#if AllTests
import Foundation
import HTTPChainCache
import HTTPChainCacheSQLite
import HTTPChainCore
import Testing

@Suite("The documentation of the stores")
struct StoreDocumentationTests {
    private let caches = FileManager.default.temporaryDirectory

    @Test("The examples of the stores compile, and say what they make")
    func examples() {
        let directory = caches.appendingPathComponent("responses")
        let files = BuiltInCacheStore.files(in: directory, bounds: CacheBounds(totalBytes: .megabytes(500)))
        let cache = CacheMiddleware(store: files)
        #expect(cache.phase == .cache)
        #expect(files.summary.hasSuffix("up to 500 MB") && files.keepsDeadlines)
        let divided = BuiltInCacheStore.divided(
            ["personal": .memory(limit: .megabytes(10))],
            others: .files(in: directory, limit: .megabytes(500))
        )
        #expect(divided.summary.contains("personal: memory, up to 10 MB; others: files in"))
        let tiered = BuiltInCacheStore.tiered(
            memory: .megabytes(20),
            over: .files(in: directory, limit: .megabytes(500))
        )
        #expect(tiered.summary.hasPrefix("memory, up to 20 MB, over files in"))
        #if SQLite
        let sqlite = SQLiteCacheStore(
            file: caches.appendingPathComponent("responses.sqlite"),
            bounds: CacheBounds(totalBytes: .megabytes(500))
        )
        #expect(sqlite.summary.hasPrefix("SQLite in"))
        #endif
    }
}
#endif
