#if Valkey
import Foundation
import HTTPChainCache
import HTTPChainCore

/// Writes one entry; each block is written when it is full, and the last one in the step that makes the entry visible.
final class ValkeyCacheWriter: FlightLimitedWriter {
    private struct State {
        var pending = Data()
        var blocks = 0
        var length: Int64 = 0
        var checksum = ContentChecksum()
        var isOpen = true
        /// The last time the lifetime of the blocks was extended.
        var heldAt: ContinuousClock.Instant?
    }
    private let server: CacheServer
    private let key: CacheKey
    private let metadata: CacheMetadata
    private let room: Int64
    private let bounds: CacheBounds
    private let share: FlightShare
    var hasSpentBudget: Bool { share.isRefused }
    private let id = "\(UInt64.random(in: CacheServer.ids))"
    /// The lock is never contended, because only one task at a time uses a writer.
    ///
    /// Nothing changes between two accesses.
    private let state = Locked(State())

    init(
        _ server: CacheServer,
        key: CacheKey,
        metadata: CacheMetadata,
        room: Int64,
        _ bounds: CacheBounds,
        _ share: FlightShare
    ) {
        self.server = server
        self.key = key
        self.metadata = metadata
        self.room = room
        self.bounds = bounds
        self.share = share
    }

    deinit {
        let blocks = state.withLock { $0.isOpen ? $0.blocks : 0 }
        guard blocks > 0 else { return }
        server.abandonLater(id, blocks: blocks)
    }

    func write(_ chunk: Data) async throws -> Bool {
        do {
            if try await add(chunk) { return true }
        } catch {
            await abandon()
            throw error
        }
        await abandon()
        return false
    }

    private func add(_ chunk: Data) async throws -> Bool {
        let fits = state.withLock { state in
            guard state.isOpen, state.length + Int64(chunk.count) <= room, share.take(chunk.count) else {
                return false
            }
            state.checksum.update(chunk)
            state.length += Int64(chunk.count)
            return true
        }
        guard fits else { return false }
        let size = server.options.blockBytes
        var rest = chunk
        while !rest.isEmpty {
            let block = state.withLock { state -> [UInt8]? in
                let count = min(size - state.pending.count, rest.count)
                state.pending.append(rest.prefix(count))
                rest = rest.dropFirst(count)
                // The last block is kept for the commit.
                guard state.pending.count == size, !rest.isEmpty else { return nil }
                defer { state.pending = Data() }
                return Array(state.pending)
            }
            if let block, try await !send(block) { return false }
        }
        return true
    }

    private func send(_ block: [UInt8]) async throws -> Bool {
        let number = state.withLock { $0.blocks }
        let sealed = SealedBytes.seal(block, name: "\(id)/\(number)")
        // The block may exist even if the reply was lost.
        state.withLock { $0.blocks += 1 }
        guard try await server.write(sealed, block: number, of: id) else {
            // The existing block belongs to another entry.
            state.withLock { $0.blocks = number }
            return false
        }
        let now = ContinuousClock.now
        let isOld = state.withLock { state in
            let since = state.heldAt ?? now
            state.heldAt = state.heldAt ?? now
            return now - since > CacheServer.unfinished / 4
        }
        if isOld {
            try await server.hold(id, blocks: number + 1)
            state.withLock { $0.heldAt = now }
        }
        return true
    }

    func commit() async throws -> CacheCommit {
        let written = state.withLock { $0 }
        guard written.isOpen else { return CacheCommit(entry: nil) }
        let response = StoredResponse(metadata, bodyLength: written.length, bodyChecksum: written.checksum)
        let head = StoredHead(key, response)
        // A last block that is exactly full was also kept for the commit.
        let hasLast = !written.pending.isEmpty
        if hasLast { state.withLock { $0.blocks += 1 } }
        let last = hasLast ? SealedBytes.seal(Array(written.pending), name: "\(id)/\(written.blocks)") : nil
        do {
            let blocks = written.blocks + (hasLast ? 1 : 0)
            let (isStored, evicted) = try await server.commit(id, head, blocks: blocks, last: last, bounds)
            guard isStored else {
                await abandon()
                return CacheCommit(entry: nil, evicted: evicted)
            }
            close()
            let entryID = CacheEntryID(rawValue: UInt64(id) ?? 0)
            return CacheCommit(entry: CacheEntry(id: entryID, key: key, response: response), evicted: evicted)
        } catch {
            // The commit may have succeeded even if its reply was lost.
            state.withLock { $0.blocks = max(1, $0.blocks) }
            await abandon()
            throw error
        }
    }

    private func close() {
        state.withLock { state in
            state.isOpen = false
            state.pending = Data()
        }
        share.giveBack()
    }

    func abandon() async {
        let blocks = state.withLock { $0.isOpen ? $0.blocks : 0 }
        close()
        guard blocks > 0 else { return }
        // If this fails, the blocks expire by themselves.
        try? await server.abandon(id, blocks: blocks)
    }
}
#endif
