import Dispatch
public import Foundation
import GRDBSQLite
import HTTPChainCache
import HTTPChainCacheEncrypted
import HTTPChainCacheSQLite
import HTTPChainCore
import HTTPTypes

/// Stores on a disk: hits beside the bare work, many entries, and one body that is larger than memory should be.
public enum CacheDiskScenarios {
    /// The stores on a disk.
    public enum Kind: String, Sendable, CaseIterable {
        case file, sqlite

        fileprivate func store(_ path: URL, _ bounds: CacheBounds) -> any CacheStore {
            switch self {
            case .file: .files(in: path, bounds: bounds)
            case .sqlite: SQLiteCacheStore(file: path, bounds: bounds)
            }
        }
    }

    private static let ample = CacheBounds(totalBytes: .gigabytes(100), entryBytes: .gigabytes(10))

    /// A hit on an entry in a database, and a `SELECT` of the same bytes.
    public static func sqlite(in directory: URL) async throws -> [Scenario] {
        let store = SQLiteCacheStore.sqlite(directory.appendingPathComponent("hits.sqlite"), limit: .megabytes(50))
        let chain = try await CacheScenarios.filled(1, store: store)
        let size = CacheScenarios.size
        let table = try PlainTable(directory.appendingPathComponent("plain.sqlite").path, size: size)
        return [
            CacheScenarios.hits(chain, among: 1, named: "cache.sqlite.hit"),
            Scenario(name: "cache.sqlite.select") { count in
                for _ in 0..<count {
                    guard table.select(CacheScenarios.url(0)) == size else { throw CacheScenarios.Miss() }
                }
            },
        ]
    }

    /// A look-up in a store in a database together with the content, of one of so many entries that none is found again,
    /// and a `SELECT` of the same bytes on a thread of its own: nothing that waits for a disk may do so where tasks run.
    public static func sqliteStore(in directory: URL) async throws -> [Scenario] {
        let store = SQLiteCacheStore.sqlite(directory.appendingPathComponent("store.sqlite"), limit: .megabytes(50))
        let size = CacheScenarios.size
        let keys = (0..<256).map { CacheKey(url: CacheScenarios.url($0)) }
        let position = Locked(0)
        let head = HTTPResponse(status: .ok, headerFields: [.cacheControl: "max-age=3600", .eTag: "\"a\""])
        let now = Date(timeIntervalSince1970: 784_111_777)
        let metadata = CacheMetadata(head: head, requestTime: now, responseTime: now)
        for key in keys {
            let writer = try await store.makeWriter(for: key, metadata, expecting: Int64(size))
            guard let writer, try await writer.write(Data(count: size)), try await writer.commit().entry != nil else {
                throw CacheScenarios.Miss()
            }
        }
        let table = try PlainTable(directory.appendingPathComponent("threads.sqlite").path, size: size)
        let thread = DispatchQueue(label: "select")
        return [
            Scenario(name: "cache.sqlite") { count in
                let first = position.withLock { $0.advance(by: count, in: keys.count) }
                for number in first..<first + count {
                    guard let entry = try await store.variants(of: keys[number % keys.count]).first,
                        try await store.body(of: entry, range: nil)?.bytes?.count == size
                    else { throw CacheScenarios.Miss() }
                }
            },
            Scenario(name: "cache.sqlite.select.thread") { count in
                for _ in 0..<count {
                    let length = await withCheckedContinuation { continuation in
                        thread.async { continuation.resume(returning: table.select(CacheScenarios.url(0))) }
                    }
                    guard length == size else { throw CacheScenarios.Miss() }
                }
            },
        ]
    }

    /// A hit on an encrypted entry, in memory and in a file, and a hit on the same that is not encrypted.
    public static func encrypted(in directory: URL) async throws -> [[Scenario]] {
        let key = EncryptionKey.random()
        func pair(_ name: String, _ encrypted: some CacheStore, _ plain: some CacheStore) async throws -> [Scenario] {
            let chains = try await (
                CacheScenarios.filled(1, store: .encrypted(encrypted, key: key)),
                CacheScenarios.filled(1, store: plain)
            )
            return [
                CacheScenarios.hits(chains.0, among: 1, named: "cache.encrypted.\(name)"),
                CacheScenarios.hits(chains.1, among: 1, named: "cache.encrypted.\(name).plain"),
            ]
        }
        let bound = ByteCount.megabytes(50)
        return [
            try await pair("memory", .memory(limit: bound), .memory(limit: bound)),
            try await pair(
                "file",
                .files(in: directory.appendingPathComponent("encrypted"), limit: bound),
                .files(in: directory.appendingPathComponent("not encrypted"), limit: bound)
            ),
        ]
    }

    /// A store that holds so many entries, closed.
    public struct Filled: Sendable {
        /// What is stored where.
        public let kind: Kind
        private let path: URL
        private let count: Int

        /// Fills a store and closes it.
        public init(_ kind: Kind, with count: Int, in directory: URL) async throws {
            self.kind = kind
            self.count = count
            path = directory.appendingPathComponent("\(kind)-\(count)")
            _ = try await CacheScenarios.filled(count, store: kind.store(path, ample))
        }

        /// Opens the store, and waits until it knows what it has.
        public func open() async throws {
            guard try await kind.store(path, ample).usage().entries == count else { throw CacheScenarios.Miss() }
        }

        /// Hits spread over all entries.
        public func hits() throws -> Scenario {
            let chain = try CacheScenarios.chain(over: kind.store(path, ample))
            return CacheScenarios.hits(chain, among: count, named: "cache.\(kind).\(count)")
        }
    }

    /// Stores a body of a length, reads it from the store, and removes it.
    public static func body(of length: Int64, _ kind: Kind, in directory: URL) async throws {
        let store = kind.store(directory.appendingPathComponent("\(kind)-body"), ample)
        let chain = try Chain(transport: LongTransport(length: length)) { CacheMiddleware(store: store) }
        for round in 1...2 {
            let response = try await chain.send(.get(CacheScenarios.url(0)))
            guard response.cacheStatus?.isHit == (round == 2) else { throw CacheScenarios.Miss() }
            var count: Int64 = 0
            for try await chunk in response.body { count += Int64(chunk.count) }
            guard count == length else { throw CacheScenarios.Miss() }
        }
        try await store.remove(.all)
    }
}

/// Answers with a body that comes in chunks.
private struct LongTransport: Transport {
    let length: Int64
    var capabilities: TransportCapabilities { [] }

    func send(_ request: consuming Request) async throws -> Response {
        Response(
            .ok,
            headers: [.cacheControl: "max-age=3600", .contentLength: "\(length)"],
            body: .once(length: length) { [length] in Chunks(rest: length) }
        )
    }

    private struct Chunks: BodyReader {
        var rest: Int64
        let chunk = Data(repeating: 7, count: 65_536)

        nonisolated(nonsending) mutating func read() async throws -> Data? {
            guard rest > 0 else { return nil }
            let next = chunk.prefix(Int(min(rest, Int64(chunk.count))))
            rest -= Int64(next.count)
            return next
        }
    }
}

/// A table of one row, and a prepared statement that selects it.
private final class PlainTable: Sendable {
    private struct Handles {
        var database: OpaquePointer?
        var statement: OpaquePointer?
    }
    private let handles: Locked<Handles>

    init(_ path: String, size: Int) throws {
        var handles = Handles()
        let setup = """
            PRAGMA journal_mode = WAL;
            CREATE TABLE plain (url TEXT PRIMARY KEY, bytes BLOB NOT NULL);
            INSERT INTO plain VALUES ('\(CacheScenarios.url(0))', zeroblob(\(size)));
            """
        let query = "SELECT bytes FROM plain WHERE url = ?"
        guard sqlite3_open(path, &handles.database) == SQLITE_OK,
            sqlite3_exec(handles.database, setup, nil, nil, nil) == SQLITE_OK,
            sqlite3_prepare_v2(handles.database, query, -1, &handles.statement, nil) == SQLITE_OK
        else { throw CacheScenarios.Miss() }
        self.handles = Locked(handles)
    }

    deinit {
        handles.withLock { handles in
            sqlite3_finalize(handles.statement)
            sqlite3_close(handles.database)
        }
    }

    /// How many bytes there are, copied out.
    func select(_ url: String) -> Int {
        handles.withLock { handles in
            let statement = handles.statement
            defer { sqlite3_reset(statement) }
            return url.withCString { text in
                sqlite3_bind_text(statement, 1, text, -1, nil)
                guard sqlite3_step(statement) == SQLITE_ROW, let bytes = sqlite3_column_blob(statement, 0) else {
                    return 0
                }
                return Data(bytes: bytes, count: Int(sqlite3_column_bytes(statement, 0))).count
            }
        }
    }
}
