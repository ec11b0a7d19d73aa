import Foundation
import HTTPChainCore

/// The journal of a directory, its lock, and the operations that change the directory.
///
/// A change requires the directory's lock (`flock`), and first applies the changes that other processes have appended
/// to the journal. Reading uses the ``view`` and needs no lock of the directory. Changes of one process are serialized
/// (see ``FileChanges``), and are visible in the view immediately.
struct FileCacheState: Sendable {
    /// An entry that is ready to be made visible.
    struct Arrival: Sendable {
        var file: EntryFile
        var entry: TemporaryCacheFile
        var body: TemporaryCacheFile?
    }

    /// The result of an arrival.
    struct Outcome: Sendable {
        var isStored = false
        var evicted: [CacheKey] = []
        var fault: CacheStoreFault?
    }

    /// The result of an update.
    enum Update: Sendable {
        case done(evicted: [CacheKey])
        case gone
        /// The entry has changed since the update was prepared.
        case changed
    }

    let directory: FileCacheDirectory
    let bounds: CacheBounds
    let view = FileCacheView()
    var lockFile: OpenFile<CacheStoreFault>?
    /// Whether the journal was opened for writing, with the lock held.
    var isJournalWritable = false
    var nextCompaction: Int64 = 0
    /// The removals requested while the directory could not be opened.
    var missedRemovals: [CacheSelection] = []

    init(_ directory: FileCacheDirectory, _ bounds: CacheBounds) {
        self.directory = directory
        self.bounds = bounds
    }

    var files: Files<CacheStoreFault> { directory.files }

    var index: FileIndex { view.contents.withLock { $0.index } }

    var isOpen: Bool { view.isOpen }

    func ids(_ selection: CacheSelection) -> [UInt64] { view.ids(selection) }

    /// Applies changes by other processes, and opens the directory if that failed before.
    mutating func refresh() throws(CacheStoreFault) {
        if case .outdated = try view.catchUp() { try open() }
    }

    /// Saves the pending uses to the journal.
    mutating func saveUses() throws(CacheStoreFault) {
        guard view.contents.withLock({ $0.isOpen && !$0.unsavedUses.isEmpty }) else { return }
        try whileLocked { state throws(CacheStoreFault) in try state.append([]) }
    }

    // MARK: - Storing

    /// Makes entries visible in this order; several entries share the waits for the disk.
    ///
    /// - Returns: The outcome for each entry.
    mutating func commit(_ arrivals: [Arrival]) -> [Outcome] {
        var outcomes: [Outcome] = []
        while outcomes.count < arrivals.count {
            let rest = arrivals[outcomes.count...]
            do throws(CacheStoreFault) {
                outcomes += try whileLocked { state throws(CacheStoreFault) in state.store(rest) }
            } catch {
                outcomes += rest.map { _ in Outcome(fault: error) }
            }
        }
        return outcomes
    }

    /// Stores the first of these entries, and as many of the following ones as are independent of those already stored.
    private mutating func store(_ arrivals: ArraySlice<Arrival>) -> [Outcome] {
        var outcomes: [Outcome] = []
        var changes: [IndexJournal.Change] = []
        var stored: [Int: FileIndex.Record] = [:]
        var keys: Set<UInt64> = []
        var (bytes, count): (Int64, Int) = (0, 0)
        let hash = view.contents.withLock { $0.hash }
        for arrival in arrivals {
            let record = hash.record(of: arrival.file)
            // The entry may replace one of those stored here, or need its space.
            guard keys.insert(record.key).inserted,
                count == 0
                    || bytes + record.bytes <= bounds.totalBytes.bytes && count + 1 <= bounds.entryCount
            else { break }
            var outcome = Outcome()
            do throws(CacheStoreFault) {
                if record.bytes <= bounds.entryBytes.bytes {
                    try place(arrival, record, beside: (bytes, count), &changes, &outcome)
                    stored[outcomes.count] = record
                    bytes += record.bytes
                    count += 1
                }
            } catch {
                outcome.fault = error
            }
            outcomes.append(outcome)
        }
        guard !changes.isEmpty || !stored.isEmpty else { return outcomes }
        do throws(CacheStoreFault) {
            // Written even if nothing was stored, because other processes must see the removals.
            try append(changes + stored.sorted { $0.key < $1.key }.map { .add($0.value) })
            try directory.synchronize()
            for place in stored.keys { outcomes[place].isStored = true }
        } catch {
            for (place, record) in stored {
                removeFiles([record.id])
                outcomes[place].fault = error
            }
        }
        return outcomes
    }

    /// Makes room for an entry and moves its files into place.
    private mutating func place(
        _ arrival: Arrival,
        _ record: FileIndex.Record,
        beside others: (bytes: Int64, count: Int),
        _ changes: inout [IndexJournal.Change],
        _ outcome: inout Outcome
    ) throws(CacheStoreFault) {
        let (isTaken, replaced) = view.contents.withLock { contents in
            let index = contents.index
            let same = index.ids(ofKey: record.key).filter { index[$0]?.variant == record.variant }
            return (index[record.id] != nil, same)
        }
        guard !isTaken else { throw CacheStoreFault(.busy("the name of an entry")) }
        // Evicted first, because a replaced entry must not reappear if removing it fails later.
        for old in replaced { try evict(old, &changes) }
        let surplus = view.contents.withLock { contents in
            contents.index.surplus(ofKey: record.key, keeping: bounds.variantsPerKey - 1)
                .compactMap { contents.index[$0] }
        }
        for old in surplus {
            try evict(old.id, &changes)
            if let key = key(of: old) { outcome.evicted.append(key) }
        }
        outcome.evicted += try makeRoom(others.bytes + record.bytes, others.count + 1, &changes)
        do throws(CacheStoreFault) {
            try arrival.body?.move(to: directory.body(record.id))
            try arrival.entry.move(to: directory.entry(record.id))
        } catch {
            removeFiles([record.id])
            throw error
        }
    }

    /// Replaces the description of an entry, and updates the length of an extended body.
    ///
    /// - Parameters:
    ///   - file: The new description.
    ///   - entry: The temporary file with the description.
    ///   - size: The size of the entry when the update was prepared; `nil` if no other change is possible.
    mutating func update(
        _ file: EntryFile,
        entry: TemporaryCacheFile,
        from size: Int64?
    ) throws(CacheStoreFault) -> Update {
        try whileLocked { state throws(CacheStoreFault) in try state.replace(file, entry, size) }
    }

    private mutating func replace(
        _ file: EntryFile,
        _ entry: TemporaryCacheFile,
        _ size: Int64?
    ) throws(CacheStoreFault) -> Update {
        let id = file.id
        let (found, hash) = view.contents.withLock { ($0.contains(id) ? $0.index[id] : nil, $0.hash) }
        guard let old = found else { return .gone }
        guard size == nil || size == old.bytes else { return .changed }
        let record = hash.record(of: file)
        var changes: [IndexJournal.Change] = []
        var evicted: [CacheKey] = []
        do throws(CacheStoreFault) {
            guard record.bytes <= bounds.entryBytes.bytes else {
                throw CacheStoreFault(.damaged("an entry too large for its bounds"))
            }
            try entry.move(to: directory.entry(id))
            var same = old
            same.bytes = record.bytes
            if same == record {
                view.contents.withLock { $0.index.resize(id, to: record.bytes) }
                changes.append(.resize(id, record.bytes))
            } else {
                let replaced = view.contents.withLock { $0.index.insert(record) }
                for id in replaced { try? directory.remove(id) }
                changes.append(.add(record))
            }
            evicted = try makeRoom(0, 0, &changes)
            try append(changes)
            try directory.synchronize()
        } catch {
            // An entry that can't be updated must not be served with its old description.
            discard(id)
            throw error
        }
        if view.contents.withLock({ $0.index[id] != nil }) { return .done(evicted: evicted) }
        // The entry was found damaged in the meantime, or was evicted.
        try directory.remove(id)
        return .gone
    }

    // MARK: - Removing

    /// Removes entries, from the directory if possible, and from this process's view in any case.
    mutating func remove(_ selection: CacheSelection) throws(CacheStoreFault) -> Int {
        do throws(CacheStoreFault) {
            try refresh()
        } catch {
            return try postpone(selection, error)
        }
        let outcome: (count: Int, fault: CacheStoreFault?)
        do throws(CacheStoreFault) {
            outcome = try whileLocked { state throws(CacheStoreFault) in state.removeNow(selection, isLocked: true) }
        } catch {
            // Files can be removed even without the lock. Look-ups then don't find them.
            guard isOpen else { return try postpone(selection, error) }
            outcome = removeNow(selection, isLocked: false)
        }
        if let fault = outcome.fault { throw fault }
        return outcome.count
    }

    private func removeNow(_ selection: CacheSelection, isLocked: Bool) -> (count: Int, fault: CacheStoreFault?) {
        let ids = ids(selection)
        var fault = removeFiles(ids)
        fault = removeHidden() ?? fault
        if isLocked, !ids.isEmpty { try? append(ids.map { .remove($0) }) }
        do throws(CacheStoreFault) {
            // Synchronizes even if nothing was left to remove. After a failed replacement, or if another process was
            // killed during a removal, an entry may still have its name on disk.
            if fault == nil { try directory.synchronize() }
        } catch {
            fault = error
        }
        return (ids.count, fault)
    }

    /// Postpones a removal until the directory can be opened; until then, nothing is found.
    private mutating func postpone(_ selection: CacheSelection, _ fault: CacheStoreFault) throws(CacheStoreFault) -> Int
    {
        view.contents.withLock { $0.isOpen = false }
        missedRemovals.append(selection)
        if missedRemovals.count > 64 { missedRemovals = [.all] }
        throw fault
    }

    /// Removes a damaged entry.
    mutating func discard(_ id: UInt64) {
        let isKnown = view.contents.withLock { $0.index[id] != nil }
        removeFiles([id])
        if isKnown { noteRemoval(id) }
    }

    /// Records in the journal that an entry is gone.
    mutating func noteRemoval(_ id: UInt64) {
        try? whileLocked { state throws(CacheStoreFault) in
            try state.append([.remove(id)])
            try state.directory.synchronize()
        }
    }

    /// Hides entries from look-ups, then removes their files.
    @discardableResult
    func removeFiles(_ ids: [UInt64]) -> CacheStoreFault? {
        var fault: CacheStoreFault?
        for start in stride(from: 0, to: ids.count, by: FileCacheView.slice) {
            let slice = ids[start..<min(start + FileCacheView.slice, ids.count)]
            view.contents.withLock { contents in
                for id in slice { contents.remove(id) }
            }
            for id in slice {
                do throws(CacheStoreFault) {
                    try directory.remove(id)
                } catch {
                    view.contents.withLock { _ = $0.hidden.insert(id) }
                    fault = error
                }
            }
        }
        return fault
    }

    /// Retries removals that failed earlier; they may include those requested now.
    private func removeHidden() -> CacheStoreFault? {
        let ids = view.contents.withLock { contents in
            defer { contents.hidden = [] }
            return contents.hidden
        }
        return ids.isEmpty ? nil : removeFiles(Array(ids))
    }

    /// Evicts the least recently used entries, in slices, until there is room.
    func makeRoom(
        _ bytes: Int64,
        _ count: Int,
        _ changes: inout [IndexJournal.Change]
    ) throws(CacheStoreFault) -> [CacheKey] {
        var evicted: [CacheKey] = []
        while true {
            let victims = view.contents.withLock {
                $0.index.victims(for: bytes, count, within: bounds, limit: FileCacheView.slice)
            }
            guard !victims.isEmpty else { return evicted }
            for victim in victims {
                try evict(victim.id, &changes)
                if let key = key(of: victim) { evicted.append(key) }
            }
            if victims.count == FileCacheView.slice { FileCacheView.giveWay() }
        }
    }

    private func evict(_ id: UInt64, _ changes: inout [IndexJournal.Change]) throws(CacheStoreFault) {
        try directory.remove(id)
        view.contents.withLock { _ = $0.remove(id) }
        changes.append(.remove(id))
    }

    private func key(of record: FileIndex.Record) -> CacheKey? { CacheKey(decoding: record.name) }

    // MARK: - The lock

    private mutating func whileLocked<Result>(
        _ work: (inout FileCacheState) throws(CacheStoreFault) -> Result
    ) throws(CacheStoreFault) -> Result {
        if !isOpen { try open() }
        let held = try takeLock()
        defer { held.unlock() }
        try catchUpLocked()
        let result = try work(&self)
        // The journal is compacted here and not earlier, because until now the index may have lacked the appended
        // changes.
        if view.contents.withLock({ $0.journalEnd }) > nextCompaction { compact() }
        return result
    }

    /// Applies changes made by other processes before the lock was acquired.
    private mutating func catchUpLocked() throws(CacheStoreFault) {
        switch try view.catchUp() {
        case .current where isJournalWritable: break
        // An incomplete end was left by a killed process, or has been overwritten.
        case .current, .torn, .outdated: try load(isLocked: true)
        }
    }

    /// Acquires the lock.
    ///
    /// It is normally held for only a few system calls; a process that holds it for longer was stopped.
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
