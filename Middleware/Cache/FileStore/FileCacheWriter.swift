import Foundation
import HTTPChainCore

/// Writes one entry.
///
/// A small body is written with its description, a larger one block by block to a separate file, and an extension of a
/// stored body after that body.
final class FileCacheWriter: CacheWriter, FlightLimitedWriter {
    private struct State {
        var pending: [UInt8] = []
        var file: TemporaryCacheFile?
        /// The body being extended.
        var grown: AppendedBody?
        var blocks: Int64 = 0
        var length: Int64 = 0
        var checksum: ContentChecksum
        var isOpen = true

        mutating func close() {
            isOpen = false
            pending = []
            file = nil
            grown = nil
        }
    }
    private let store: FileCacheStore
    private let key: CacheKey
    private let metadata: CacheMetadata
    private let room: Int64
    private let id: UInt64
    private let nonce: UInt64
    private let state: Locked<State>
    private let share: FlightShare

    /// - Parameter grown: The body to extend.
    init(store: FileCacheStore, key: CacheKey, metadata: CacheMetadata, room: Int64, behind grown: AppendedBody? = nil)
    {
        self.store = store
        self.key = key
        self.metadata = metadata
        self.room = room
        id = grown?.id ?? FileCacheDirectory.makeID()
        nonce = grown?.nonce ?? UInt64.random(in: 1 ... .max)
        state = Locked(State(grown: grown, checksum: grown?.checksum ?? ContentChecksum()))
        share = FlightShare(of: store.inFlight)
    }

    var hasSpentBudget: Bool { share.isRefused }

    func write(_ chunk: Data) async throws -> Bool {
        // Work in memory doesn't need a thread that may block.
        let staysInMemory = state.withLock { $0.pending.count + chunk.count <= BodyBlocks.payload }
        if staysInMemory { return try add(chunk) }
        return try await store.executor.runToEnd { try self.add(chunk) }
    }

    private func add(_ chunk: Data) throws -> Bool {
        try state.withFault { state throws(CacheStoreFault) in
            let length = state.length + Int64(chunk.count)
            guard state.isOpen, size(ofBody: length, state) <= room, share.take(chunk.count) else {
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
                    // A body that is exactly one block is stored with its description.
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

    private func size(ofBody length: Int64, _ state: State) -> Int64 {
        if let grown = state.grown { return grown.layout.fileSize(appending: length) }
        return length <= Int64(BodyBlocks.payload) ? length : BodyLayout(length).fileSize
    }

    private func writeBlock(_ state: inout State) throws(CacheStoreFault) {
        let count = min(state.pending.count, BodyBlocks.payload)
        let (number, offset) = (state.blocks, state.blocks * Int64(BodyBlocks.stride))
        if let grown = state.grown {
            let number = grown.layout.blockCount + number
            let block = BodyBlocks.encoded(state.pending[..<count], block: number, nonce: nonce)
            try grown.file.write(block, at: grown.layout.fileSize + offset)
        } else {
            if state.file == nil { state.file = try store.directory.makeTemporary() }
            let block = BodyBlocks.encoded(state.pending[..<count], block: number, nonce: nonce)
            try state.file?.file.write(block, at: offset)
        }
        state.pending.removeFirst(count)
        state.blocks += 1
    }

    func commit() async throws -> CacheCommit {
        defer { share.giveBack() }
        let finished = try await store.executor.runToEnd { () throws(CacheStoreFault) in
            try self.state.withFault { state throws(CacheStoreFault) in try self.finish(&state) }
        }
        guard let (arrival, grown) = finished else { return CacheCommit(entry: nil) }
        let response = arrival.file.head.response
        let entry = CacheEntry(id: CacheEntryID(rawValue: id), key: key, response: response)
        if let grown {
            let update = try await store.changes.runToEnd { [store] () throws(CacheStoreFault) in
                defer { grown.release() }
                return try store.state.withFault { state throws(CacheStoreFault) in
                    let update = try state.update(arrival.file, entry: arrival.entry, from: nil)
                    if case .done = update { grown.keep() }
                    return update
                }
            }
            guard case .done(let evicted) = update else { return CacheCommit(entry: nil) }
            return CacheCommit(entry: entry, evicted: evicted)
        }
        let outcome = await store.changes.commit(arrival)
        if let fault = outcome.fault { throw fault }
        return CacheCommit(entry: outcome.isStored ? entry : nil, evicted: outcome.evicted)
    }

    /// Writes the remaining bytes and the description; returns `nil` if the writer is closed.
    private func finish(
        _ state: inout State
    ) throws(CacheStoreFault) -> (FileCacheState.Arrival, AppendedBody?)? {
        guard state.isOpen else { return nil }
        defer { state.close() }
        let isInline = state.file == nil && state.grown == nil
        if !isInline, !state.pending.isEmpty { try writeBlock(&state) }
        if store.directory.durability == .power {
            try state.file?.file.synchronize()
            try state.grown?.file.synchronize()
        }
        var layout = state.grown?.layout ?? BodyLayout(0)
        if !isInline { layout.append(state.length) }
        let length = isInline ? state.length : layout.length
        let response = StoredResponse(metadata, bodyLength: length, bodyChecksum: state.checksum)
        let file = EntryFile(
            id: id,
            nonce: nonce,
            head: StoredHead(key, response),
            isInline: isInline,
            layout: layout
        )
        let entry = try store.write(file.encoded + (isInline ? state.pending : []))
        return (FileCacheState.Arrival(file: file, entry: entry, body: state.file), state.grown)
    }

    func abandon() async {
        await store.executor.runToEnd {
            self.state.withLock { state in
                state.grown?.release()
                self.close(&state)
            }
        }
    }
}

/// The file of a stored body that is being extended; it is locked, so that no other process extends it.
///
/// Existing bytes are unchanged, so that readers and the current description aren't affected. If the extension fails,
/// the file is truncated. If that fails too, the added bytes are overwritten later.
final class AppendedBody: Sendable {
    let id: UInt64
    let nonce: UInt64
    let file: OpenFile<CacheStoreFault>
    let layout: BodyLayout
    let checksum: ContentChecksum
    private let executor: FileExecutor
    private let isKept = Locked(false)
    private let isReleased = Locked(false)

    /// Opens a body.
    ///
    /// Returns `nil` if it can't be extended: it is small, has too many segments, is already being extended, or no
    /// longer matches the entry.
    init?(of entry: CacheEntry, in directory: FileCacheDirectory) throws(CacheStoreFault) {
        id = entry.id.rawValue
        executor = directory.executor
        guard entry.response.bodyLength > Int64(BodyBlocks.payload),
            let file = try directory.files.open(directory.body(id), .update), try file.lock()
        else { return nil }
        self.file = file
        // Read with the lock held, so that nobody can extend it in between.
        guard let description = try directory.files.open(directory.entry(id), .read) else {
            file.unlock()
            return nil
        }
        let known: EntryFile
        do throws(CacheStoreFault) {
            known = try EntryFile(reading: description, id: id)
        } catch {
            file.unlock()
            throw error
        }
        nonce = known.nonce
        layout = known.layout
        checksum = known.head.response.bodyChecksum
        guard !known.isInline, known.head.response.bodyLength == entry.response.bodyLength,
            layout.lengths.count < BodyLayout.maximumCount
        else {
            // The instance is fully initialized, so its deinitializer releases the lock.
            return nil
        }
    }

    deinit {
        // The last reference may be released by code that must not wait for a disk.
        guard !isReleased.withLock({ $0 }) else { return }
        executor.submit { [file, isKept, layout] in Self.release(file, isKept, layout) }
    }

    /// Marks the appended bytes as part of the entry.
    func keep() { isKept.withLock { $0 = true } }

    /// Allows the body to be extended again.
    func release() {
        let isFirst = isReleased.withLock { isReleased in
            defer { isReleased = true }
            return !isReleased
        }
        if isFirst { Self.release(file, isKept, layout) }
    }

    private static func release(_ file: OpenFile<CacheStoreFault>, _ isKept: Locked<Bool>, _ layout: BodyLayout) {
        if !isKept.withLock({ $0 }) { try? file.truncate(to: layout.fileSize) }
        file.unlock()
    }
}
