import Foundation
import HTTPChainCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The index of a directory, its journal and its lock.
///
/// Whoever changes the directory holds its lock (`flock`), and takes in first what others have appended to the journal.
/// Whoever only reads takes that in too, and needs no lock: files change by renaming alone.
struct FileCacheState: Sendable {
    let directory: FileCacheDirectory
    let bounds: CacheBounds
    var index = FileIndex()
    private(set) var hash = SaltedHash(salt: 0)
    private var isOpen = false
    private var lockFile: (any CacheFile)?
    private var journal: (any CacheFile)?
    /// Whether the journal was opened with the lock held, for writing too.
    private var isJournalWritable = false
    private var journalEnd: Int64 = 0
    private var nextCompaction: Int64 = 0
    private var unsavedUses: [UInt64] = []
    /// Removed, though the directory may not know.
    private var hidden: Set<UInt64> = []
    /// What was to be removed while the directory could not be opened.
    private var missedRemovals: [CacheSelection] = []

    init(_ directory: FileCacheDirectory, _ bounds: CacheBounds) {
        self.directory = directory
        self.bounds = bounds
    }

    private var files: any CacheFileSystem { directory.files }

    // MARK: - Reading

    /// Takes in what others have done; opens the directory where that was not possible before.
    mutating func refresh() throws(CacheStoreFault) {
        guard isOpen else { return try open() }
        try catchUp(isLocked: false)
    }

    func ids(ofKey key: CacheKey) -> [UInt64] { visible(index.ids(ofKey: hash.key(key))) }

    func record(of entry: EntryFile) -> FileIndex.Record { hash.record(of: entry) }

    func contains(_ id: UInt64) -> Bool { index[id] != nil && !hidden.contains(id) }

    func ids(_ selection: CacheSelection) -> [UInt64] {
        switch selection {
        case .all: return visible(index.ids { _ in true })
        case .key(let key): return ids(ofKey: key)
        case .url(let url): return visible(index.ids(ofURL: hash.url(url)))
        case .entry(let id): return contains(id.rawValue) ? [id.rawValue] : []
        case .identifier(let identifier): return visible(index.ids { $0.identifier == identifier })
        case .identifierPrefix(let prefix):
            return visible(index.ids { $0.identifier.map { $0.utf8.starts(with: prefix.utf8) } ?? false })
        case .classification(let name):
            let wanted = hash.classification(name)
            return visible(index.ids { $0.classification == wanted })
        case .origin(let origin):
            let wanted = hash.origin(origin)
            return visible(index.ids { $0.origin == wanted })
        case .partition(let partition):
            let wanted = hash.partition(partition)
            return visible(index.ids { $0.partition == wanted })
        }
    }

    private func visible(_ ids: [UInt64]) -> [UInt64] {
        hidden.isEmpty ? ids : ids.filter { !hidden.contains($0) }
    }

    mutating func use(_ id: UInt64) {
        guard index.use(id) else { return }
        unsavedUses.append(id)
        if unsavedUses.count >= 256 { try? saveUses() }
    }

    /// Writes down which entries were used last.
    mutating func saveUses() throws(CacheStoreFault) {
        guard isOpen, !unsavedUses.isEmpty else { return }
        do throws(CacheStoreFault) {
            try whileLocked { state throws(CacheStoreFault) in try state.append([]) }
        } catch {
            unsavedUses = []
            throw error
        }
    }

    /// Forgets an entry whose file is gone.
    mutating func forget(_ id: UInt64) { index.remove(id) }

    // MARK: - Changing

    /// Makes an entry visible whose files are ready.
    mutating func commit(
        _ record: FileIndex.Record,
        entry: TemporaryCacheFile,
        body: TemporaryCacheFile?
    ) throws(CacheStoreFault) -> (isStored: Bool, evicted: [CacheKey]) {
        try whileLocked { state throws(CacheStoreFault) in
            guard state.index[record.id] == nil else { throw CacheStoreFault(.busy("the name of an entry")) }
            guard record.bytes <= state.bounds.entryBytes.bytes else { return (false, []) }
            var changes: [IndexJournal.Change] = []
            // First of all: what is replaced must not come back when it cannot be removed later.
            for old in state.index.ids(ofKey: record.key) where state.index[old]?.variant == record.variant {
                try state.evict(old, &changes)
            }
            let evicted = try state.makeRoom(record.bytes, 1, &changes)
            do throws(CacheStoreFault) {
                try body?.move(to: state.directory.body(record.id))
                try entry.move(to: state.directory.entry(record.id))
                try state.append(changes + [.add(record)])
                try state.directory.synchronize()
            } catch {
                state.removeFiles([record.id])
                throw error
            }
            state.index.insert(record)
            return (true, evicted)
        }
    }

    /// Gives an entry another description.
    ///
    /// - Returns: Whether the entry is still there.
    mutating func update(
        _ record: FileIndex.Record,
        entry: TemporaryCacheFile
    ) throws(CacheStoreFault) -> Bool {
        try whileLocked { state throws(CacheStoreFault) in
            guard state.contains(record.id), let old = state.index[record.id] else { return false }
            var same = old
            same.bytes = record.bytes
            var changes: [IndexJournal.Change] = []
            do throws(CacheStoreFault) {
                guard record.bytes <= state.bounds.entryBytes.bytes else {
                    throw CacheStoreFault(.damaged("an entry too large for its bounds"))
                }
                try entry.move(to: state.directory.entry(record.id))
                if same == record {
                    state.index.resize(record.id, to: record.bytes)
                    changes.append(.resize(record.id, record.bytes))
                } else {
                    for id in state.index.insert(record) { try? state.directory.remove(id) }
                    changes.append(.add(record))
                }
                _ = try state.makeRoom(0, 0, &changes)
                try state.append(changes)
                try state.directory.synchronize()
            } catch {
                // What cannot be described anew must not be served as it was described before.
                state.discard(record.id)
                throw error
            }
            return state.index[record.id] != nil
        }
    }

    /// Removes entries, from the directory where that is possible, and from this process in any case.
    mutating func remove(_ selection: CacheSelection) throws(CacheStoreFault) -> Int {
        do throws(CacheStoreFault) {
            try refresh()
        } catch {
            return try postpone(selection, error)
        }
        let outcome: (count: Int, fault: CacheStoreFault?)
        do throws(CacheStoreFault) {
            outcome = try whileLocked { state throws(CacheStoreFault) in
                var removed = state.removeFiles(state.ids(selection))
                removed.fault = state.removeHidden() ?? removed.fault
                guard !removed.ids.isEmpty else { return (0, removed.fault) }
                try? state.append(removed.ids.map { .remove($0) })
                do throws(CacheStoreFault) {
                    try state.directory.synchronize()
                } catch {
                    return (removed.ids.count, removed.fault ?? error)
                }
                return (removed.ids.count, removed.fault)
            }
        } catch {
            // Without the lock files can still go: whoever looks for them finds nothing.
            guard isOpen else { return try postpone(selection, error) }
            var removed = removeFiles(ids(selection))
            removed.fault = removeHidden() ?? removed.fault
            outcome = (removed.ids.count, removed.fault)
        }
        if let fault = outcome.fault { throw fault }
        return outcome.count
    }

    /// Has a removal wait until the directory can be opened; nothing is found before.
    private mutating func postpone(_ selection: CacheSelection, _ fault: CacheStoreFault) throws(CacheStoreFault) -> Int
    {
        isOpen = false
        missedRemovals.append(selection)
        if missedRemovals.count > 64 { missedRemovals = [.all] }
        throw fault
    }

    /// Removes an entry that is damaged.
    mutating func discard(_ id: UInt64) {
        let isKnown = index[id] != nil
        removeFiles([id])
        guard isKnown else { return }
        try? whileLocked { state throws(CacheStoreFault) in try state.append([.remove(id)]) }
    }

    @discardableResult
    private mutating func removeFiles(_ ids: [UInt64]) -> (ids: [UInt64], fault: CacheStoreFault?) {
        var fault: CacheStoreFault?
        for id in ids {
            index.remove(id)
            do throws(CacheStoreFault) {
                try directory.remove(id)
            } catch {
                hidden.insert(id)
                fault = error
            }
        }
        return (ids, fault)
    }

    /// Tries again to remove what could not be: it may be what is to be removed now.
    private mutating func removeHidden() -> CacheStoreFault? {
        guard !hidden.isEmpty else { return nil }
        let ids = hidden
        hidden = []
        return removeFiles(Array(ids)).fault
    }

    private mutating func makeRoom(
        _ bytes: Int64,
        _ count: Int,
        _ changes: inout [IndexJournal.Change]
    ) throws(CacheStoreFault) -> [CacheKey] {
        var evicted: [CacheKey] = []
        while index.bytes + bytes > bounds.totalBytes.bytes || index.count + count > bounds.entryCount {
            guard let victim = index.leastRecent else { break }
            let key = entry(victim.id)?.head.key
            try evict(victim.id, &changes)
            if let key { evicted.append(key) }
        }
        return evicted
    }

    private mutating func evict(_ id: UInt64, _ changes: inout [IndexJournal.Change]) throws(CacheStoreFault) {
        try directory.remove(id)
        index.remove(id)
        changes.append(.remove(id))
    }

    // MARK: - The lock

    private mutating func whileLocked<Result>(
        _ work: (inout FileCacheState) throws(CacheStoreFault) -> Result
    ) throws(CacheStoreFault) -> Result {
        if !isOpen { try open() }
        let held = try takeLock()
        defer { held.unlock() }
        try catchUp(isLocked: true)
        if !isOpen || !isJournalWritable { try load(isLocked: true) }
        let result = try work(&self)
        // Not sooner: until now the index may not know what was appended.
        if journalEnd > nextCompaction { compact() }
        return result
    }

    /// The lock is held for the time of a few system calls; a process that keeps it longer has been stopped.
    private mutating func takeLock() throws(CacheStoreFault) -> any CacheFile {
        if let lockFile, try !lockFile.status().isLinked { self.lockFile = nil }
        if lockFile == nil { lockFile = try files.open(directory.lock, .update) }
        guard let lockFile else { throw CacheStoreFault(.busy(directory.lock)) }
        for attempt in 0..<400 {
            if try lockFile.lock() { return lockFile }
            if attempt < 10 { sched_yield() } else { usleep(1000) }
        }
        throw CacheStoreFault(.busy(directory.lock))
    }

    // MARK: - The journal

    /// Adds changes to the journal, and what was used since.
    private mutating func append(_ changes: [IndexJournal.Change]) throws(CacheStoreFault) {
        guard let journal else { throw CacheStoreFault(.busy(directory.index)) }
        var bytes: [UInt8] = []
        for id in unsavedUses { IndexJournal.append(.use(id), to: &bytes, salt: hash.salt) }
        unsavedUses = []
        for change in changes { IndexJournal.append(change, to: &bytes, salt: hash.salt) }
        do throws(CacheStoreFault) {
            try journal.write(bytes, at: journalEnd)
            if directory.durability == .power { try journal.synchronize() }
        } catch {
            try? journal.truncate(to: journalEnd)
            throw error
        }
        journalEnd += Int64(bytes.count)
    }

    private mutating func catchUp(isLocked: Bool) throws(CacheStoreFault) {
        guard let journal else {
            isOpen = false
            return
        }
        let status = try journal.status()
        guard status.isLinked, status.size >= journalEnd else {
            isOpen = false
            if isLocked { return try load(isLocked: true) }
            return try open()
        }
        if status.size > journalEnd { _ = try replay(journal, to: status.size, isLocked: isLocked) }
    }

    private mutating func replay(
        _ journal: any CacheFile,
        to size: Int64,
        isLocked: Bool
    ) throws(CacheStoreFault) -> Bool {
        let bytes = try journal.read(Int(size - journalEnd), at: journalEnd)
        let length = bytes.withUnsafeBytes { buffer in
            IndexJournal.read(buffer, salt: hash.salt) { index.apply($0) }
        }
        journalEnd += Int64(length)
        if length < bytes.count, isLocked { try journal.truncate(to: journalEnd) }
        return length == bytes.count
    }

    /// Opens the directory, as far as it lets itself be opened.
    private mutating func open() throws(CacheStoreFault) {
        do throws(CacheStoreFault) {
            try files.makeDirectory(directory.path)
            let held = try takeLock()
            defer { held.unlock() }
            try load(isLocked: true)
        } catch {
            if case .newerFormat = error.problem { throw error }
            // Read-only, or held by another: what is there can be read.
            do throws(CacheStoreFault) { try load(isLocked: false) } catch let second {
                if case .newerFormat = second.problem { throw second }
                throw error
            }
        }
        let missed = missedRemovals
        missedRemovals = []
        for selection in missed {
            _ = try? remove(selection)
            guard isOpen else { throw CacheStoreFault(.busy(directory.path)) }
        }
    }

    private mutating func load(isLocked: Bool) throws(CacheStoreFault) {
        index = FileIndex()
        journal = nil
        isOpen = false
        isJournalWritable = isLocked
        journalEnd = Int64(IndexJournal.start)
        nextCompaction = 1 << 16
        guard let found = try files.open(directory.index, isLocked ? .update : .read) else {
            throw CacheStoreFault(.busy(directory.index))
        }
        let size = try found.status().size
        var isWhole = false
        do throws(CacheStoreFault) {
            let header = try IndexJournal.Header(decoding: try found.read(IndexJournal.start, at: 0))
            hash = SaltedHash(salt: header.salt)
            index.reserve(Int(clamping: size / 100))
            isWhole = try replay(found, to: size, isLocked: isLocked)
            journal = found
        } catch {
            guard case .damaged = error.problem, isLocked else { throw error }
            hash = SaltedHash(salt: UInt64.random(in: 0 ... .max))
            try rewrite()
        }
        guard isLocked else {
            isOpen = true
            return
        }
        try reconcile(adopts: !isWhole)
        var changes: [IndexJournal.Change] = []
        _ = try makeRoom(0, 0, &changes)
        if !changes.isEmpty { try append(changes) }
        isOpen = true
        if journalEnd > 1 << 16, journalEnd > liveSize * 2 { compact() }
    }

    private var liveSize: Int64 { Int64(IndexJournal.start) + Int64(index.count) * 90 }

    /// Has the index and the files say the same.
    ///
    /// - Parameter adopts: Whether files that the index does not know are taken in: where the journal is damaged or cut
    ///   short. An entry that a whole journal does not know was never committed.
    private mutating func reconcile(adopts: Bool) throws(CacheStoreFault) {
        var found: Set<UInt64> = []
        found.reserveCapacity(index.count)
        var bodies: [UInt64] = []
        var leftOver: [String] = []
        var unknown: [UInt64] = []
        try files.list(directory.path) { name in
            switch FileCacheDirectory.kind(name) {
            case .entry(let id):
                if index[id] != nil { found.insert(id) } else { unknown.append(id) }
            case .body(let id): bodies.append(id)
            case .temporary: leftOver.append(directory.path + "/" + String(decoding: name, as: UTF8.self))
            case nil: break
            }
        }
        for path in leftOver { directory.removeLeftOver(path) }
        if found.count < index.count {
            for id in index.ids(where: { !found.contains($0.id) }) { index.remove(id) }
        }
        // Of two responses of one variant the later counts.
        let adopted = adopts ? unknown.compactMap { adopt($0) }.sorted { $0.date < $1.date } : []
        var replaced: Set<UInt64> = []
        for (record, _) in adopted { replaced.formUnion(index.insert(record)) }
        for id in unknown + replaced where index[id] == nil { try? directory.remove(id) }
        for id in bodies where index[id] == nil { _ = try? files.remove(directory.body(id)) }
        if adopts { try rewrite() }
    }

    private func entry(_ id: UInt64) -> EntryFile? {
        guard let file = try? files.open(directory.entry(id), .read) else { return nil }
        return try? EntryFile(reading: file, id: id)
    }

    private func adopt(_ id: UInt64) -> (record: FileIndex.Record, date: Date)? {
        guard let entry = entry(id) else { return nil }
        if !entry.isInline {
            let expected = BodyBlocks.fileSize(ofBody: entry.head.response.bodyLength)
            guard let body = try? files.open(directory.body(id), .read),
                let size = try? body.status().size, size == expected
            else { return nil }
        }
        return (hash.record(of: entry), entry.head.response.metadata.responseTime)
    }

    private mutating func compact() {
        nextCompaction = journalEnd * 2
        try? rewrite()
    }

    /// Writes the journal anew: what is there, in order of use.
    private mutating func rewrite() throws(CacheStoreFault) {
        var bytes = IndexJournal.Header(salt: hash.salt).encoded
        bytes.reserveCapacity(Int(liveSize))
        index.visitFromLeastRecent { IndexJournal.append(.add($0), to: &bytes, salt: hash.salt) }
        let temporary = try directory.makeTemporary()
        try temporary.file.write(bytes, at: 0)
        if directory.durability == .power { try temporary.file.synchronize() }
        try temporary.move(to: directory.index)
        journal = temporary.file
        temporary.file.unlock()
        journalEnd = Int64(bytes.count)
        nextCompaction = max(1 << 16, journalEnd * 3)
        unsavedUses = []
    }
}

extension SaltedHash {
    /// What the index remembers of an entry.
    func record(of entry: EntryFile) -> FileIndex.Record {
        let key = entry.head.key
        let response = entry.head.response
        let inFile = entry.encoded.count
        let body = entry.isInline ? response.bodyLength : BodyBlocks.fileSize(ofBody: response.bodyLength)
        return FileIndex.Record(
            id: entry.id,
            key: self.key(key),
            url: url(key.url),
            variant: variant(response.metadata.variant),
            origin: origin(key.origin),
            partition: partition(key.partition),
            classification: classification(response.metadata.classification),
            identifier: key.identifier,
            bytes: Int64(inFile) + body
        )
    }
}
