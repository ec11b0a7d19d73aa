import HTTPChainSupport

/// Entries by key, created on first use; if there are too many, the least recently used are evicted.
package final class KeyedEntries: Sendable {
    package typealias Entry = any AnyObject & Sendable

    private struct Slot: Sendable {
        let entry: Entry
        var lastUse: UInt64
    }

    /// An origin as spelled in requests, so that a typical request finds its entry without parsing.
    private struct Spelling: Hashable, Sendable {
        let scheme: String
        let authority: String
    }

    private struct State: Sendable {
        var recent: (spelling: Spelling, entry: Entry)?
        var spellings: [Spelling: String] = [:]
        var slots: [ExactText: Slot] = [:]
        var uses: UInt64 = 0
        /// The keys to evict, the least recently used last.
        ///
        /// If a key was used since, its slot has another number and stays.
        var candidates: [(key: ExactText, lastUse: UInt64)] = []

        /// Evicts the least recently used slot.
        ///
        /// Sorts the slots once for as many evictions as there were slots.
        mutating func evict() {
            while !slots.isEmpty {
                if let candidate = candidates.popLast() {
                    guard slots[candidate.key]?.lastUse == candidate.lastUse else { continue }
                    slots[candidate.key] = nil
                    recent = nil
                    return
                }
                candidates = slots.map { ($0.key, $0.value.lastUse) }.sorted { $0.lastUse > $1.lastUse }
            }
        }
    }

    private let limit: Int
    private let make: @Sendable (String) -> Entry
    private let single: Entry?
    private let state = Locked(State())

    /// - Parameters:
    ///   - isSingle: Whether all keys have the same entry.
    ///   - limit: The maximum number of entries, at least 1.
    ///   - make: A closure that makes the entry of a key.
    package init(isSingle: Bool, limit: Int, make: @escaping @Sendable (String) -> Entry) {
        self.limit = max(1, limit)
        self.make = make
        single = isSingle ? make("") : nil
    }

    /// Returns the entry of an origin; nil if it isn't one.
    package func entry(scheme: String, authority: String) -> Entry? {
        state.withLock { state in
            if let recent = state.recent, recent.spelling.authority == authority, recent.spelling.scheme == scheme {
                return recent.entry
            }
            return entry(Spelling(scheme: scheme, authority: authority), in: &state)
        }
    }

    private func entry(_ spelling: Spelling, in state: inout State) -> Entry? {
        let key: String
        if let known = state.spellings[spelling] {
            key = known
        } else {
            guard let origin = Origin(scheme: spelling.scheme, authority: spelling.authority) else { return nil }
            key = origin.withoutRootDot.description
            if state.spellings.count >= limit { state.spellings.removeAll() }
            state.spellings[spelling] = key
        }
        let entry = entry(of: key, in: &state)
        state.recent = (spelling, entry)
        return entry
    }

    /// Returns the entry of a key.
    package func entry(of key: String) -> Entry {
        if let single { return single }
        return state.withLock { entry(of: key, in: &$0) }
    }

    /// Returns the entry of a key, if it exists.
    package func existing(_ key: String) -> Entry? {
        single ?? state.withLock { $0.slots[ExactText(key)]?.entry }
    }

    private func entry(of key: String, in state: inout State) -> Entry {
        state.uses += 1
        let now = state.uses
        let exact = ExactText(key)
        if let index = state.slots.index(forKey: exact) {
            state.slots.values[index].lastUse = now
            return state.slots.values[index].entry
        }
        if state.slots.count >= limit { state.evict() }
        let entry = make(key)
        state.slots[exact] = Slot(entry: entry, lastUse: now)
        return entry
    }

    /// All entries with their keys, sorted by key.
    package var all: [(key: String, entry: Entry)] {
        if let single { return [("", single)] }
        return state.withLock { $0.slots.map { ($0.key.text, $0.value.entry) } }.sorted { $0.0 < $1.0 }
    }
}
