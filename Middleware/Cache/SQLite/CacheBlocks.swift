#if SQLite
import Foundation
import GRDB
import HTTPChainCache
import HTTPChainCore

/// The body of an entry in rows, which aren't removed while somebody reads them.
final class CacheBlocks: BlockSource {
    /// The number of bytes of a body per row; the last row may have fewer.
    static let payload: Int64 = 65_536

    private let database: CacheDatabase
    private let id: Int64
    private let length: Int64
    /// Whether the body is read in several steps, between which another process may remove the entry.
    private let isStream: Bool

    init(database: CacheDatabase, id: Int64, length: Int64) {
        self.database = database
        self.id = id
        self.length = length
        isStream = length > Self.payload * 4
        database.beginReading(id, isStream: isStream)
    }

    deinit {
        database.endReading(id, isStream: isStream)
    }

    static func checksum(_ bytes: Data, _ block: Int64) -> Int64 {
        var checksum = ContentChecksum()
        withUnsafeBytes(of: block.littleEndian) { checksum.update($0) }
        bytes.withUnsafeBytes { checksum.update($0) }
        return Int64(bitPattern: checksum.value)
    }

    /// Returns verified blocks; `nil` if the entry is gone.
    func fetch(_ blocks: ClosedRange<Int64>) throws(CacheStoreFault) -> [Data]? {
        try database.read { db in
            guard length > 0 else { return try isThere(db) ? [] : nil }
            do {
                return try fetch(blocks, db, where: "EXISTS (SELECT 1 FROM entry WHERE id = ?)", [id])
            } catch {
                guard try isThere(db) else { return nil }
                throw error
            }
        }
    }

    private func isThere(_ db: Database) throws -> Bool {
        let statement = try db.cachedStatement(sql: "SELECT 1 FROM entry WHERE id = ?")
        return try Int.fetchOne(statement, arguments: [id]) != nil
    }

    private func fetch(
        _ blocks: ClosedRange<Int64>,
        _ db: Database,
        where condition: String = "1",
        _ arguments: StatementArguments = []
    ) throws -> [Data] {
        let statement = try db.cachedStatement(
            sql: "SELECT id, sum, bytes FROM block WHERE id BETWEEN ? AND ? AND \(condition) ORDER BY id"
        )
        let names = CacheSchema.blockID(blocks.lowerBound, of: id)...CacheSchema.blockID(blocks.upperBound, of: id)
        let rows = try Row.fetchCursor(statement, arguments: [names.lowerBound, names.upperBound] + arguments)
        var chunks: [Data] = []
        while let row = try rows.next() {
            let name = try row.decode(Int64.self, atIndex: 0)
            let sum = try row.decode(Int64.self, atIndex: 1)
            let bytes = try row.decode(Data.self, atIndex: 2)
            let number = blocks.lowerBound + Int64(chunks.count)
            guard name == CacheSchema.blockID(number, of: id), Self.checksum(bytes, name) == sum,
                Int64(bytes.count) == min(Self.payload, length - number * Self.payload)
            else { throw CacheStoreFault(.damaged("a stored body")) }
            chunks.append(bytes)
        }
        guard chunks.count == blocks.count else { throw CacheStoreFault(.damaged("a stored body")) }
        return chunks
    }

    nonisolated(nonsending) func block(at position: Int64) async throws -> (bytes: Data, content: Range<Int64>) {
        let number = position / Self.payload
        let start = number * Self.payload
        let bytes = try await database.run { [self] in
            do throws(CacheStoreFault) {
                return try database.read { db in try fetch(number...number, db) }[0]
            } catch {
                database.drop(id, error)
                throw error
            }
        }
        return (bytes, start..<(start + Int64(bytes.count)))
    }
}

/// Writes one entry; a small body is written at once, a larger one row by row.
final class SQLiteCacheWriter: FlightLimitedWriter {
    private struct State {
        var pending = Data()
        var blocks: Int64 = 0
        var length: Int64 = 0
        var checksum = ContentChecksum()
        var isOpen = true
    }
    private let database: CacheDatabase
    private let key: CacheKey
    private let metadata: CacheMetadata
    private let room: Int64
    /// Small enough for the identifier of a block, which starts with it, to fit 64 bits.
    private let id = Int64.random(in: 1..<(1 << 38))
    private let state = Locked(State())
    private let share: FlightShare

    init(_ database: CacheDatabase, key: CacheKey, metadata: CacheMetadata, room: Int64, _ share: FlightShare) {
        self.share = share
        self.database = database
        self.key = key
        self.metadata = metadata
        self.room = room
    }

    deinit {
        guard state.withLock({ $0.isOpen && $0.blocks > 0 }) else { return }
        database.abandonLater(id)
    }

    var hasSpentBudget: Bool { share.isRefused }

    func write(_ chunk: Data) async throws -> Bool {
        // Work in memory doesn't need a thread that may block.
        let staysInMemory = state.withLock { $0.pending.count + chunk.count <= Int(CacheBlocks.payload) }
        if staysInMemory { return try add(chunk) }
        return try await database.change { try self.add(chunk) }
    }

    private func add(_ chunk: Data) throws -> Bool {
        do {
            return try state.withLock { state in
                guard state.isOpen, state.length + Int64(chunk.count) <= room, share.take(chunk.count) else {
                    close(&state)
                    return false
                }
                state.checksum.update(chunk)
                state.length += Int64(chunk.count)
                var rest = chunk
                while !rest.isEmpty {
                    state.pending.append(rest.prefix(Int(CacheBlocks.payload)))
                    rest = rest.dropFirst(Int(CacheBlocks.payload))
                    while state.pending.count > Int(CacheBlocks.payload) {
                        let block = Data(state.pending.prefix(Int(CacheBlocks.payload)))
                        guard try database.write(block, block: state.blocks, of: id) else {
                            close(&state)
                            return false
                        }
                        state.pending = Data(state.pending.dropFirst(Int(CacheBlocks.payload)))
                        state.blocks += 1
                    }
                }
                return true
            }
        } catch {
            state.withLock { close(&$0) }
            throw error
        }
    }

    private func close(_ state: inout sending State) {
        if state.isOpen, state.blocks > 0 { database.abandon(id) }
        state.isOpen = false
        state.pending = Data()
        share.giveBack()
    }

    func commit() async throws -> CacheCommit {
        try await database.change { try self.commitNow() }
    }

    private func commitNow() throws -> CacheCommit {
        try state.withLock { state in
            guard state.isOpen else { return CacheCommit(entry: nil) }
            let response = StoredResponse(metadata, bodyLength: state.length, bodyChecksum: state.checksum)
            let last = state.pending.isEmpty ? nil : (bytes: state.pending, block: state.blocks)
            do {
                let commit = try database.commit(id, key, response, last: last)
                state.isOpen = false
                state.pending = Data()
                share.giveBack()
                return commit
            } catch {
                close(&state)
                throw error
            }
        }
    }

    func abandon() async {
        // If the database is closed, the blocks are removed when it is opened.
        try? await database.change { self.state.withLock { self.close(&$0) } }
    }
}
#endif
