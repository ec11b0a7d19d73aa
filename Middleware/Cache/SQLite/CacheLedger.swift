#if SQLite
import GRDB
import HTTPChainCache
import HTTPChainCore

/// The state of a database that is kept in this process only: uses, reads and writes in progress, and hidden entries.
final class CacheLedger: Sendable {
    private struct State: Sendable {
        /// Entries that were removed here, but may still be in the database.
        var hidden: Set<Int64> = []
        /// The removals requested while the database could not be used.
        var missedRemovals: [CacheSelection] = []
        /// The use counter; the table has the values that were last saved.
        var tick: Int64 = 0
        var uses: [Int64: Int64] = [:]
        /// The number of readers of each body.
        var readers: [Int64: Int] = [:]
        /// Entries removed by this store; their blocks are removed when nobody reads them anymore.
        var gone: Set<Int64> = []
        /// Entries being written, some of whose blocks exist.
        var unfinished: Set<Int64> = []
        /// Whether there may be something to clean up when the database becomes unused.
        var isUntidy = false
        /// A count of events that may have removed entries.
        var removals: UInt64 = 0
    }
    /// A value that no use counter reaches; a larger value in a file means damage, and counting continues from here.
    private static let lastTick: Int64 = 1 << 62
    private let state = Locked(State())
    /// The recently decoded descriptions.
    let recent = RecentDescriptions()
    /// The maximum size in bytes of a look-up that is kept, including the description and the body.
    static let longestLookup = 16_384

    /// The results of recent look-ups by the hash of the key, with the state of the database that they belong to.
    ///
    /// A result is reused only if no process has committed anything to the database since.
    let lookups = RecentTable<(header: WALIndex.Header, lookup: CacheLookup)>(size: 64)

    // MARK: - Hidden entries

    func isHidden(_ id: Int64) -> Bool { state.withLock { $0.hidden.contains(id) } }

    func hide(_ ids: [Int64]) {
        state.withLock { state in
            state.hidden.formUnion(ids)
            state.removals += 1
        }
        forgetRecent(ids)
    }

    private func forgetRecent(_ ids: [Int64]) {
        for id in ids { recent.forget(UInt64(bitPattern: id)) }
        if !ids.isEmpty { lookups.clear() }
    }

    /// A counter that changes when this process removes something or reopens the database.
    var removals: UInt64 { state.withLock { $0.removals } }

    /// Records removals that failed.
    func miss(_ selections: [CacheSelection]) {
        state.withLock { state in
            state.removals += 1
            state.missedRemovals += selections
            if state.missedRemovals.count > 64 { state.missedRemovals = [.all] }
        }
    }

    func takeMissedRemovals() -> [CacheSelection] {
        state.withLock { state in
            defer { state.missedRemovals = [] }
            return state.missedRemovals
        }
    }

    // MARK: - Uses

    /// - Parameter removals: The required value of ``removals``; any if `nil`.
    /// - Returns: Whether there are now many unsaved uses; `nil` if something was removed.
    func use(_ id: Int64, since removals: UInt64? = nil) -> Bool? {
        state.withLock { state in
            guard removals == nil || removals == state.removals else { return nil }
            state.tick += 1
            state.uses[id] = state.tick
            return state.uses.count >= 4096
        }
    }

    /// Continues the use counter after the saved uses of a database that was just opened.
    func beginAfter(_ last: Int64) {
        state.withLock { state in
            state.tick = max(state.tick, min(last, Self.lastTick))
            state.removals += 1
        }
    }

    /// The number of the next use, after those counted by this process and others.
    func nextTick(_ db: Database) throws -> Int64 {
        let statement = try db.cachedStatement(sql: "SELECT ifnull(max(used), 0) FROM entry")
        let last = try Int64.fetchOne(statement) ?? 0
        return state.withLock { state in
            state.tick = max(state.tick, min(last, Self.lastTick)) + 1
            return state.tick
        }
    }

    /// Saves the uses, which determine the order of eviction.
    func saveUses(_ db: Database) throws {
        let uses = state.withLock { state in
            let taken = state.uses
            state.uses = [:]
            return taken
        }
        guard !uses.isEmpty else { return }
        let statement = try db.cachedStatement(sql: "UPDATE entry SET used = ? WHERE id = ?")
        for (id, tick) in uses { try statement.execute(arguments: [tick, id]) }
    }

    var hasUses: Bool { state.withLock { !$0.uses.isEmpty } }

    // MARK: - Reading and writing

    func beginReading(_ id: Int64) { state.withLock { $0.readers[id, default: 0] += 1 } }

    /// - Returns: Whether the entry is gone and has no more readers here.
    func endReading(_ id: Int64) -> Bool {
        state.withLock { state in
            let left = (state.readers[id] ?? 1) - 1
            state.readers[id] = left > 0 ? left : nil
            return left <= 0 && state.gone.contains(id)
        }
    }

    /// Records entries as gone, once that is committed.
    func leave(_ ids: [Int64]) {
        guard !ids.isEmpty else { return }
        state.withLock { state in
            state.gone.formUnion(ids)
            state.isUntidy = true
            state.removals += 1
        }
        forgetRecent(ids)
    }

    /// The entries that are gone and have no readers here.
    var unread: [Int64] {
        state.withLock { state in state.gone.filter { state.readers[$0] == nil } }
    }

    /// Forgets entries whose blocks are also gone.
    func forget(_ ids: [Int64]) { state.withLock { $0.gone.subtract(ids) } }

    /// Whether there may be something to clean up when the database becomes unused.
    var isUntidy: Bool {
        get { state.withLock { $0.isUntidy } }
        set { state.withLock { $0.isUntidy = newValue } }
    }

    func beginWriting(_ id: Int64) { state.withLock { _ = $0.unfinished.insert(id) } }

    func endWriting(_ id: Int64) { state.withLock { _ = $0.unfinished.remove(id) } }

    /// The entries that can't be found, but whose blocks are still needed.
    var kept: Set<Int64> {
        state.withLock { state in state.gone.filter { state.readers[$0] != nil }.union(state.unfinished) }
    }
}
#endif
