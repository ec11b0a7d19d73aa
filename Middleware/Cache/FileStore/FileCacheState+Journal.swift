import Foundation
import HTTPChainCore

/// The index on the disk: how it is read, kept and made anew.
extension FileCacheState {
    /// Adds changes to the journal, and what was used since.
    mutating func append(_ changes: [IndexJournal.Change]) throws(CacheStoreFault) {
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

    mutating func catchUp(isLocked: Bool) throws(CacheStoreFault) {
        guard let journal else {
            isOpen = false
            return
        }
        let status = try journal.status()
        guard status.links > 0, status.size >= journalEnd, status.size <= IndexJournal.maximumLength else {
            isOpen = false
            if isLocked { return try load(isLocked: true) }
            return try open()
        }
        if status.size > journalEnd { _ = try replay(journal, to: status.size, isLocked: isLocked) }
    }

    private mutating func replay(
        _ journal: OpenFile<CacheStoreFault>,
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

    mutating func load(isLocked: Bool) throws(CacheStoreFault) {
        index = FileIndex()
        journal = nil
        isOpen = false
        isJournalWritable = isLocked
        journalEnd = Int64(IndexJournal.start)
        nextCompaction = 1 << 16
        guard let found = try files.open(directory.index, isLocked ? .updateOrCreate : .read) else {
            throw CacheStoreFault(.busy(directory.index))
        }
        let size = try found.status().size
        var isWhole = false
        do throws(CacheStoreFault) {
            guard size <= IndexJournal.maximumLength else { throw CacheStoreFault(.damaged("the index")) }
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

    func entry(_ id: UInt64) -> EntryFile? {
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

    mutating func compact() {
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
