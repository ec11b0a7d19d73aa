import Foundation
import HTTPChainCore
import HTTPChainSupport

/// The in-memory view of a directory, for look-ups.
///
/// Its lock is held only for short work in memory. No file is accessed while it is held, so that look-ups never wait
/// for other threads' disk operations.
final class FileCacheView: Sendable {
    struct Contents: Sendable {
        var index = FileIndex()
        var hash = SaltedHash(salt: 0)
        /// The journal of the index.
        var journal: OpenFile<CacheStoreFault>?
        /// The offset up to which the journal has been applied.
        var journalEnd: Int64 = 0
        /// The number of the journal within this process.
        var generation = 0
        /// Whether this process holds the directory's lock and is writing to the journal.
        ///
        /// Any changes that haven't been applied are then its own.
        var isAppending = false
        /// Whether the index reflects the directory; if not, the directory must be opened.
        var isOpen = false
        /// Entries that were removed here, but may still be in the directory.
        var hidden: Set<UInt64> = []
        /// The uses not yet in the journal.
        var unsavedUses: [UInt64] = []
        /// Whether files in memory can be read without waiting for the disk; `nil` if unknown.
        var readsImmediately: Bool?
        /// The recently decoded descriptions.
        let recent: RecentDescriptions

        func contains(_ id: UInt64) -> Bool { index[id] != nil && !hidden.contains(id) }

        func visible(_ ids: [UInt64]) -> [UInt64] { hidden.isEmpty ? ids : ids.filter { !hidden.contains($0) } }

        func sizes(ofKey key: UInt64) -> [(id: UInt64, size: Int64)] {
            let sizes = index.sizes(ofKey: key)
            return hidden.isEmpty ? sizes : sizes.filter { !hidden.contains($0.id) }
        }

        /// - Returns: The removed entry, if any.
        @discardableResult
        mutating func remove(_ id: UInt64) -> FileIndex.Record? {
            recent.forget(id)
            return index.remove(id)
        }

        /// Applies a change from the journal.
        mutating func apply(_ change: IndexJournal.Change) {
            if case .remove(let id) = change { recent.forget(id) }
            index.apply(change)
        }
    }

    /// The state of the index relative to the directory.
    enum Progress {
        case current
        /// The end of the journal is invalid, or still being written.
        case torn
        /// The directory must be opened or reopened.
        case outdated
    }

    /// The maximum number of changes or entries processed while holding the lock.
    static let slice = 64
    /// The maximum number of slots visited while holding the lock; this takes less time than a change.
    private static let slotSlice = 512

    let contents: Locked<Contents>
    /// The recently decoded descriptions.
    let recent = RecentDescriptions()

    init() {
        contents = Locked(Contents(recent: recent))
    }

    var isOpen: Bool { contents.withLock { $0.isOpen } }

    /// The hashes of the index; `nil` if it isn't known, without waiting for the disk, that the index is up to date.
    ///
    /// Checking the length of an open file doesn't wait for the disk, because the system has it in memory.
    func current() -> SaltedHash? {
        let (journal, end, isAppending, hash) = contents.withLock { contents in
            let isReady = contents.isOpen && contents.readsImmediately == true
            return (isReady ? contents.journal : nil, contents.journalEnd, contents.isAppending, contents.hash)
        }
        guard let journal, let status = try? journal.status(), status.links > 0, isAppending || status.size == end
        else { return nil }
        return hash
    }

    /// The entries of a key with their sizes, if available without waiting for the disk.
    func find(_ key: CacheKey) -> [(id: UInt64, size: Int64)]? {
        guard let hash = current() else { return nil }
        let name = hash.key(key)
        return contents.withLock { contents in
            guard contents.isOpen, contents.hash.salt == hash.salt else { return nil }
            return contents.sizes(ofKey: name)
        }
    }

    /// Applies changes that other processes have appended to the journal.
    ///
    /// This needs no lock of the directory, because files are replaced by renaming, and the journal only grows.
    func catchUp() throws(CacheStoreFault) -> Progress {
        for _ in 0..<8 {
            let (journal, end, generation) = contents.withLock {
                ($0.isOpen ? $0.journal : nil, $0.journalEnd, $0.generation)
            }
            guard let journal else { return .outdated }
            let status = try journal.status()
            guard status.links > 0, status.size >= end, status.size <= IndexJournal.maximumLength else {
                // This process may have rewritten the journal in the meantime.
                guard contents.withLock({ $0.generation }) == generation else { continue }
                return .outdated
            }
            guard status.size > end else { return .current }
            let bytes = try journal.read(Int(status.size - end), at: end)
            return take(bytes, from: end, generation) ? .current : .torn
        }
        return .outdated
    }

    /// Applies changes read from the journal at an offset, unless that was done in the meantime.
    ///
    /// - Returns: Whether all of them are applied.
    func take(_ bytes: [UInt8], from start: Int64, _ generation: Int) -> Bool {
        let salt = contents.withLock { $0.hash.salt }
        var changes: [IndexJournal.Change] = []
        var length = 0
        // The journal offset of the changes.
        var place: Int64?
        while true {
            let next = contents.withLock { contents -> Int64? in
                guard contents.generation == generation else { return nil }
                if contents.journalEnd == place {
                    for change in changes { contents.apply(change) }
                    contents.journalEnd += Int64(length)
                }
                // Another look-up may have read further.
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

    /// Visits the index in slices of its slots, with the lock held for each slice, on a thread that may block.
    ///
    /// Copying the index instead would make the next change, such as recording a hit, copy it again while holding the
    /// lock. Entries added or removed in the meantime may or may not be visited.
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

    /// Lets waiting threads acquire the lock, because otherwise this thread would reacquire it before they wake.
    ///
    /// Call it only on a thread that may block.
    static func giveWay() { usleep(1) }

    /// The entries that may match a selection.
    func ids(_ selection: CacheSelection) -> [UInt64] {
        let hash = contents.withLock { $0.hash }
        switch selection {
        case .key(let key): return contents.withLock { $0.visible($0.index.ids(ofKey: $0.hash.key(key))) }
        case .url(let url): return contents.withLock { $0.visible($0.index.ids(ofURL: $0.hash.url(url))) }
        case .entry(let id): return contents.withLock { $0.contains(id.rawValue) ? [id.rawValue] : [] }
        case .all: return ids { _ in true }
        case .identifier(let identifier): return ids { $0.identifier.hasSameBytes(as: identifier) }
        case .identifierPrefix(let prefix):
            return ids { $0.identifier.map { $0.utf8.starts(with: prefix.utf8) } ?? false }
        case .classification(let name):
            let wanted = hash.classification(name)
            return ids { $0.classification == wanted }
        case .origin(let origin):
            let wanted = hash.origin(origin)
            return ids { $0.origin == wanted }
        case .partition(let partition):
            let wanted = hash.partition(partition)
            return ids { $0.partition == wanted }
        }
    }

    private func ids(where condition: (FileIndex.Record) -> Bool) -> [UInt64] {
        var found: [UInt64] = []
        visitInSlices { index, slots in found += index.ids(in: slots, where: condition) }
        return contents.withLock { $0.visible(found) }
    }

    /// Records a use of an entry.
    ///
    /// - Returns: Whether there are now many unsaved uses; `nil` if the entry is gone.
    func use(_ id: UInt64) -> Bool? {
        contents.withLock { contents in
            guard contents.contains(id) else { return nil }
            if contents.index.use(id) { contents.unsavedUses.append(id) }
            // If the uses can't be saved, they are discarded.
            if contents.unsavedUses.count > 4096 { contents.unsavedUses = [] }
            return contents.unsavedUses.count == 256
        }
    }
}
