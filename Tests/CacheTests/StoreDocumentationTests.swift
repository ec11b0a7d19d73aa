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
        let files = FileCacheStore(
            directory: caches.appendingPathComponent("responses"),
            bounds: CacheBounds(totalBytes: .megabytes(500))
        )
        let cache = CacheMiddleware(store: files)
        #expect(cache.phase == .cache)
        #expect(files.summary.hasSuffix("up to 500 MB"))
        let directory = caches.appendingPathComponent("responses")
        let divided = DividedCacheStore(
            ["personal": .memory(limit: .megabytes(10))],
            others: .files(in: directory, limit: .megabytes(500))
        )
        #expect(divided.summary.contains("personal: memory, up to 10 MB; others: files in"))
        let tiered = TieredCacheStore(
            memory: .memory(limit: .megabytes(20)),
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
