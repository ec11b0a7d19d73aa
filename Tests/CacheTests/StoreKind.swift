#if AllTests
import Foundation
import HTTPChainCache
import HTTPChainCacheEncrypted
import HTTPChainCacheSQLite
import HTTPChainCacheValkey
import HTTPChainCore
import HTTPChainValkey
import HTTPTypes
import TestSupport
import Testing
import ValkeyServer

#if SQLite
import GRDB
#endif

/// The stores that come with the package.
enum StoreKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memory, files, divided, tiered, encryptedMemory, encryptedFiles
    #if SQLite
    case sqlite, encryptedSQLite
    #endif
    #if Valkey
    case valkey
    #endif

    /// All that can be tested here; a missing server is a failure of its own, see `ValkeyStoreTests`.
    static let available: [StoreKind] = allCases.filter { kind in
        #if Valkey
        if kind == .valkey { return Server.program != nil }
        #endif
        return true
    }

    var testDescription: String { rawValue }

    /// Those that are there after the end of the process.
    static let onDisk: [StoreKind] = allCases.filter { kind in
        #if SQLite
        if kind == .sqlite { return true }
        #endif
        return kind == .files
    }

    /// Where the store is.
    func path(in directory: ScratchDirectory) -> String {
        #if SQLite
        if [.sqlite, .encryptedSQLite].contains(self) { return directory.file("cache.sqlite").path }
        #endif
        return directory.path
    }

    func make(_ bounds: CacheBounds, in directory: ScratchDirectory) -> any CacheStore {
        switch self {
        case .memory: MemoryCacheStore(bounds: bounds, shards: 1)
        case .files: FileCacheStore(directory: directory.url, bounds: bounds)
        case .divided:
            .divided(
                ["personal": MemoryCacheStore(bounds: bounds, shards: 1)],
                others: .files(in: directory.url, bounds: bounds)
            )
        case .tiered:
            TieredCacheStore(
                memory: MemoryCacheStore(bounds: CacheBounds(totalBytes: .megabytes(1))),
                over: FileCacheStore(directory: directory.url, bounds: bounds)
            )
        case .encryptedMemory: EncryptedCacheStore(over: StoreKind.memory.make(bounds, in: directory), key: .test)
        case .encryptedFiles: EncryptedCacheStore(over: StoreKind.files.make(bounds, in: directory), key: .test)
        #if SQLite
        case .sqlite:
            SQLiteCacheStore(file: URL(fileURLWithPath: path(in: directory)), bounds: bounds)
        case .encryptedSQLite: EncryptedCacheStore(over: StoreKind.sqlite.make(bounds, in: directory), key: .test)
        #endif
        #if Valkey
        case .valkey: ServedStore(bounds: bounds, prefix: "\(directory.path):")
        #endif
        }
    }
}

extension CacheStore {
    /// Ends the store, as the end of its process does.
    func shut() async {
        #if SQLite
        await (unwrapped as? SQLiteStore)?.close()
        #endif
    }
}

extension EncryptionKey {
    static let test = EncryptionKey(content(1, size)) ?? .random()
}

extension CacheBounds {
    static let ample = CacheBounds(totalBytes: .megabytes(100))
}

/// Bytes that follow from a number, other ones for other numbers.
func content(_ seed: Int, _ length: Int) -> Data {
    var state = UInt64(truncatingIfNeeded: seed) &* 0x9E37_79B9_7F4A_7C15 ^ 0x1234_5678
    var bytes = Data(capacity: length + 8)
    while bytes.count < length {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        withUnsafeBytes(of: state) { bytes.append(contentsOf: $0) }
    }
    return bytes.prefix(length)
}

func storeKey(_ name: some Any) -> CacheKey { CacheKey(url: "https://example.com/\(name)") }

func storeMetadata(_ variant: String? = nil, classification: String? = nil, tag: String? = nil) -> CacheMetadata {
    var head = HTTPResponse(status: .ok)
    if let tag { head.headerFields[.eTag] = tag }
    return CacheMetadata(
        head: head,
        variant: CacheVariant(variant.map { [CacheVariant.Field(name: "foo", value: $0)] } ?? []),
        requestTime: start,
        responseTime: start,
        classification: classification
    )
}

extension CacheStore {
    /// Stores a body in chunks.
    @discardableResult
    func put(
        _ key: CacheKey,
        _ bytes: Data,
        _ metadata: CacheMetadata = storeMetadata(),
        chunk: Int = 50_000
    ) async throws -> CacheCommit {
        guard let writer = try await makeWriter(for: key, metadata, expecting: nil) else {
            return CacheCommit(entry: nil)
        }
        var rest = bytes
        while !rest.isEmpty {
            guard try await writer.write(rest.prefix(chunk)) else { break }
            rest = rest.dropFirst(chunk)
        }
        return try await writer.commit()
    }

    /// The body of the only variant of a key.
    func bytes(_ key: CacheKey) async throws -> Data? {
        guard let entry = try await variants(of: key).first else { return nil }
        return try await body(of: entry, range: nil)?.collect(upTo: .mebibytes(64))
    }

    func keys(_ selection: CacheSelection = .all) async throws -> Set<String> {
        var keys: Set<String> = []
        try await visit(selection) { entry in
            keys.insert(String(entry.key.url.dropFirst("https://example.com/".count)))
            return true
        }
        return keys
    }
}

#if SQLite
extension DatabaseQueue {
    /// A look into a database that a store may still be closing.
    static func patient(path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(120)
        return try DatabaseQueue(path: path, configuration: configuration)
    }
}

/// A suite whose stores are in one database.
protocol SQLiteSuite {
    var directory: ScratchDirectory { get }
}

extension SQLiteSuite {
    var file: URL { directory.file("cache.sqlite") }

    func store(_ bounds: CacheBounds = .ample) -> SQLiteStore { SQLiteStore(file: file, bounds: bounds) }

    /// Executes a statement, behind the stores' back, and returns the number that it reads.
    func sql(_ sql: String) throws -> Int {
        try DatabaseQueue.patient(path: file.path).write { db in try Int.fetchOne(db, sql: sql) ?? 0 }
    }
}
#endif
#endif
