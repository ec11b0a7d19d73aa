import Foundation
import HTTPChainCore

/// The view of a directory in memory, for those who look something up.
///
/// Its lock is held for work in memory alone, a little at a time: no file is touched under it, so that no look-up waits
/// for what others do with the disk.
final class FileCacheView: Sendable {
    struct Contents: Sendable {
        var index = FileIndex()
        var hash = SaltedHash(salt: 0)
        /// The journal that the index is read from.
        var journal: OpenFile<CacheStoreFault>?
        /// How far into the journal the index has been read.
        var journalEnd: Int64 = 0
        /// Which of the journals of this process it is.
        var generation = 0
        /// Whether this process, which has the directory's lock, is writing in the journal: what the index has not taken in
        /// of it is its own.
        var isAppending = false
        /// Whether the index is that of the directory; otherwise the directory has to be opened.
        var isOpen = false
        /// Removed, though the directory may not know.
        var hidden: Set<UInt64> = []
        /// The uses that are not in the journal yet.
        var unsavedUses: [UInt64] = []
        /// Whether files can be read without waiting for the disk where they are in memory; `nil` while that is not known.
        var readsImmediately: Bool?
        /// The descriptions that were decoded last.
        let recent: RecentDescriptions

        func contains(_ id: UInt64) -> Bool { index[id] != nil && !hidden.contains(id) }

        func visible(_ ids: [UInt64]) -> [UInt64] { hidden.isEmpty ? ids : ids.filter { !hidden.contains($0) } }

        func sizes(ofKey key: UInt64) -> [(id: UInt64, size: Int64)] {
            let sizes = index.sizes(ofKey: key)
            return hidden.isEmpty ? sizes : sizes.filter { !hidden.contains($0.id) }
        }

        /// - Returns: The entry, where there was one.
        @discardableResult
        mutating func remove(_ id: UInt64) -> FileIndex.Record? {
            recent.forget(id)
            return index.remove(id)
        }

        /// Makes a change that the journal tells of.
        mutating func apply(_ change: IndexJournal.Change) {
            if case .remove(let id) = change { recent.forget(id) }
            index.apply(change)
        }
    }

    /// How the index stands to the directory.
    enum Progress {
        case current
        /// The end of the journal makes no sense, or is just being written.
        case torn
        /// The directory has to be opened, or opened again.
        case outdated
    }

    /// How many changes, or entries, are worked on while the lock is held.
    static let slice = 64
    /// The number of slots that are looked at under the lock at most, which takes less than a change does.
    private static let slotSlice = 512

    let contents: Locked<Contents>
    /// The descriptions that were decoded last.
    let recent = RecentDescriptions()

    init() {
        contents = Locked(Contents(recent: recent))
    }

    var isOpen: Bool { contents.withLock { $0.isOpen } }

    /// The hashes of the index, where it can be told without waiting for the disk that it is that of the directory.
    ///
    /// The system has the length of an open file in memory.
    func current() -> SaltedHash? {
        let (journal, end, isAppending, hash) = contents.withLock { contents in
            let isReady = contents.isOpen && contents.readsImmediately == true
            return (isReady ? contents.journal : nil, contents.journalEnd, contents.isAppending, contents.hash)
        }
        guard let journal, let status = try? journal.status(), status.links > 0, isAppending || status.size == end
        else { return nil }
        return hash
    }

    /// The entries of a key and what they take, where they can be told without waiting for the disk.
    func find(_ key: CacheKey) -> [(id: UInt64, size: Int64)]? {
        guard let hash = current() else { return nil }
        let name = hash.key(key)
        return contents.withLock { contents in
            guard contents.isOpen, contents.hash.salt == hash.salt else { return nil }
            return contents.sizes(ofKey: name)
        }
    }

    /// Takes in what others have appended to the journal.
    ///
    /// It needs no lock of the directory: files change by renaming, and the journal grows.
    func catchUp() throws(CacheStoreFault) -> Progress {
        for _ in 0..<8 {
            let (journal, end, generation) = contents.withLock {
                ($0.isOpen ? $0.journal : nil, $0.journalEnd, $0.generation)
            }
            guard let journal else { return .outdated }
            let status = try journal.status()
            guard status.links > 0, status.size >= end, status.size <= IndexJournal.maximumLength else {
                // It may be this process that has written it anew.
                guard contents.withLock({ $0.generation }) == generation else { continue }
                return .outdated
            }
            guard status.size > end else { return .current }
            let bytes = try journal.read(Int(status.size - end), at: end)
            return take(bytes, from: end, generation) ? .current : .torn
        }
        return .outdated
    }

    /// Takes in what stands in the journal from a place on, unless that was done meanwhile.
    ///
    /// - Returns: Whether all of it is taken in.
    func take(_ bytes: [UInt8], from start: Int64, _ generation: Int) -> Bool {
        let salt = contents.withLock { $0.hash.salt }
        var changes: [IndexJournal.Change] = []
        var length = 0
        // The place in the journal that the changes were read at.
        var place: Int64?
        while true {
            let next = contents.withLock { contents -> Int64? in
                guard contents.generation == generation else { return nil }
                if contents.journalEnd == place {
                    for change in changes { contents.apply(change) }
                    contents.journalEnd += Int64(length)
                }
                // Who has read on knows more.
                let isBetween = contents.journalEnd >= start && contents.journalEnd < start + Int64(bytes.count)
                return isBetween ? contents.journalEnd : nil
            }
            guard let next else { return true }
            if next == place { return false }
            changes.removeAll(keepingCapacity: true)
            length = bytes[Int(next - start)...].withUnsafeBytes { buffer in
                IndexJournal.read(buffer, salt: salt, limit: Self.slice) { changes.append($0) }
            }
            place = next
        }
    }

    /// Shows the index some of its slots at a time, with the lock held for each, on a thread that may wait.
    ///
    /// A copy would have to be paid for, under the lock, by the next who changes the index: a hit, which is a use.
    /// Entries that come or go meanwhile are shown or not.
    func visitInSlices(_ visit: (FileIndex, Range<Int>) -> Void) {
        var start = 0
        while true {
            let end = contents.withLock { contents in
                let end = min(start + Self.slotSlice, contents.index.slotCount)
                visit(contents.index, start..<max(start, end))
                return end
            }
            guard end > start else { return }
            start = end
            Self.giveWay()
        }
    }

    /// Lets those who wait for the lock have it: whoever has just released it takes it again before they are awake.
    ///
    /// For a thread that may wait.
    static func giveWay() { usleep(1) }

    func ids(ofKey key: CacheKey) -> [UInt64] {
        contents.withLock { $0.visible($0.index.ids(ofKey: $0.hash.key(key))) }
    }

    /// The entries of a selection.
    func ids(_ selection: CacheSelection) -> [UInt64] {
        switch selection {
        case .key(let key): return ids(ofKey: key)
        case .url(let url): return contents.withLock { $0.visible($0.index.ids(ofURL: $0.hash.url(url))) }
        case .entry(let id): return contents.withLock { $0.contains(id.rawValue) ? [id.rawValue] : [] }
        default: break
        }
        let condition = contents.withLock { $0.hash }.condition(selection)
        var found: [UInt64] = []
        visitInSlices { index, slots in found += index.ids(in: slots, where: condition) }
        return contents.withLock { $0.visible(found) }
    }

    /// Notes that an entry is used.
    ///
    /// - Returns: Whether there is much to write down by now; `nil` where the entry is gone.
    func use(_ id: UInt64) -> Bool? {
        contents.withLock { contents in
            guard contents.contains(id) else { return nil }
            if contents.index.use(id) { contents.unsavedUses.append(id) }
            // Where they cannot be written down they are forgotten.
            if contents.unsavedUses.count > 4096 { contents.unsavedUses = [] }
            return contents.unsavedUses.count == 256
        }
    }
}

extension SaltedHash {
    /// Whether an entry may be among those selected.
    fileprivate func condition(_ selection: CacheSelection) -> (FileIndex.Record) -> Bool {
        switch selection {
        case .all: return { _ in true }
        case .key(let key):
            let wanted = self.key(key)
            return { $0.key == wanted }
        case .url(let url):
            let wanted = self.url(url)
            return { $0.url == wanted }
        case .entry(let id): return { $0.id == id.rawValue }
        case .identifier(let identifier): return { $0.identifier == identifier }
        case .identifierPrefix(let prefix):
            return { $0.identifier.map { $0.utf8.starts(with: prefix.utf8) } ?? false }
        case .classification(let name):
            let wanted = classification(name)
            return { $0.classification == wanted }
        case .origin(let origin):
            let wanted = self.origin(origin)
            return { $0.origin == wanted }
        case .partition(let partition):
            let wanted = self.partition(partition)
            return { $0.partition == wanted }
        }
    }
}
