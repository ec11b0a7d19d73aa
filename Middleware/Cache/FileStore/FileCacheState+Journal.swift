import Foundation
import HTTPChainCore

/// Reading, appending to and rewriting the index on disk.
extension FileCacheState {
    /// Appends changes and pending uses to the journal, and applies them.
    ///
    /// Changes are applied in slices. A look-up first applies unread changes in the journal, and must not have to apply
    /// all changes of a large eviction at once.
    func append(_ changes: [IndexJournal.Change]) throws(CacheStoreFault) {
        let (found, start, generation, salt, uses) = view.contents.withLock { contents in
            defer {
                contents.unsavedUses = []
                contents.isAppending = true
            }
            return (
                contents.journal, contents.journalEnd, contents.generation, contents.hash.salt, contents.unsavedUses
            )
        }
        defer { view.contents.withLock { $0.isAppending = false } }
        guard let journal = found else { throw CacheStoreFault(.busy(directory.index)) }
        let count = uses.count + changes.count
        var next = 0
        var end = start
        var bytes: [UInt8] = []
        do throws(CacheStoreFault) {
            while true {
                let slice = next..<min(next + FileCacheView.slice, count)
                for place in slice {
                    let change = place < uses.count ? .use(uses[place]) : changes[place - uses.count]
                    IndexJournal.append(change, to: &bytes, salt: salt)
                }
                next = slice.upperBound
                try journal.write(bytes, at: end)
                if next == count { break }
                _ = view.take(bytes, from: end, generation)
                FileCacheView.giveWay()
                end += Int64(bytes.count)
                bytes.removeAll(keepingCapacity: true)
            }
            if directory.durability == .power { try journal.synchronize() }
        } catch {
            try? journal.truncate(to: start)
            // A concurrent look-up may have applied some of the changes.
            view.contents.withLock { contents in
                if contents.generation == generation, contents.journalEnd > start { contents.isOpen = false }
            }
            throw error
        }
        _ = view.take(bytes, from: end, generation)
    }

    /// Reads the rest of the journal, up to a size.
    ///
    /// - Returns: Whether all of it is valid.
    private func replay(
        _ journal: OpenFile<CacheStoreFault>,
        to size: Int64,
        isLocked: Bool
    ) throws(CacheStoreFault) -> Bool {
        let (start, generation) = view.contents.withLock { ($0.journalEnd, $0.generation) }
        let bytes = try journal.read(Int(max(0, size - start)), at: start)
        let isWhole = view.take(bytes, from: start, generation)
        if !isWhole, isLocked { try journal.truncate(to: view.contents.withLock { $0.journalEnd }) }
        return isWhole
    }

    /// Opens the directory, if necessary for reading only.
    mutating func open() throws(CacheStoreFault) {
        do throws(CacheStoreFault) {
            try directory.make()
            try CacheOwnership.check(directory.path, isDirectory: true)
            let held = try takeLock()
            defer { held.unlock() }
            try load(isLocked: true)
        } catch {
            switch error.problem {
            case .newerFormat, .unsafe: throw error
            default: break
            }
            // Read-only, or locked by another process: existing entries can still be read.
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

    /// Reads the journal from its beginning.
    ///
    /// Look-ups don't use the index until it has been read.
    mutating func load(isLocked: Bool) throws(CacheStoreFault) {
        view.contents.withLock { contents in
            contents.isOpen = false
            contents.index = FileIndex()
            contents.journal = nil
            contents.journalEnd = Int64(IndexJournal.start)
            contents.generation += 1
        }
        isJournalWritable = isLocked
        nextCompaction = 1 << 16
        if view.contents.withLock({ $0.readsImmediately == nil }) {
            let answer = files.readsImmediately(in: directory.path)
            view.contents.withLock { $0.readsImmediately = answer }
        }
        guard let found = try files.open(directory.index, isLocked ? .updateOrCreate : .read) else {
            throw CacheStoreFault(.busy(directory.index))
        }
        let size = try found.status().size
        var isWhole = false
        do throws(CacheStoreFault) {
            guard size <= IndexJournal.maximumLength else { throw CacheStoreFault(.damaged("the index")) }
            let header = try IndexJournal.Header(decoding: try found.read(IndexJournal.start, at: 0))
            view.contents.withLock { $0.hash = SaltedHash(salt: header.salt) }
            isWhole = try replay(found, to: size, isLocked: isLocked)
            view.contents.withLock { $0.journal = found }
        } catch {
            guard case .damaged = error.problem, isLocked else { throw error }
            view.contents.withLock { $0.hash = SaltedHash(salt: UInt64.random(in: 0 ... .max)) }
            try rewrite()
        }
        guard isLocked else {
            view.contents.withLock { $0.isOpen = true }
            return
        }
        let gone = try reconcile(adopts: !isWhole)
        // If this fails, look-ups notice the missing files when they open them.
        if !gone.isEmpty { try? append(gone.map { .remove($0) }) }
        var changes: [IndexJournal.Change] = []
        _ = try makeRoom(0, 0, &changes)
        if !changes.isEmpty { try append(changes) }
        view.contents.withLock { $0.isOpen = true }
        let (end, live) = view.contents.withLock { ($0.journalEnd, $0.index.journalSize) }
        if end > 1 << 16, end > live * 2 { compact() }
    }

    /// Reconciles the index with the files.
    ///
    /// - Parameter adopts: Whether to adopt files missing from the index. Pass `true` if the journal is damaged or
    ///   truncated. If the journal is complete, such a file was never committed.
    /// - Returns: The entries in the journal whose files are gone, because a process was killed between the two steps.
    private mutating func reconcile(adopts: Bool) throws(CacheStoreFault) -> [UInt64] {
        let index = self.index
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
        let gone = found.count < index.count ? index.ids(where: { !found.contains($0.id) }) : []
        for id in gone { view.contents.withLock { _ = $0.remove(id) } }
        // If several responses have the same variant, the latest one is kept.
        let adopted = adopts ? unknown.compactMap { adopt($0) }.sorted { $0.date < $1.date } : []
        var replaced: Set<UInt64> = []
        for (record, _) in adopted { replaced.formUnion(view.contents.withLock { $0.index.insert(record) }) }
        let known = self.index
        for id in unknown + replaced where known[id] == nil { try? directory.remove(id) }
        for id in bodies where known[id] == nil { _ = try? files.remove(directory.body(id)) }
        guard adopts else { return gone }
        try rewrite()
        return []
    }

    func entry(_ id: UInt64) -> EntryFile? {
        guard let file = try? files.open(directory.entry(id), .read) else { return nil }
        return try? EntryFile(reading: file, id: id)
    }

    private func adopt(_ id: UInt64) -> (record: FileIndex.Record, date: Date)? {
        guard let entry = entry(id) else { return nil }
        if !entry.isInline {
            // The file may be longer if a process was killed while extending it.
            guard let body = try? files.open(directory.body(id), .read),
                let size = try? body.status().size, size >= entry.layout.fileSize
            else { return nil }
        }
        let hash = view.contents.withLock { $0.hash }
        return (hash.record(of: entry), entry.head.response.metadata.responseTime)
    }

    mutating func compact() {
        nextCompaction = view.contents.withLock { $0.journalEnd } * 2
        try? rewrite()
    }

    /// Rewrites the journal with the current entries in order of use.
    private mutating func rewrite() throws(CacheStoreFault) {
        let (salt, size) = view.contents.withLock { contents in
            defer { contents.unsavedUses = [] }
            return (contents.hash.salt, contents.index.journalSize)
        }
        var records: [(record: FileIndex.Record, lastUse: UInt64)] = []
        view.visitInSlices { index, slots in records += index.records(in: slots) }
        records.sort { $0.lastUse < $1.lastUse }
        var bytes = IndexJournal.Header(salt: salt).encoded
        bytes.reserveCapacity(Int(size))
        for (record, _) in records { IndexJournal.append(.add(record), to: &bytes, salt: salt) }
        let temporary = try directory.makeTemporary()
        try temporary.file.write(bytes, at: 0)
        if directory.durability == .power { try temporary.file.synchronize() }
        // The journal is exchanged before the rename. A look-up that checks the old journal afterwards then sees that
        // it is gone.
        let (old, oldEnd) = exchangeJournal(temporary.file, Int64(bytes.count))
        do throws(CacheStoreFault) {
            try temporary.move(to: directory.index)
        } catch {
            _ = exchangeJournal(old, oldEnd)
            throw error
        }
        nextCompaction = max(1 << 16, Int64(bytes.count) * 3)
    }

    private func exchangeJournal(
        _ journal: OpenFile<CacheStoreFault>?,
        _ end: Int64
    ) -> (OpenFile<CacheStoreFault>?, Int64) {
        view.contents.withLock { contents in
            defer {
                contents.journal = journal
                contents.journalEnd = end
                contents.generation += 1
            }
            return (contents.journal, contents.journalEnd)
        }
    }
}

extension SaltedHash {
    /// Returns the index record of an entry.
    func record(of entry: EntryFile) -> FileIndex.Record {
        let key = entry.head.key
        let response = entry.head.response
        return FileIndex.Record(
            id: entry.id,
            key: self.key(key),
            url: url(key.url),
            variant: variant(response.metadata.variant),
            origin: origin(key.origin),
            partition: partition(key.partition),
            classification: classification(response.metadata.classification),
            bytes: entry.size,
            identifier: key.identifier,
            name: key.encoded
        )
    }
}
