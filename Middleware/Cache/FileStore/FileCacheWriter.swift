import Foundation
import HTTPChainCore

/// Writes one entry: a small body with its description, a larger one block by block into a file of its own.
final class FileCacheWriter: CacheWriter {
    private struct State {
        var pending: [UInt8] = []
        var file: TemporaryCacheFile?
        var blocks: Int64 = 0
        var length: Int64 = 0
        var checksum = ContentChecksum()
        var isOpen = true

        mutating func close() {
            isOpen = false
            pending = []
            file = nil
        }
    }
    private let store: FileCacheStore
    private let key: CacheKey
    private let metadata: CacheMetadata
    private let room: Int64
    private let id = FileCacheDirectory.makeID()
    private let nonce = UInt64.random(in: 1 ... .max)
    private let state = Locked(State())
    private let share: FlightShare

    init(store: FileCacheStore, key: CacheKey, metadata: CacheMetadata, room: Int64) {
        self.store = store
        self.key = key
        self.metadata = metadata
        self.room = room
        share = FlightShare(of: store.inFlight)
    }

    func write(_ chunk: Data) async throws -> Bool {
        // What stays in memory needs no thread that may wait.
        let staysInMemory = state.withLock { $0.pending.count + chunk.count <= BodyBlocks.payload }
        if staysInMemory { return try add(chunk) }
        return try await store.executor.runToEnd { try self.add(chunk) }
    }

    private func add(_ chunk: Data) throws -> Bool {
        try state.withFault { state throws(CacheStoreFault) in
            let length = state.length + Int64(chunk.count)
            guard state.isOpen, size(ofBody: length) <= room, share.take(chunk.count) else {
                close(&state)
                return false
            }
            state.checksum.update(chunk)
            state.length = length
            do throws(CacheStoreFault) {
                var rest = chunk
                while !rest.isEmpty {
                    state.pending.append(contentsOf: rest.prefix(BodyBlocks.payload))
                    rest = rest.dropFirst(BodyBlocks.payload)
                    // A body that just fills a block stays with its description.
                    while state.pending.count > BodyBlocks.payload { try writeBlock(&state) }
                }
            } catch {
                close(&state)
                throw error
            }
            return true
        }
    }

    private func close(_ state: inout State) {
        state.close()
        share.giveBack()
    }

    private func size(ofBody length: Int64) -> Int64 {
        length <= Int64(BodyBlocks.payload) ? length : BodyBlocks.fileSize(ofBody: length)
    }

    private func writeBlock(_ state: inout State) throws(CacheStoreFault) {
        let file: TemporaryCacheFile
        if let opened = state.file {
            file = opened
        } else {
            file = try store.directory.makeTemporary()
            state.file = file
        }
        let count = min(state.pending.count, BodyBlocks.payload)
        var block = Array(state.pending[..<count])
        state.pending.removeFirst(count)
        let checksum = block.withUnsafeBytes { BodyBlocks.checksum($0, block: state.blocks, nonce: nonce) }
        withUnsafeBytes(of: checksum.littleEndian) { block.append(contentsOf: $0) }
        try file.file.write(block, at: state.blocks * Int64(BodyBlocks.stride))
        state.blocks += 1
    }

    func commit() async throws -> CacheCommit {
        try await store.executor.runToEnd { try self.commitNow() }
    }

    private func commitNow() throws -> CacheCommit {
        let outcome = try state.withFault { state throws(CacheStoreFault) -> CacheCommit in
            guard state.isOpen else { return CacheCommit(entry: nil) }
            defer { close(&state) }
            if state.file != nil, !state.pending.isEmpty { try writeBlock(&state) }
            if store.directory.durability == .power { try state.file?.file.synchronize() }
            let response = StoredResponse(metadata, bodyLength: state.length, bodyChecksum: state.checksum)
            let file = EntryFile(
                id: id,
                nonce: nonce,
                head: StoredHead(key, response),
                isInline: state.file == nil
            )
            let temporary = try store.write(file.encoded + state.pending)
            let entry = CacheEntry(id: CacheEntryID(rawValue: id), key: key, response: response)
            return try store.commit(entry, file, temporary, body: state.file)
        }
        return outcome
    }

    func abandon() async {
        await store.executor.runToEnd { self.state.withLock { self.close(&$0) } }
    }
}

extension FileCacheStore {
    fileprivate func commit(
        _ entry: CacheEntry,
        _ file: EntryFile,
        _ temporary: TemporaryCacheFile,
        body: TemporaryCacheFile?
    ) throws(CacheStoreFault) -> CacheCommit {
        try state.withFault { state throws(CacheStoreFault) in
            try state.refresh()
            let (isStored, evicted) = try state.commit(state.record(of: file), entry: temporary, body: body)
            return CacheCommit(entry: isStored ? entry : nil, evicted: evicted)
        }
    }
}
