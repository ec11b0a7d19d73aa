package import Foundation
package import HTTPChainCore

/// Stores responses persistently in the files of a directory.
///
/// The directory may be lost, damaged, full or inaccessible at any time, and the process may be killed at any point.
/// The store nevertheless returns either exactly the stored bytes, or nothing. Checksums cover descriptions and bodies.
/// A body of up to 256 KiB is verified before any of it is returned. A longer one is verified block by block, each
/// before it is returned; if a later block is damaged, the body ends with a ``CacheStoreFault``.
///
/// - The directory is opened by the first call, and again after a failure. If it isn't writable, existing entries are
///   read, and removals apply to this process. Failures are thrown as ``CacheStoreFault``, which the cache reports as
///   an event.
/// - Several processes may share a directory. A change requires its lock, and is immediately visible to the others. The
///   bounds should be the same in all processes.
/// - Look-ups never wait for changes: neither for another process's lock nor for the disk or a large eviction.
///   Responses stored concurrently share the waits for the disk of ``FileCacheDurability/power``.
/// - A partial response that continues a stored one is appended to it, without rewriting anything.
/// - Other files in the directory are left unchanged. So is a directory of a later version, in which no entries are
///   found.
/// - Up to 16 files of recently found entries stay open, until something is removed.
/// - The bounds count the size of the files. The order of use is saved from time to time, and may be lost if the
///   process is killed.
package final class FileCacheStore: CacheStore, InvalidationKeeping, BodyAppending {
    /// The maximum length of a body that is verified as a whole.
    static let checkedWhole: Int64 = 262_144
    /// The maximum size of an entry that is read in one step: a body of one block, and its description.
    static let readWhole = Int64(BodyBlocks.payload) + 4096

    /// The limits of the store.
    package let bounds: CacheBounds
    /// The invalidations by all stages that use the store.
    package let invalidations = InvalidationLog()
    let directory: FileCacheDirectory
    /// The view of the directory in memory.
    let view: FileCacheView
    /// The files most recently read by look-ups that don't wait for the disk.
    let opened = RecentTable<OpenFile<CacheStoreFault>>(size: 16)
    let state: Locked<FileCacheState>
    /// The queue for opening and changing the directory.
    let changes: FileChanges
    /// The disk budget for entries being written; it is as large as the store's total size, and in addition to it.
    let inFlight: FlightBudget
    /// The store's own threads, so that a stalled disk delays only this store.
    var executor: FileExecutor { directory.executor }

    /// Creates a store without opening or creating anything yet.
    ///
    /// - Parameters:
    ///   - directory: The file URL of the directory, created if missing. Nothing else should write to it.
    ///   - bounds: The limits of the store.
    ///   - durability: The failures that entries survive; by default, only the end of the process.
    package convenience init(directory: URL, bounds: CacheBounds, durability: FileCacheDurability = .process) {
        self.init(path: directory.path, bounds: bounds, durability: durability)
    }

    package init(
        path: String,
        bounds: CacheBounds,
        durability: FileCacheDurability = .process,
        files: any FileSystem = SystemFiles(),
        executor: FileExecutor = FileExecutor(limit: 4)
    ) {
        self.bounds = bounds
        inFlight = FlightBudget(limit: bounds.totalBytes.bytes)
        directory = FileCacheDirectory(path: path, files: Files(files), durability: durability, executor: executor)
        let state = FileCacheState(directory, bounds)
        view = state.view
        self.state = Locked(state)
        changes = FileChanges(self.state, on: executor)
    }

    deinit {
        saveUses()
    }

    private func saveUses() {
        changes.submit { [state] in state.withLock { try? $0.saveUses() } }
    }

    /// Always `true`: the store limits its own waits.
    package var keepsDeadlines: Bool { true }

    /// "files in" the directory, and the limit.
    package var summary: String { "files in \(directory.path), up to \(bounds.totalBytes)" }

    /// Runs work that needs an up-to-date index on a thread of the store.
    private func looking<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        for _ in 0..<3 {
            let found = try await executor.run { [view] () -> Value? in
                if case .outdated = try view.catchUp() { return nil }
                return try work()
            }
            if let found { return found }
            try await open()
        }
        return try await executor.run(work)
    }

    private func open() async throws {
        try await changes.run { [state] in
            try state.withFault { state throws(CacheStoreFault) in try state.refresh() }
        }
    }

    /// Returns the stored variants of a key.
    ///
    /// - Throws: ``CacheStoreFault`` if nothing could be read.
    package func variants(of key: CacheKey) async throws -> [CacheEntry] {
        if let entries = variantsImmediately(of: key) { return entries }
        return try await looking { try self.storedVariants(of: key) }
    }

    /// The stored variants of a key, if all of them can be read without waiting and without errors.
    private func variantsImmediately(of key: CacheKey) -> [CacheEntry]? {
        guard let found = view.find(key) else { return nil }
        var entries: [CacheEntry] = []
        for (id, size) in found {
            let length = found.count == 1 ? size : 0
            guard let entry = immediately({ files throws(CacheStoreFault) in try readAgain(id, length, files) }) else {
                return nil
            }
            if entry.key == key { entries.append(entry) }
        }
        return entries
    }

    /// Runs work that doesn't wait for the disk.
    ///
    /// Returns `nil` if the work would have to wait, or fails; a thread then has to do it.
    private func immediately<Value>(
        _ work: (Files<CacheStoreFault>) throws(CacheStoreFault) -> Value?
    ) -> Value? {
        do throws(CacheStoreFault) {
            return try work(directory.files.immediate)
        } catch {
            // If the system doesn't support this at all, it isn't tried again.
            if case .system(_, _, let code, _) = error.problem, FileFault.isUnsupported(code) {
                view.contents.withLock { $0.readsImmediately = false }
            }
            return nil
        }
    }

    private func storedVariants(of key: CacheKey) throws -> [CacheEntry] {
        var entries: [CacheEntry] = []
        var fault: CacheStoreFault?
        // If an entry is replaced during the look-up, the look-up is repeated.
        for round in 0..<3 {
            if round > 0 { _ = try view.catchUp() }
            let found = view.contents.withLock { $0.sizes(ofKey: $0.hash.key(key)) }
            var isComplete = true
            entries = []
            for (id, size) in found {
                do throws(CacheStoreFault) {
                    // The content of a single entry is likely to be needed next.
                    guard let entry = try load(id, found.count == 1 ? size : 0) else {
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

    /// Reads an entry from its file, which may still be open; returns `nil` if the file is gone.
    private func readAgain(
        _ id: UInt64,
        _ size: Int64,
        _ files: Files<CacheStoreFault>
    ) throws(CacheStoreFault) -> CacheEntry? {
        // A file without a name was removed or replaced by some process.
        if let file = opened.value(of: id), try file.status().links > 0 { return try read(file, id, size) }
        guard let file = try files.open(directory.entry(id), .read) else { return nil }
        opened.keep(file, of: id)
        return try read(file, id, size)
    }

    /// - Parameter size: The size of the entry if its content is needed too. Otherwise only the start of the file is
    ///   read.
    private func read(
        _ file: OpenFile<CacheStoreFault>,
        _ id: UInt64,
        _ size: Int64
    ) throws(CacheStoreFault) -> CacheEntry {
        let isWhole = (1...Self.readWhole).contains(size)
        let length = isWhole ? Int(size) : 4096
        let (entry, content) = try EntryFile.read(file, id: id, length: length, view.recent)
        return CacheEntry(
            id: CacheEntryID(rawValue: id),
            key: entry.head.key,
            response: entry.head.response,
            content: content.map { StoredContent($0) }
        )
    }

    /// Reads an entry from its file; returns `nil` if the file is gone.
    ///
    /// Removes the entry if it is damaged.
    ///
    /// - Parameter size: The size of the entry, if its content is needed too.
    private func load(_ id: UInt64, _ size: Int64 = 0) throws(CacheStoreFault) -> CacheEntry? {
        do throws(CacheStoreFault) {
            if let file = try directory.files.open(directory.entry(id), .read) { return try read(file, id, size) }
            view.contents.withLock { _ = $0.remove(id) }
            return nil
        } catch {
            drop(id, error)
            throw error
        }
    }

    /// Removes an entry if it is damaged, but not if it is only temporarily unreadable.
    private func drop(_ id: UInt64, _ fault: CacheStoreFault) {
        guard case .damaged = fault.problem else { return }
        let isKnown = view.contents.withLock { $0.remove(id) != nil }
        do throws(CacheStoreFault) {
            try directory.remove(id)
        } catch {
            view.contents.withLock { _ = $0.hidden.insert(id) }
        }
        if isKnown { changes.submit { [state] in state.withLock { $0.noteRemoval(id) } } }
    }

    /// Returns the content of an entry; this counts as a use.
    ///
    /// - Throws: ``CacheStoreFault`` if it is damaged or can't be read.
    package func body(of entry: CacheEntry, range: Range<Int64>?) async throws -> HTTPBody? {
        let id = entry.id.rawValue
        let range = range ?? 0..<entry.response.bodyLength
        let body: HTTPBody?
        if let content = entry.content, view.isOpen, Int64(content.bytes.count) == entry.response.bodyLength {
            // The body was read with the description, so the file isn't needed.
            body = part(of: content.bytes, range)
        } else if view.current() != nil {
            body = immediately { files throws(CacheStoreFault) in try openBody(id, of: entry.response, range, files) }
        } else {
            body = nil
        }
        if let body, let isManyUnsaved = view.use(id) {
            if isManyUnsaved { saveUses() }
            return body
        }
        return try await looking { try self.storedBody(of: entry, range: range) }
    }

    private func storedBody(of entry: CacheEntry, range: Range<Int64>) throws -> HTTPBody? {
        let id = entry.id.rawValue
        guard let isManyUnsaved = view.use(id) else { return nil }
        if isManyUnsaved { saveUses() }
        do throws(CacheStoreFault) {
            return try openBody(id, of: entry.response, range, directory.files)
        } catch {
            drop(id, error)
            throw error
        }
    }

    private func openBody(
        _ id: UInt64,
        of response: StoredResponse,
        _ range: Range<Int64>,
        _ files: Files<CacheStoreFault>
    ) throws(CacheStoreFault) -> HTTPBody? {
        guard let entry = try files.open(directory.entry(id), .read) else { return nil }
        let prologue = try EntryFile.Prologue(reading: entry, id: id)
        let length = response.bodyLength
        if prologue.isInline {
            guard length <= Int64(BodyBlocks.payload) else { return nil }
            let bytes = Data(try entry.read(Int(length), at: Int64(prologue.bodyOffset)))
            return try checked(bytes, response, range)
        }
        let layout = prologue.segmentCount == 0 ? BodyLayout(length) : try EntryFile(reading: entry, id: id).layout
        // The file may have more bytes than the entry, if the body was or is being extended.
        guard let file = try files.open(directory.body(id), .read), layout.length >= length,
            try file.status().size >= layout.fileSize
        else { throw CacheStoreFault(.damaged("a stored body")) }
        let blocks = BlockFile(file, layout, nonce: prologue.nonce, executor: executor) { [weak self] in
            self?.drop(id, $0)
        }
        // If the body has been extended since, its beginning is read block by block.
        guard length > Self.checkedWhole || layout.length > length else {
            var bytes = Data(capacity: Int(length))
            while let block = layout.block(at: Int64(bytes.count)) {
                bytes += try BodyBlocks.read(block, of: file, nonce: prologue.nonce)
            }
            return try checked(bytes, response, range)
        }
        // A body that is damaged at the start of the range counts as a miss.
        if !range.isEmpty, let first = layout.block(at: range.lowerBound) {
            _ = try BodyBlocks.read(first, of: file, nonce: prologue.nonce)
        }
        return blocks.body(in: range)
    }

    private func checked(
        _ bytes: Data,
        _ response: StoredResponse,
        _ range: Range<Int64>
    ) throws(CacheStoreFault) -> HTTPBody {
        guard Int64(bytes.count) == response.bodyLength, ContentChecksum(of: bytes) == response.bodyChecksum else {
            throw CacheStoreFault(.damaged("a stored body"))
        }
        return part(of: bytes, range)
    }

    private func part(of bytes: Data, _ range: Range<Int64>) -> HTTPBody {
        guard range != 0..<Int64(bytes.count) else { return HTTPBody(bytes) }
        return HTTPBody(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
    }

    /// Creates a writer for an entry.
    ///
    /// - Throws: ``CacheStoreFault`` if the directory can't be opened.
    package func makeWriter(
        for key: CacheKey,
        _ metadata: CacheMetadata,
        expecting length: Int64?
    ) async throws -> (any CacheWriter)? {
        let room = room(for: key, metadata)
        guard room >= 0, bounds.entryCount > 0, (length ?? 0) <= room else { return nil }
        if !view.isOpen { try await open() }
        return FileCacheWriter(store: self, key: key, metadata: metadata, room: room)
    }

    /// The space left for a body.
    private func room(for key: CacheKey, _ metadata: CacheMetadata) -> Int64 {
        let empty = StoredResponse(metadata, bodyLength: 0, bodyChecksum: ContentChecksum())
        let description = EntryFile(id: 0, nonce: 0, head: StoredHead(key, empty), isInline: true).encoded.count
        return bounds.entryBytes.bytes - Int64(description)
    }

    package func makeAppender(
        to entry: CacheEntry,
        _ metadata: CacheMetadata,
        expecting length: Int64?
    ) async throws -> (any CacheWriter)? {
        let all = room(for: entry.key, metadata)
        // If the body is rejected, it is released on the same thread that locked it, so that it is available again
        // immediately.
        let found = try await looking { () throws(CacheStoreFault) -> (body: AppendedBody, room: Int64)? in
            guard let body = try AppendedBody(of: entry, in: self.directory) else { return nil }
            let room = all - Int64(body.layout.lengths.count + 1) * 8
            return body.layout.fileSize(appending: length ?? 0) <= room ? (body, room) : nil
        }
        guard let found else { return nil }
        return FileCacheWriter(store: self, key: entry.key, metadata: metadata, room: found.room, behind: found.body)
    }

    /// Replaces the description of a stored body; removes the entry if that fails.
    ///
    /// - Throws: ``CacheStoreFault`` if it fails.
    package func update(_ entry: CacheEntry, to metadata: CacheMetadata) async throws -> CacheEntry? {
        let id = entry.id.rawValue
        do {
            var last: Int64?
            // If the entry has changed in the meantime, the update is prepared again.
            for _ in 0..<8 {
                let prepared = try await executor.runToEnd { try self.describe(entry, as: metadata) }
                guard let (file, found, temporary) = prepared else { return nil }
                // If the file hasn't changed, the index is wrong, as after a power loss.
                let size = found == last ? nil : found
                last = found
                let update = try await changes.runToEnd { [state] in
                    try state.withFault { state throws(CacheStoreFault) in
                        try state.update(file, entry: temporary, from: size)
                    }
                }
                switch update {
                case .done: return CacheEntry(id: entry.id, key: entry.key, response: file.head.response)
                case .gone: return nil
                case .changed: continue
                }
            }
            throw CacheStoreFault(.busy("an entry"))
        } catch {
            // An entry that can't be updated must not be served with its old description.
            await changes.runToEnd { [state] in state.withLock { $0.discard(id) } }
            throw error
        }
    }

    /// Writes the new description of an entry to a file; returns the entry's old size, or `nil` if the entry is gone.
    private func describe(
        _ entry: CacheEntry,
        as metadata: CacheMetadata
    ) throws(CacheStoreFault) -> (EntryFile, size: Int64, TemporaryCacheFile)? {
        let id = entry.id.rawValue
        guard let file = try directory.files.open(directory.entry(id), .read) else {
            view.contents.withLock { _ = $0.remove(id) }
            return nil
        }
        let old = try EntryFile(reading: file, id: id)
        let response = old.head.response
        var metadata = metadata
        // If the body has been extended since, its range is kept.
        if response.bodyLength != entry.response.bodyLength { metadata.content = response.metadata.content }
        var new = old
        new.head = StoredHead(old.head.key, response.with(metadata))
        var bytes = new.encoded
        if old.isInline {
            let body = try file.read(Int(response.bodyLength), at: Int64(old.bodyOffset))
            guard ContentChecksum(of: body) == response.bodyChecksum else {
                throw CacheStoreFault(.damaged("a stored body"))
            }
            bytes += body
        }
        return (new, old.size, try write(bytes))
    }

    /// Removes entries, at least for this process if the directory isn't writable.
    ///
    /// - Throws: ``CacheStoreFault`` if files could not be removed. This process then doesn't find the selected entries
    ///   anymore.
    @discardableResult
    package func remove(_ selection: CacheSelection) async throws -> Int {
        defer { opened.clear() }
        return try await changes.runToEnd { [state] in
            try state.withFault { state throws(CacheStoreFault) in try state.remove(selection) }
        }
    }

    /// Visits entries, reading each from its file; unreadable ones are skipped.
    package func visit(_ selection: CacheSelection, _ visit: (CacheEntry) throws -> Bool) async throws {
        for id in try await looking({ self.view.ids(selection) }) {
            try Task.checkCancellation()
            guard let entry = try? await executor.run({ try self.load(id)?.withoutContent }), selection.contains(entry)
            else { continue }
            guard try visit(entry) else { return }
        }
    }

    /// Returns the usage of the store: the size of its files.
    package func usage() async throws -> CacheUsage {
        try await looking { [view] in
            view.contents.withLock { CacheUsage(bytes: $0.index.bytes, entries: $0.index.count) }
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
    /// The same as `withLock`, with typed throws.
    package func withFault<Result: Sendable>(
        _ body: (inout sending Value) throws(CacheStoreFault) -> Result
    ) throws(CacheStoreFault) -> Result {
        let outcome = withLock { value -> Swift.Result<Result, CacheStoreFault> in
            do throws(CacheStoreFault) { return .success(try body(&value)) } catch { return .failure(error) }
        }
        return try outcome.get()
    }
}
