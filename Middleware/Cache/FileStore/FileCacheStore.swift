public import Foundation
public import HTTPChainCore

/// Keeps responses in the files of a directory, from one run to the next.
///
/// ```swift
/// let store = FileCacheStore(
///     directory: caches.appendingPathComponent("responses"),
///     bounds: CacheBounds(totalBytes: .megabytes(500))
/// )
/// let cache = CacheMiddleware(store: store)
/// ```
///
/// The directory may be lost, damaged, full or out of reach at any time, and the process may be killed at any point:
/// what is handed out is what was stored, byte for byte, or nothing. Descriptions and bodies are under checksums. A body
/// of up to 256 KiB is checked before any of it is handed out; a longer one block by block, each before it is handed
/// out, and one that is damaged further on ends with a ``CacheStoreFault``.
///
/// - The directory is opened with the first call, and again after a failure. Where it cannot be written to, what is
///   there is read, and removals hold for this process. What cannot be done is thrown as a ``CacheStoreFault``, which
///   the cache reports as an event.
/// - Several processes may share a directory: whoever changes it holds its lock, and each sees at once what the others
///   have done. The bounds should be the same in all.
/// - Files in the directory that are not the store's are left alone. A directory of a later version is left alone too:
///   nothing is found in it.
/// - Bounds count what the files take. What was used last is written down now and then, and may be forgotten when the
///   process is killed.
public final class FileCacheStore: CacheStore, InvalidationKeeping {
    /// Bodies up to this length are checked as a whole.
    static let checkedWhole: Int64 = 262_144

    /// How much the store holds at most.
    public let bounds: CacheBounds
    /// What stages that use the store have made invalid.
    package let invalidations = InvalidationLog()
    let directory: FileCacheDirectory
    let state: Locked<FileCacheState>
    /// What is being written takes room on the disk too: at most as much again as the store holds.
    let inFlight: FlightBudget
    /// Threads of the store's own: where its disk stalls, nothing waits for it but the store.
    var executor: FileExecutor { directory.executor }

    /// Makes a store; nothing is opened or created yet.
    ///
    /// - Parameters:
    ///   - directory: A file URL; it is created where it is not there. Nothing else should write to it.
    ///   - bounds: How much it holds at most.
    ///   - durability: What entries survive; the end of the process by default.
    public convenience init(directory: URL, bounds: CacheBounds, durability: FileCacheDurability = .process) {
        self.init(path: directory.path, bounds: bounds, durability: durability)
    }

    init(
        path: String,
        bounds: CacheBounds,
        durability: FileCacheDurability = .process,
        files: any FileSystem = SystemFiles(),
        executor: FileExecutor = FileExecutor(limit: 4)
    ) {
        self.bounds = bounds
        inFlight = FlightBudget(limit: bounds.totalBytes.bytes)
        directory = FileCacheDirectory(path: path, files: Files(files), durability: durability, executor: executor)
        state = Locked(FileCacheState(directory, bounds))
    }

    deinit {
        executor.submit { [state] in state.withLock { try? $0.saveUses() } }
    }

    /// It waits for nothing but its own work.
    public var keepsDeadlines: Bool { true }

    /// "files in" the directory, and the bound.
    public var summary: String { "files in \(directory.path), up to \(bounds.totalBytes)" }

    /// The stored variants of a key.
    ///
    /// - Throws: ``CacheStoreFault`` when nothing could be read.
    public func variants(of key: CacheKey) async throws -> [CacheEntry] {
        try await executor.run { try self.storedVariants(of: key) }
    }

    private func storedVariants(of key: CacheKey) throws -> [CacheEntry] {
        var entries: [CacheEntry] = []
        var fault: CacheStoreFault?
        // What is replaced while it is looked up is looked up again.
        for _ in 0..<3 {
            let ids = try state.withLock { state in
                try state.refresh()
                return state.ids(ofKey: key)
            }
            var isComplete = true
            entries = []
            for id in ids {
                do throws(CacheStoreFault) {
                    guard let entry = try load(id) else {
                        isComplete = false
                        continue
                    }
                    if entry.key == key { entries.append(entry) }
                } catch {
                    fault = error
                }
            }
            if isComplete { break }
        }
        if entries.isEmpty, let fault { throw fault }
        return entries
    }

    /// An entry as its file has it; `nil` when the file is gone.
    private func load(_ id: UInt64) throws(CacheStoreFault) -> CacheEntry? {
        do throws(CacheStoreFault) {
            guard let file = try directory.files.open(directory.entry(id), .read) else {
                state.withLock { $0.forget(id) }
                return nil
            }
            let entry = try EntryFile(reading: file, id: id)
            return CacheEntry(id: CacheEntryID(rawValue: id), key: entry.head.key, response: entry.head.response)
        } catch {
            drop(id, error)
            throw error
        }
    }

    /// Removes an entry that is damaged; what merely cannot be read now stays.
    private func drop(_ id: UInt64, _ fault: CacheStoreFault) {
        guard case .damaged = fault.problem else { return }
        state.withLock { $0.discard(id) }
    }

    /// The content of an entry, which counts as a use of it.
    ///
    /// - Throws: ``CacheStoreFault`` when it is damaged or cannot be read.
    public func body(of entry: CacheEntry, range: Range<Int64>?) async throws -> HTTPBody? {
        try await executor.run { try self.storedBody(of: entry, range: range) }
    }

    private func storedBody(of entry: CacheEntry, range: Range<Int64>?) throws -> HTTPBody? {
        let id = entry.id.rawValue
        let isThere = try state.withLock { state in
            try state.refresh()
            guard state.contains(id) else { return false }
            state.use(id)
            return true
        }
        guard isThere else { return nil }
        do throws(CacheStoreFault) {
            return try openBody(id, of: entry.response, range ?? 0..<entry.response.bodyLength)
        } catch {
            drop(id, error)
            throw error
        }
    }

    private func openBody(
        _ id: UInt64,
        of response: StoredResponse,
        _ range: Range<Int64>
    ) throws(CacheStoreFault) -> HTTPBody? {
        guard let entry = try directory.files.open(directory.entry(id), .read) else { return nil }
        let prologue = try EntryFile.Prologue(reading: entry, id: id)
        let length = response.bodyLength
        if prologue.isInline {
            guard length <= Int64(BodyBlocks.payload) else { return nil }
            let bytes = Data(try entry.read(Int(length), at: Int64(prologue.bodyOffset)))
            return try checked(bytes, response, range)
        }
        guard let file = try directory.files.open(directory.body(id), .read),
            try file.status().size == BodyBlocks.fileSize(ofBody: length)
        else { throw CacheStoreFault(.damaged("a stored body")) }
        let blocks = BlockFile(file, length: length, nonce: prologue.nonce, executor: executor) { [weak self] in
            self?.drop(id, $0)
        }
        guard length > Self.checkedWhole else {
            var bytes = Data(capacity: Int(length))
            for block in 0..<((length + Int64(BodyBlocks.payload) - 1) / Int64(BodyBlocks.payload)) {
                bytes += try BodyBlocks.read(block, of: file, bodyLength: length, nonce: prologue.nonce)
            }
            return try checked(bytes, response, range)
        }
        // A body that is damaged where its reader begins is a miss.
        if !range.isEmpty {
            let first = range.lowerBound / Int64(BodyBlocks.payload)
            _ = try BodyBlocks.read(first, of: file, bodyLength: length, nonce: prologue.nonce)
        }
        return blocks.body(range)
    }

    private func checked(
        _ bytes: Data,
        _ response: StoredResponse,
        _ range: Range<Int64>
    ) throws(CacheStoreFault) -> HTTPBody {
        guard Int64(bytes.count) == response.bodyLength, ContentChecksum(of: bytes) == response.bodyChecksum else {
            throw CacheStoreFault(.damaged("a stored body"))
        }
        guard range != 0..<response.bodyLength else { return HTTPBody(bytes) }
        return HTTPBody(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
    }

    /// Begins to write an entry.
    ///
    /// - Throws: ``CacheStoreFault`` when the directory cannot be opened.
    public func makeWriter(
        for key: CacheKey,
        _ metadata: CacheMetadata,
        expecting length: Int64?
    ) async throws -> (any CacheWriter)? {
        let empty = StoredResponse(metadata, bodyLength: 0, bodyChecksum: ContentChecksum())
        let description = EntryFile(id: 0, nonce: 0, head: StoredHead(key, empty), isInline: true).encoded.count
        let room = bounds.entryBytes.bytes - Int64(description)
        guard room >= 0, bounds.entryCount > 0, (length ?? 0) <= room else { return nil }
        try await executor.run { [state] in try state.withLock { try $0.refresh() } }
        return FileCacheWriter(store: self, key: key, metadata: metadata, room: room)
    }

    /// Gives a stored body a new description; an entry for which that fails is removed.
    ///
    /// - Throws: ``CacheStoreFault`` when it fails.
    public func update(_ entry: CacheEntry, to metadata: CacheMetadata) async throws -> CacheEntry? {
        try await executor.runToEnd { try self.describe(entry, as: metadata) }
    }

    private func describe(_ entry: CacheEntry, as metadata: CacheMetadata) throws -> CacheEntry? {
        let id = entry.id.rawValue
        let response = entry.response.with(metadata)
        do throws(CacheStoreFault) {
            guard let old = try directory.files.open(directory.entry(id), .read) else {
                state.withLock { $0.forget(id) }
                return nil
            }
            let prologue = try EntryFile.Prologue(reading: old, id: id)
            let file = EntryFile(
                id: id,
                nonce: prologue.nonce,
                head: StoredHead(entry.key, response),
                isInline: prologue.isInline
            )
            var bytes = file.encoded
            if prologue.isInline {
                let body = try old.read(Int(response.bodyLength), at: Int64(prologue.bodyOffset))
                guard ContentChecksum(of: body) == response.bodyChecksum else {
                    throw CacheStoreFault(.damaged("a stored body"))
                }
                bytes += body
            }
            let temporary = try write(bytes)
            guard try commit(update: file, temporary) else { return nil }
        } catch {
            // What cannot be described anew must not be served as it was described before.
            state.withLock { $0.discard(id) }
            throw error
        }
        return CacheEntry(id: entry.id, key: entry.key, response: response)
    }

    private func commit(update file: EntryFile, _ temporary: TemporaryCacheFile) throws(CacheStoreFault) -> Bool {
        try state.withFault { state throws(CacheStoreFault) in
            try state.refresh()
            return try state.update(state.record(of: file), entry: temporary)
        }
    }

    /// Removes entries: at least for this process, when the directory refuses.
    ///
    /// - Throws: ``CacheStoreFault`` when files could not be removed; no entry that was to go is found by this process.
    @discardableResult
    public func remove(_ selection: CacheSelection) async throws -> Int {
        try await executor.runToEnd { [state] in try state.withLock { try $0.remove(selection) } }
    }

    /// Shows entries, each read from its file; those that cannot be read are passed over.
    public func visit(_ selection: CacheSelection, _ visit: (CacheEntry) throws -> Bool) async throws {
        let ids = try await executor.run { [state] in
            try state.withLock { state in
                try state.refresh()
                return state.ids(selection)
            }
        }
        for id in ids {
            try Task.checkCancellation()
            guard let entry = try? await executor.run({ try self.load(id) }), selection.contains(entry) else {
                continue
            }
            guard try visit(entry) else { return }
        }
    }

    /// How full the store is: what its files take.
    public func usage() async throws -> CacheUsage {
        try await executor.run { [state] in
            try state.withLock { state in
                try state.refresh()
                return CacheUsage(bytes: state.index.bytes, entries: state.index.count)
            }
        }
    }

    func write(_ bytes: [UInt8]) throws(CacheStoreFault) -> TemporaryCacheFile {
        let temporary = try directory.makeTemporary()
        try temporary.file.write(bytes, at: 0)
        if directory.durability == .power { try temporary.file.synchronize() }
        return temporary
    }
}

extension Locked {
    /// `withLock` that keeps the type of what is thrown.
    func withFault<Result: Sendable>(
        _ body: (inout sending Value) throws(CacheStoreFault) -> Result
    ) throws(CacheStoreFault) -> Result {
        let outcome = withLock { value -> Swift.Result<Result, CacheStoreFault> in
            do throws(CacheStoreFault) { return .success(try body(&value)) } catch { return .failure(error) }
        }
        return try outcome.get()
    }
}

extension CacheStore where Self == FileCacheStore {
    /// A store in the files of a directory.
    ///
    /// - Parameters:
    ///   - directory: A file URL; it is created where it is not there.
    ///   - limit: What the files take at most.
    public static func files(in directory: URL, limit: ByteCount) -> FileCacheStore {
        FileCacheStore(directory: directory, bounds: CacheBounds(totalBytes: limit))
    }
}
