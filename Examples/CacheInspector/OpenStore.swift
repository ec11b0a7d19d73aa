import Foundation
import HTTPChain

#if SQLite
import HTTPChainCacheSQLite
#endif

/// Opens an existing store.
///
/// Other files and directories are left unchanged. Without the check, opening one would turn it into a store.
///
/// - Throws: ``UsageError`` if there is no store.
func openStore(_ path: String) throws(UsageError) -> any CacheStore {
    // Inspecting a store must not evict its entries.
    let bounds = CacheBounds(totalBytes: .unlimited, entryCount: .max)
    let url = URL(fileURLWithPath: path)
    if let names = try? FileManager.default.contentsOfDirectory(atPath: url.path) {
        let isStore = names.contains("lock") && names.contains("index") || names.contains { $0.hasSuffix(".entry") }
        guard isStore else { throw UsageError("\(path) is not the directory of a store") }
        return .files(in: url, bounds: bounds)
    }
    guard beginning(of: url, 16) == Data("SQLite format 3\0".utf8) else {
        throw UsageError("\(path) is neither the directory of a store nor a database")
    }
    #if SQLite
    return SQLiteCacheStore(file: url, bounds: bounds)
    #else
    throw UsageError("a database needs the trait: swift run --traits SQLite CacheInspector \(path)")
    #endif
}

private func beginning(of file: URL, _ count: Int) -> Data? {
    guard let handle = try? FileHandle(forReadingFrom: file) else { return nil }
    defer { try? handle.close() }
    return try? handle.read(upToCount: count)
}
