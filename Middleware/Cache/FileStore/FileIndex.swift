import Foundation
import HTTPChainCore
import HTTPChainSupport

/// A file store's records of its entries.
///
/// They are enough to find, count, select and evict entries, and small enough that a million fit in memory and a
/// hundred thousand are read quickly.
///
/// Texts are hashed. A collision only costs an additional file access, or removes an additional entry, because results
/// are compared with the file before they are returned.
struct FileIndex: Sendable {
    /// One entry.
    struct Record: Sendable, Hashable {
        var id: UInt64
        var key: UInt64
        var url: UInt64
        var variant: UInt64
        var origin: UInt64
        var partition: UInt64
        var classification: UInt64
        /// The size of the entry on disk.
        var bytes: Int64
        var identifier: String?
        /// The encoded key, so that evictions can be reported without reading files.
        var name: [UInt8] = []

        fileprivate var textSize: Int { name.count + (identifier?.utf8.count ?? 0) }
    }

    private(set) var bytes: Int64 = 0
    private(set) var count = 0
    /// The total size of names and identifiers.
    private(set) var textBytes = 0
    private var slots = Chunks<Record?>()
    private var free: [Int32] = []
    private var positions = SlotTable()
    private var firstOfKey = SlotTable()
    private var firstOfURL = SlotTable()
    private var keys = SlotChains()
    private var urls = SlotChains()
    /// The list of slots by use, most recent first.
    private var uses = SlotChains()
    /// The use counter at the last use of each slot's entry.
    private var used = Chunks<UInt64>()
    private var useCount: UInt64 = 0
    private var newest: Int32?
    private var oldest: Int32?

    /// The approximate length of a journal with only the current entries.
    var journalSize: Int64 { Int64(IndexJournal.start) + Int64(count) * 85 + Int64(textBytes) }

    /// The number of slots, including empty ones, for visiting them in slices.
    var slotCount: Int { slots.count }

    subscript(id: UInt64) -> Record? { positions[id].flatMap { slots[Int($0)] } }

    /// The entries of a key, newest first.
    func ids(ofKey key: UInt64) -> [UInt64] { ids(from: firstOfKey[key], keys) }

    func ids(ofURL url: UInt64) -> [UInt64] { ids(from: firstOfURL[url], urls) }

    /// The entries of a key with their sizes, newest first.
    func sizes(ofKey key: UInt64) -> [(id: UInt64, size: Int64)] {
        var sizes: [(id: UInt64, size: Int64)] = []
        visit(firstOfKey[key], keys) { sizes.append(($0.id, $0.bytes)) }
        return sizes
    }

    /// The least recently used entries of a key that must be evicted so that at most this many remain.
    func surplus(ofKey key: UInt64, keeping count: Int) -> [UInt64] {
        let ids = ids(ofKey: key)
        guard ids.count > count else { return [] }
        return Array(ids.sorted { lastUse(of: $0) < lastUse(of: $1) }.prefix(ids.count - count))
    }

    private func lastUse(of id: UInt64) -> UInt64 { positions[id].map { used[Int($0)] } ?? 0 }

    /// The entries that satisfy a condition.
    func ids(where condition: (Record) -> Bool) -> [UInt64] { ids(in: 0..<slotCount, where: condition) }

    /// The entries in a range of slots that satisfy a condition.
    func ids(in range: Range<Int>, where condition: (Record) -> Bool) -> [UInt64] {
        range.compactMap { slot in slots[slot].flatMap { condition($0) ? $0.id : nil } }
    }

    /// The entries in a range of slots, each with the use counter at its last use.
    func records(in range: Range<Int>) -> [(record: Record, lastUse: UInt64)] {
        range.compactMap { slot in slots[slot].map { ($0, used[slot]) } }
    }

    /// The entries that must be evicted to make room for this much more; returns at most the given number.
    func victims(for bytes: Int64, _ count: Int, within bounds: CacheBounds, limit: Int) -> [Record] {
        var victims: [Record] = []
        var (bytes, count) = (self.bytes + bytes, self.count + count)
        var slot = oldest
        while bytes > bounds.totalBytes.bytes || count > bounds.entryCount, victims.count < limit, let current = slot {
            if let record = slots[Int(current)] {
                victims.append(record)
                bytes -= record.bytes
                count -= 1
            }
            slot = uses.previous(current)
        }
        return victims
    }

    private func ids(from first: Int32?, _ chain: SlotChains) -> [UInt64] {
        var ids: [UInt64] = []
        visit(first, chain) { ids.append($0.id) }
        return ids
    }

    private func visit(_ first: Int32?, _ chain: SlotChains, _ visit: (Record) -> Void) {
        var slot = first
        while let current = slot {
            Steps.take()
            if let record = slots[Int(current)] { visit(record) }
            slot = chain.next(current)
        }
    }

    /// Inserts an entry, replacing those with the same identifier or the same variant of its key.
    ///
    /// - Returns: The replaced entries, except one with the same identifier.
    @discardableResult
    mutating func insert(_ record: Record) -> [UInt64] {
        remove(record.id)
        let replaced = ids(ofKey: record.key).filter { self[$0]?.variant == record.variant }
        for id in replaced { remove(id) }
        let slot: Int32
        if let reused = free.popLast() {
            slot = reused
            slots[Int(slot)] = record
        } else {
            slot = Int32(slots.count)
            slots.append(record)
            keys.addSlot()
            urls.addSlot()
            uses.addSlot()
            used.append(0)
        }
        positions[record.id] = slot
        keys.insert(slot, before: firstOfKey.replace(slot, for: record.key))
        urls.insert(slot, before: firstOfURL.replace(slot, for: record.url))
        link(slot)
        bytes += record.bytes
        textBytes += record.textSize
        count += 1
        return replaced
    }

    /// Changes the size of an entry without affecting its order.
    mutating func resize(_ id: UInt64, to size: Int64) {
        guard let slot = positions[id], let old = slots[Int(slot)]?.bytes else { return }
        slots[Int(slot)]?.bytes = size
        bytes += size - old
    }

    /// Records a use of an entry.
    ///
    /// - Returns: Whether the order changed.
    @discardableResult
    mutating func use(_ id: UInt64) -> Bool {
        guard let slot = positions[id], slot != newest else { return false }
        unlink(slot)
        link(slot)
        return true
    }

    @discardableResult
    mutating func remove(_ id: UInt64) -> Record? {
        guard let slot = positions.replace(nil, for: id), let record = slots[Int(slot)] else { return nil }
        if firstOfKey[record.key] == slot { firstOfKey[record.key] = keys.next(slot) }
        if firstOfURL[record.url] == slot { firstOfURL[record.url] = urls.next(slot) }
        keys.remove(slot)
        urls.remove(slot)
        unlink(slot)
        slots[Int(slot)] = nil
        free.append(slot)
        bytes -= record.bytes
        textBytes -= record.textSize
        count -= 1
        return record
    }

    private mutating func link(_ slot: Int32) {
        useCount += 1
        used[Int(slot)] = useCount
        uses.insert(slot, before: newest)
        newest = slot
        if oldest == nil { oldest = slot }
    }

    private mutating func unlink(_ slot: Int32) {
        if newest == slot { newest = uses.next(slot) }
        if oldest == slot { oldest = uses.previous(slot) }
        uses.remove(slot)
    }
}

/// Hashes that are the same in all processes, but differ between directories.
struct SaltedHash: Sendable {
    let salt: UInt64

    private func hash(_ tag: UInt64, _ bytes: some DataProtocol) -> UInt64 {
        ContentChecksum(of: bytes, salt: salt ^ tag).value
    }

    private func hash(_ tag: UInt64, _ text: String) -> UInt64 {
        var text = text
        return text.withUTF8 { hash(tag, UnsafeRawBufferPointer($0)) }
    }

    func key(_ key: CacheKey) -> UInt64 { hash(1, key.encoded) }

    func url(_ url: String) -> UInt64 { hash(2, url) }

    func origin(_ origin: Origin?) -> UInt64 { origin.map { hash(3, $0.description) } ?? 0 }

    func partition(_ partition: String) -> UInt64 { hash(4, partition) }

    func classification(_ name: String?) -> UInt64 { name.map { hash(5, $0) } ?? 0 }

    func variant(_ variant: CacheVariant) -> UInt64 { variant.fields.isEmpty ? 0 : hash(6, variant.encoded) }
}

extension StoredHead {
    /// The hash of a key.
    ///
    /// It is the same in every process; different keys are unlikely to have the same hash.
    package static func hash(of key: CacheKey) -> Int64 { Int64(bitPattern: SaltedHash(salt: 1).key(key)) }

    /// The hash of a variant.
    ///
    /// It is the same in every process; different variants are unlikely to have the same hash.
    package static func hash(of variant: CacheVariant) -> Int64 {
        Int64(bitPattern: SaltedHash(salt: 1).variant(variant))
    }

    /// The checksum of a description.
    package static func checksum(of bytes: [UInt8]) -> Int64 { bytes.withUnsafeBytes { checksum(of: $0) } }

    /// The checksum of a description.
    package static func checksum(of bytes: UnsafeRawBufferPointer) -> Int64 {
        Int64(bitPattern: ContentChecksum(of: bytes).value)
    }
}
