#if SQLite
import GRDB
import HTTPChainCache
import HTTPChainCore

/// The facts about a database that this process alone knows: what was used, what is read and written, what must not be
/// found.
final class CacheLedger: Sendable {
    private struct State: Sendable {
        /// Removed, though the database may not know.
        var hidden: Set<Int64> = []
        /// The removals that were asked for while the database could not be used.
        var missedRemovals: [CacheSelection] = []
        /// Counts uses, of which the table has those up to the last time they were written down.
        var tick: Int64 = 0
        var uses: [Int64: Int64] = [:]
        /// How many readers each body has.
        var readers: [Int64: Int] = [:]
        /// Entries that this store has removed, whose blocks go when nobody reads them.
        var gone: Set<Int64> = []
        /// Entries that are not there yet, some of whose blocks are.
        var unfinished: Set<Int64> = []
        /// Whether there may be something to do when nobody uses the database.
        var isUntidy = false
        /// Counts what may have taken entries away.
        var removals: UInt64 = 0
    }
    /// The number of uses that nobody reaches; a larger one in a file is damage, from which counting goes on.
    private static let lastTick: Int64 = 1 << 62
    private let state = Locked(State())
    /// The descriptions that were decoded last.
    let recent = RecentDescriptions()
    /// What was found last.
    let lookups = RecentLookups()

    // MARK: - What must not be found

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

    /// A number that is another one once this process has removed something, or opens the database again.
    var removals: UInt64 { state.withLock { $0.removals } }

    /// Remembers what could not be removed.
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

    // MARK: - What was used

    /// - Parameter removals: The number of ``removals`` that has to be the same still; any when `nil`.
    /// - Returns: Whether there is much to write down by now; `nil` where something was removed.
    func use(_ id: Int64, since removals: UInt64? = nil) -> Bool? {
        state.withLock { state in
            guard removals == nil || removals == state.removals else { return nil }
            state.tick += 1
            state.uses[id] = state.tick
            return state.uses.count >= 4096
        }
    }

    /// Goes on counting after all that is written down, in a database that was just opened.
    func beginAfter(_ last: Int64) {
        state.withLock { state in
            state.tick = max(state.tick, min(last, Self.lastTick))
            state.removals += 1
        }
    }

    /// The number of the next use, after all that this process and others have counted.
    func nextTick(_ db: Database) throws -> Int64 {
        let statement = try db.cachedStatement(sql: "SELECT ifnull(max(used), 0) FROM entry")
        let last = try Int64.fetchOne(statement) ?? 0
        return state.withLock { state in
            state.tick = max(state.tick, min(last, Self.lastTick)) + 1
            return state.tick
        }
    }

    /// Writes down what was used, which decides what goes next.
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

    // MARK: - What is read and written

    func beginReading(_ id: Int64) { state.withLock { $0.readers[id, default: 0] += 1 } }

    /// - Returns: Whether the entry is gone, and nobody here reads its blocks any more.
    func endReading(_ id: Int64) -> Bool {
        state.withLock { state in
            let left = (state.readers[id] ?? 1) - 1
            state.readers[id] = left > 0 ? left : nil
            return left <= 0 && state.gone.contains(id)
        }
    }

    /// Notes entries that are gone, once that is committed.
    func leave(_ ids: [Int64]) {
        guard !ids.isEmpty else { return }
        state.withLock { state in
            state.gone.formUnion(ids)
            state.isUntidy = true
            state.removals += 1
        }
        forgetRecent(ids)
    }

    /// The entries that are gone and that nobody here reads.
    var unread: [Int64] {
        state.withLock { state in state.gone.filter { state.readers[$0] == nil } }
    }

    /// Forgets entries whose blocks are gone too.
    func forget(_ ids: [Int64]) { state.withLock { $0.gone.subtract(ids) } }

    /// Whether there may be something to do when nobody uses the database.
    var isUntidy: Bool {
        get { state.withLock { $0.isUntidy } }
        set { state.withLock { $0.isUntidy = newValue } }
    }

    func beginWriting(_ id: Int64) { state.withLock { _ = $0.unfinished.insert(id) } }

    func endWriting(_ id: Int64) { state.withLock { _ = $0.unfinished.remove(id) } }

    /// The entries that cannot be found and whose blocks are needed.
    var kept: Set<Int64> {
        state.withLock { state in state.gone.filter { state.readers[$0] != nil }.union(state.unfinished) }
    }
}
#endif
