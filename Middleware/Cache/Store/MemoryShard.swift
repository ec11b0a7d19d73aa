import Foundation
import HTTPChainCore
import HTTPChainSupport

/// A part of the entries in memory, with their order of use.
///
/// Entries are in slots that are linked in order of use. A look-up, a use, an insertion and an eviction therefore each
/// take constant time.
struct MemoryShard {
    private struct Slot {
        var entry: CacheEntry
        var body: MemoryBody
        var cost: Int64
        /// The slot that was used next; -1 for the most recently used one.
        var newer: Int
        /// The slot that was used before; -1 for the least recently used one.
        var older: Int
        /// The shard's use counter at the last use.
        var used: UInt64 = 0
        /// The time of the last use, for comparison with other shards.
        var usedAt = ContinuousClock.now

        /// Records a use, and returns the body without copying the slot.
        mutating func use() -> MemoryBody {
            usedAt = .now
            return body
        }
    }

    private var slots: [Slot?] = []
    private var free: [Int] = []
    private var positions: [CacheEntryID: Int] = [:]
    private var variants: [CacheKey: [CacheEntry]] = [:]
    private var keysByURL: [ExactText: Set<CacheKey>] = [:]
    private var keysByIdentifier: [ExactText: Set<CacheKey>] = [:]
    private var newest = -1
    private var oldest = -1
    private var uses: UInt64 = 0

    /// The approximate number of bytes of an entry.
    static func cost(of response: StoredResponse, at key: CacheKey) -> Int64 {
        response.headSize + response.bodyLength + key.size
    }

    func variants(of key: CacheKey) -> [CacheEntry] { variants[key] ?? [] }

    mutating func use(_ id: CacheEntryID) -> MemoryBody? {
        guard let position = positions[id] else { return nil }
        if position != newest {
            unlink(position)
            link(position)
        }
        return slots[position]?.use()
    }

    mutating func insert(_ entry: CacheEntry, _ body: MemoryBody, cost: Int64) {
        let slot = Slot(entry: entry, body: body, cost: cost, newer: -1, older: -1)
        let position: Int
        if let reused = free.popLast() {
            position = reused
            slots[position] = slot
        } else {
            position = slots.count
            slots.append(slot)
        }
        link(position)
        positions[entry.id] = position
        if variants[entry.key]?.append(entry) == nil {
            variants[entry.key] = [entry]
            keysByURL[ExactText(entry.key.url), default: []].insert(entry.key)
            if let identifier = entry.key.identifier {
                keysByIdentifier[ExactText(identifier), default: []].insert(entry.key)
            }
        }
    }

    mutating func update(_ known: CacheEntry, to metadata: CacheMetadata) -> (entry: CacheEntry, growth: Int64)? {
        guard let response = positions[known.id].flatMap({ slots[$0]?.entry.response }) else { return nil }
        var metadata = metadata
        // If the body has been extended since the caller read the entry, its range is kept.
        if response.bodyLength != known.response.bodyLength { metadata.content = response.metadata.content }
        return describe(known.id, as: response.with(metadata))
    }

    func contains(_ id: CacheEntryID) -> Bool { positions[id] != nil }

    private mutating func describe(
        _ id: CacheEntryID,
        as response: StoredResponse
    ) -> (entry: CacheEntry, growth: Int64)? {
        guard let position = positions[id], let old = slots[position] else { return nil }
        let cost = Self.cost(of: response, at: old.entry.key)
        let entry = CacheEntry(id: id, key: old.entry.key, response: response)
        slots[position]?.entry = entry
        slots[position]?.cost = cost
        if let index = variants[entry.key]?.firstIndex(where: { $0.id == id }) { variants[entry.key]?[index] = entry }
        return (entry, cost - old.cost)
    }

    /// Checks whether an entry can be extended; this counts as a use.
    ///
    /// - Returns: The entry's cost; `nil` if it is gone, its length has changed, or it has too many segments.
    mutating func beginAppending(to known: CacheEntry) -> Int64? {
        guard let body = use(known.id), body.count < MemoryBody.maximumCount, let position = positions[known.id],
            let slot = slots[position], slot.entry.response.bodyLength == known.response.bodyLength
        else { return nil }
        return slot.cost
    }

    /// Appends bytes to the body of an entry.
    mutating func append(_ bytes: Data, to id: CacheEntryID, as response: StoredResponse) -> CacheEntry? {
        guard let position = positions[id] else { return nil }
        slots[position]?.body.append(bytes)
        return describe(id, as: response)?.entry
    }

    /// Replaces the entry of the same variant in place, without changing the index.
    ///
    /// - Parameter room: The number of bytes by which the entries may grow.
    /// - Returns: The number of bytes by which the entries grew; `nil` if no entry has the variant, if several have it
    ///   (a validation can make two equal), or if there isn't enough room.
    mutating func replaceVariant(with entry: CacheEntry, _ body: MemoryBody, cost: Int64, within room: Int64) -> Int64?
    {
        let variant = entry.response.metadata.variant
        guard let place = variants.index(forKey: entry.key),
            let index = variants.values[place].firstIndex(where: { $0.response.metadata.variant == variant }),
            !variants.values[place][(index + 1)...].contains(where: { $0.response.metadata.variant == variant })
        else { return nil }
        let old = variants.values[place][index].id
        guard let position = positions[old], let growth = slots[position].map({ cost - $0.cost }), growth <= room else {
            return nil
        }
        positions[old] = nil
        positions[entry.id] = position
        variants.values[place].remove(at: index)
        variants.values[place].append(entry)
        slots[position]?.entry = entry
        slots[position]?.body = body
        slots[position]?.cost = cost
        slots[position]?.usedAt = .now
        unlink(position)
        link(position)
        return growth
    }

    /// Removes the entries that this one replaces.
    mutating func removeVariant(like entry: CacheEntry) -> CacheUsage {
        let variant = entry.response.metadata.variant
        let same = variants(of: entry.key).filter { $0.response.metadata.variant == variant }
        return remove(same.map(\.id))
    }

    /// Removes the least recently used variants of a key, until at most this many are left.
    mutating func removeVariants(of key: CacheKey, keeping count: Int) -> CacheUsage {
        guard let variants = variants[key], variants.count > count else { return CacheUsage() }
        let byUse = variants.map(\.id).sorted { lastUse(of: $0) < lastUse(of: $1) }
        return remove(Array(byUse.prefix(variants.count - count)))
    }

    private func lastUse(of id: CacheEntryID) -> UInt64 {
        positions[id].flatMap { slots[$0]?.used } ?? 0
    }

    /// The time of the last use of the least recently used entry.
    var leastRecentUse: ContinuousClock.Instant? { oldest >= 0 ? slots[oldest]?.usedAt : nil }

    mutating func removeLeastRecent() -> (key: CacheKey, cost: Int64)? {
        guard oldest >= 0, let slot = slots[oldest] else { return nil }
        _ = remove([slot.entry.id])
        return (slot.entry.key, slot.cost)
    }

    mutating func remove(_ selection: CacheSelection) -> CacheUsage {
        remove(entries(selection).map(\.id))
    }

    func entries(_ selection: CacheSelection) -> [CacheEntry] {
        switch selection {
        case .key(let key): return variants(of: key)
        case .url(let url): return keysByURL[ExactText(url)]?.flatMap { variants(of: $0) } ?? []
        case .identifier(let identifier):
            return keysByIdentifier[ExactText(identifier)]?.flatMap { variants(of: $0) } ?? []
        case .entry(let id): return positions[id].flatMap { slots[$0]?.entry }.map { [$0] } ?? []
        default: return slots.compactMap { $0?.entry }.filter(selection.contains)
        }
    }

    private mutating func remove(_ ids: [CacheEntryID]) -> CacheUsage {
        var removal = CacheUsage()
        for id in ids {
            guard let position = positions.removeValue(forKey: id), let slot = slots[position] else { continue }
            unlink(position)
            slots[position] = nil
            free.append(position)
            forget(id, of: slot.entry.key)
            removal.bytes += slot.cost
            removal.entries += 1
        }
        return removal
    }

    private mutating func forget(_ id: CacheEntryID, of key: CacheKey) {
        variants[key]?.removeAll { $0.id == id }
        guard variants[key]?.isEmpty ?? false else { return }
        variants[key] = nil
        let url = ExactText(key.url)
        keysByURL[url]?.remove(key)
        if keysByURL[url]?.isEmpty ?? false { keysByURL[url] = nil }
        guard let identifier = key.identifier.map(ExactText.init) else { return }
        keysByIdentifier[identifier]?.remove(key)
        if keysByIdentifier[identifier]?.isEmpty ?? false { keysByIdentifier[identifier] = nil }
    }

    private mutating func link(_ position: Int) {
        uses += 1
        slots[position]?.used = uses
        slots[position]?.newer = -1
        slots[position]?.older = newest
        if newest >= 0 { slots[newest]?.newer = position }
        newest = position
        if oldest < 0 { oldest = position }
    }

    private mutating func unlink(_ position: Int) {
        guard let slot = slots[position] else { return }
        if slot.newer >= 0 { slots[slot.newer]?.older = slot.older } else { newest = slot.older }
        if slot.older >= 0 { slots[slot.older]?.newer = slot.newer } else { oldest = slot.newer }
    }
}
