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
/// - No look-up waits for a change: not for another process's lock, nor for the disk, nor while much is evicted. Responses
///   that are stored at the same time share the waits for the disk of ``FileCacheDurability/power``.
/// - A partial response that continues what is stored is written behind it, and nothing else is written again.
/// - Files in the directory that are not the store's are left alone. A directory of a later version is left alone too:
///   nothing is found in it.
/// - Up to 16 files of entries that were found last stay open, until something is removed.
/// - Bounds count what the files take. What was used last is written down now and then, and may be forgotten when the
///   process is killed.
public final class FileCacheStore: CacheStore, InvalidationKeeping, BodyAppending {
    /// Bodies up to this length are checked as a whole.
    static let checkedWhole: Int64 = 262_144
    /// An entry that takes no more than this is read whole in one step: a body of a block, and its description.
    static let readWhole = Int64(BodyBlocks.payload) + 4096

    /// The limits of the store.
    public let bounds: CacheBounds
    /// The entries that stages which use the store have made invalid.
    package let invalidations = InvalidationLog()
    let directory: FileCacheDirectory
    /// The view of the directory in memory.
    let view: FileCacheView
    /// The files that look-ups which wait for no disk have read last.
    let opened = OpenEntries()
    let state: Locked<FileCacheState>
    /// Where the directory is changed, and opened.
    let changes: FileChanges
    /// The room on the disk for entries that are being written: at most as much again as the store holds.
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

    /// It waits for nothing but its own work.
    public var keepsDeadlines: Bool { true }

    /// "files in" the directory, and the bound.
    public var summary: String { "files in \(directory.path), up to \(bounds.totalBytes)" }

    /// Does on a thread of the store what needs the index, once that is as the directory is.
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

    /// The stored variants of a key.
    ///
    /// - Throws: ``CacheStoreFault`` when nothing could be read.
    public func variants(of key: CacheKey) async throws -> [CacheEntry] {
        if let entries = variantsImmediately(of: key) { return entries }
        return try await looking { try self.storedVariants(of: key) }
    }

    /// The stored variants of a key, where none of them has to be waited for and nothing is wrong with them.
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

    /// Does what waits for no disk; `nil` where it would have to wait, and where something is wrong, which is found out
    /// on a thread.
    private func immediately<Value>(
        _ work: (Files<CacheStoreFault>) throws(CacheStoreFault) -> Value?
    ) -> Value? {
        do throws(CacheStoreFault) {
            return try work(directory.files.immediate)
        } catch {
            // Where the system cannot do it at all it is not asked again.
            if case .system(_, _, let code, _) = error.problem, FileFault.isUnsupported(code) {
                view.contents.withLock { $0.readsImmediately = false }
            }
            return nil
        }
    }

    private func storedVariants(of key: CacheKey) throws -> [CacheEntry] {
        var entries: [CacheEntry] = []
        var fault: CacheStoreFault?
        // What is replaced while it is looked up is looked up again.
        for round in 0..<3 {
            if round > 0 { _ = try view.catchUp() }
            let found = view.contents.withLock { $0.sizes(ofKey: $0.hash.key(key)) }
            var isComplete = true
            entries = []
            for (id, size) in found {
                do throws(CacheStoreFault) {
                    // The content of the only one is likely to be asked for next.
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

    /// An entry as its file has it; `nil` when the file is gone.
    ///
    /// - Parameter size: How large the entry is, where all of it is wanted; of others that is read which is found at
    ///   the beginning.
    private func read(
        _ id: UInt64,
        _ size: Int64,
        _ files: Files<CacheStoreFault>
    ) throws(CacheStoreFault) -> CacheEntry? {
        guard let file = try files.open(directory.entry(id), .read) else { return nil }
        return try read(file, id, size)
    }

    /// The same, from a file that is open already where it was read before.
    private func readAgain(
        _ id: UInt64,
        _ size: Int64,
        _ files: Files<CacheStoreFault>
    ) throws(CacheStoreFault) -> CacheEntry? {
        if let file = try opened.file(of: id) { return try read(file, id, size) }
        guard let file = try files.open(directory.entry(id), .read) else { return nil }
        opened.keep(file, of: id)
        return try read(file, id, size)
    }

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

    /// An entry as its file has it; `nil` when the file is gone.
    ///
    /// One that is damaged is removed.
    ///
    /// - Parameter size: How large the entry is, where all of it is wanted.
    private func load(_ id: UInt64, _ size: Int64 = 0) throws(CacheStoreFault) -> CacheEntry? {
        do throws(CacheStoreFault) {
            let entry = try read(id, size, directory.files)
            if entry == nil { view.contents.withLock { _ = $0.remove(id) } }
            return entry
        } catch {
            drop(id, error)
            throw error
        }
    }

    /// Removes an entry that is damaged; what merely cannot be read now stays.
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

    /// The content of an entry, which counts as a use of it.
    ///
    /// - Throws: ``CacheStoreFault`` when it is damaged or cannot be read.
    public func body(of entry: CacheEntry, range: Range<Int64>?) async throws -> HTTPBody? {
        let id = entry.id.rawValue
        let range = range ?? 0..<entry.response.bodyLength
        let body: HTTPBody?
        if let content = entry.content, view.isOpen, Int64(content.bytes.count) == entry.response.bodyLength {
            // What was read with the description needs no file.
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
        // More may follow, which does not belong to it any more, or not yet.
        guard let file = try files.open(directory.body(id), .read), layout.length >= length,
            try file.status().size >= layout.fileSize
        else { throw CacheStoreFault(.damaged("a stored body")) }
        let blocks = BlockFile(file, layout, nonce: prologue.nonce, executor: executor) { [weak self] in
            self?.drop(id, $0)
        }
        // Of a body that has grown since, the beginning is read block by block.
        guard length > Self.checkedWhole || layout.length > length else {
            var bytes = Data(capacity: Int(length))
            while let block = layout.block(at: Int64(bytes.count)) {
                bytes += try BodyBlocks.read(block, of: file, nonce: prologue.nonce)
            }
            return try checked(bytes, response, range)
        }
        // A body that is damaged where its reader begins is a miss.
        if !range.isEmpty, let first = layout.block(at: range.lowerBound) {
            _ = try BodyBlocks.read(first, of: file, nonce: prologue.nonce)
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
        return part(of: bytes, range)
    }

    private func part(of bytes: Data, _ range: Range<Int64>) -> HTTPBody {
        guard range != 0..<Int64(bytes.count) else { return HTTPBody(bytes) }
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
        let room = room(for: key, metadata)
        guard room >= 0, bounds.entryCount > 0, (length ?? 0) <= room else { return nil }
        if !view.isOpen { try await open() }
        return FileCacheWriter(store: self, key: key, metadata: metadata, room: room)
    }

    /// How much there may be of a body.
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
        // A body that is refused is free again at once: it is let go where it was taken.
        let found = try await looking { () throws(CacheStoreFault) -> (body: AppendedBody, room: Int64)? in
            guard let body = try AppendedBody(of: entry, in: self.directory) else { return nil }
            let room = all - Int64(body.layout.lengths.count + 1) * 8
            return body.layout.fileSize(appending: length ?? 0) <= room ? (body, room) : nil
        }
        guard let found else { return nil }
        return FileCacheWriter(store: self, key: entry.key, metadata: metadata, room: found.room, behind: found.body)
    }

    /// Gives a stored body a new description; an entry for which that fails is removed.
    ///
    /// - Throws: ``CacheStoreFault`` when it fails.
    public func update(_ entry: CacheEntry, to metadata: CacheMetadata) async throws -> CacheEntry? {
        let id = entry.id.rawValue
        do {
            var last: Int64?
            // What has changed meanwhile is described again.
            for _ in 0..<8 {
                let prepared = try await executor.runToEnd { try self.describe(entry, as: metadata) }
                guard let (file, found, temporary) = prepared else { return nil }
                // Where the file stays as it is the index is wrong, as after a loss of power.
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
            // What cannot be described anew must not be served as it was described before.
            await changes.runToEnd { [state] in state.withLock { $0.discard(id) } }
            throw error
        }
    }

    /// A new description of an entry in a file, and what the entry took before; `nil` when the entry is gone.
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
        // A body that has grown since stays as it is.
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

    /// Removes entries: at least for this process, when the directory refuses.
    ///
    /// - Throws: ``CacheStoreFault`` when files could not be removed; no entry that was to go is found by this process.
    @discardableResult
    public func remove(_ selection: CacheSelection) async throws -> Int {
        defer { opened.clear() }
        return try await changes.runToEnd { [state] in
            try state.withFault { state throws(CacheStoreFault) in try state.remove(selection) }
        }
    }

    /// Shows entries, each read from its file; those that cannot be read are passed over.
    public func visit(_ selection: CacheSelection, _ visit: (CacheEntry) throws -> Bool) async throws {
        for id in try await looking({ self.view.ids(selection) }) {
            try Task.checkCancellation()
            guard let entry = try? await executor.run({ try self.load(id)?.withoutContent }), selection.contains(entry)
            else { continue }
            guard try visit(entry) else { return }
        }
    }

    /// Returns the usage of the store: what its files take.
    public func usage() async throws -> CacheUsage {
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
