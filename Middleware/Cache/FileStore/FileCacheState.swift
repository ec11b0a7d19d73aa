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
    var hash = SaltedHash(salt: 0)
    var isOpen = false
    var lockFile: OpenFile<CacheStoreFault>?
    var journal: OpenFile<CacheStoreFault>?
    /// Whether the journal was opened with the lock held, for writing too.
    var isJournalWritable = false
    var journalEnd: Int64 = 0
    var nextCompaction: Int64 = 0
    var unsavedUses: [UInt64] = []
    /// Removed, though the directory may not know.
    var hidden: Set<UInt64> = []
    /// What was to be removed while the directory could not be opened.
    var missedRemovals: [CacheSelection] = []

    init(_ directory: FileCacheDirectory, _ bounds: CacheBounds) {
        self.directory = directory
        self.bounds = bounds
    }

    var files: Files<CacheStoreFault> { directory.files }

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
            var evicted: [CacheKey] = []
            for old in state.index.surplus(ofKey: record.key, keeping: state.bounds.variantsPerKey - 1) {
                let key = state.entry(old)?.head.key
                try state.evict(old, &changes)
                if let key { evicted.append(key) }
            }
            evicted += try state.makeRoom(record.bytes, 1, &changes)
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
                if !removed.ids.isEmpty { try? state.append(removed.ids.map { .remove($0) }) }
                return (removed.ids.count, removed.fault ?? state.synchronizeRemovals())
            }
        } catch {
            // Without the lock files can still go: whoever looks for them finds nothing.
            guard isOpen else { return try postpone(selection, error) }
            var removed = removeFiles(ids(selection))
            removed.fault = removeHidden() ?? removed.fault
            outcome = (removed.ids.count, removed.fault ?? synchronizeRemovals())
        }
        if let fault = outcome.fault { throw fault }
        return outcome.count
    }

    /// Has what was removed stay so after a loss of power, also where nothing was left to remove: an entry whose
    /// replacement has failed, or that another process was removing when it was killed, may still have its name there.
    private func synchronizeRemovals() -> CacheStoreFault? {
        do throws(CacheStoreFault) {
            try directory.synchronize()
            return nil
        } catch {
            return error
        }
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
        try? whileLocked { state throws(CacheStoreFault) in
            try state.append([.remove(id)])
            try state.directory.synchronize()
        }
    }

    @discardableResult
    mutating func removeFiles(_ ids: [UInt64]) -> (ids: [UInt64], fault: CacheStoreFault?) {
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

    mutating func makeRoom(
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
    mutating func takeLock() throws(CacheStoreFault) -> OpenFile<CacheStoreFault> {
        if let lockFile, try lockFile.status().links == 0 { self.lockFile = nil }
        if lockFile == nil { lockFile = try files.open(directory.lock, .updateOrCreate) }
        guard let lockFile else { throw CacheStoreFault(.busy(directory.lock)) }
        for attempt in 0..<400 {
            if try lockFile.lock() { return lockFile }
            if attempt < 10 { sched_yield() } else { usleep(1000) }
        }
        throw CacheStoreFault(.busy(directory.lock))
    }
}
