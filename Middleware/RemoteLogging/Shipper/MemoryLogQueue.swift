import HTTPChainCore
package import HTTPChainRemoteLogging
import Logging

/// A queue in memory, limited in records and bytes.
///
/// When it is full, it keeps the more severe records.
///
/// There is a ring for each level, and every record has a number. Adding a record doesn't access other records. The
/// oldest of the least severe records is the first of its ring, and the oldest of all is found by comparing the first
/// records of all rings.
package struct MemoryLogQueue: LogQueue {
    private struct Entry: Sendable {
        let number: Int
        let size: Int
        let record: LogRecord
    }

    private struct Level: Sendable {
        var ring = LogRing<Entry>()
        var bytes = 0
    }

    private static let levels = Logger.Level.allCases.sorted()

    let maxCount: Int
    let maxBytes: Int
    package private(set) var count = 0
    package private(set) var bytes = 0
    package private(set) var latest = 0
    private var levels = ContiguousArray(repeating: Level(), count: Self.levels.count)

    package init(maxCount: Int, maxBytes: Int) {
        self.maxCount = maxCount
        self.maxBytes = maxBytes
    }

    package init(_ settings: LogShipper.Settings) {
        let settings = settings.bounded
        self.init(maxCount: settings.queueRecords, maxBytes: Int(clamping: settings.queueBytes.bytes))
    }

    package var queued: Int { count }

    package var unwritten: Int { 0 }

    package var recovered: Int { 0 }

    package var letsPass: Bool { true }

    package var displacement: LogShipper.DropReason { .displaced }

    package var oldest: Int? { oldestLevel.map { levels[$0].ring.first?.number ?? 0 } }

    package mutating func add(
        _ record: LogRecord,
        size: Int,
        displaced: inout LogLevelCounts
    ) -> LogQueueAddition {
        let level = record.level.rank
        if count >= maxCount || bytes + size > maxBytes {
            guard makeRoom(for: size, above: level, displaced: &displaced) else { return .refused(.full) }
        }
        latest += 1
        count += 1
        bytes += size
        levels[level].bytes += size
        levels[level].ring.append(Entry(number: latest, size: size, record: record))
        return .queued
    }

    package mutating func nextWork() -> (@Sendable () -> any Sendable)? { nil }

    package mutating func finish(_ result: any Sendable) -> LogQueueProgress { LogQueueProgress() }

    package mutating func next(_ maxCount: Int, bytes maxBytes: Int) -> LogQueueNext {
        guard let first = oldest else { return .nothing }
        var records: [LogRecord] = []
        records.reserveCapacity(min(count, maxCount))
        var counts = LogLevelCounts()
        var size = 0
        var last = first
        while records.count < maxCount, let level = oldestLevel {
            if let next = levels[level].ring.first?.size, size + next > maxBytes, !records.isEmpty { break }
            guard let entry = removeFirst(of: level) else { break }
            size += entry.size
            last = entry.number
            counts[entry.record.level] += 1
            records.append(entry.record)
        }
        return .batch(LogQueueBatch(records: records, levels: counts, position: .init(first: first, last: last)))
    }

    package mutating func take(_ reading: LogQueueReading) -> LogQueueBatch? { nil }

    package mutating func settle(_ batch: LogQueueBatch.Position) -> (@Sendable () -> Void)? { nil }

    package mutating func giveBack(_ count: Int) -> Bool { false }

    package func close() -> (@Sendable () -> Void)? { nil }

    package mutating func abandon() -> (LogLevelCounts, LogShipper.DropReason) {
        var counts = LogLevelCounts()
        for (rank, level) in Self.levels.enumerated() { counts[level] = levels[rank].ring.count }
        levels = ContiguousArray(repeating: Level(), count: Self.levels.count)
        count = 0
        bytes = 0
        return (counts, .abandoned)
    }

    /// The level with the oldest record.
    private var oldestLevel: Int? {
        var result: Int?
        var number = Int.max
        for level in levels.indices {
            if let first = levels[level].ring.first?.number, first < number {
                number = first
                result = level
            }
        }
        return result
    }

    /// Displaces less severe records, starting with the least severe and oldest.
    ///
    /// If that wouldn't make enough room, no records are displaced.
    private mutating func makeRoom(for size: Int, above limit: Int, displaced: inout LogLevelCounts) -> Bool {
        var (below, belowBytes) = (0, 0)
        for level in 0..<limit {
            below += levels[level].ring.count
            belowBytes += levels[level].bytes
        }
        guard count - below < maxCount, bytes - belowBytes + size <= maxBytes else { return false }
        var level = 0
        while count >= maxCount || bytes + size > maxBytes {
            guard removeFirst(of: level) != nil else {
                level += 1
                continue
            }
            displaced[Self.levels[level]] += 1
        }
        return true
    }

    private mutating func removeFirst(of level: Int) -> Entry? {
        guard let entry = levels[level].ring.popFirst() else { return nil }
        count -= 1
        bytes -= entry.size
        levels[level].bytes -= entry.size
        return entry
    }
}

/// A ring buffer that grows when it's full.
struct LogRing<Element> {
    private var slots: ContiguousArray<Element?> = []
    private var head = 0
    private(set) var count = 0

    /// The element that was added first.
    var first: Element? {
        count == 0 ? nil : slots[head]
    }

    mutating func append(_ element: consuming Element) {
        if count == slots.count { grow() }
        var index = head + count
        if index >= slots.count { index -= slots.count }
        slots[index] = element
        count += 1
    }

    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = slots[head].take()
        head += 1
        if head == slots.count { head = 0 }
        count -= 1
        return element
    }

    private mutating func grow() {
        var larger: ContiguousArray<Element?> = []
        larger.reserveCapacity(max(16, slots.count * 2))
        for offset in 0..<count { larger.append(slots[(head + offset) % slots.count].take()) }
        for _ in count..<larger.capacity { larger.append(nil) }
        slots = larger
        head = 0
    }
}

extension LogRing: Sendable where Element: Sendable {}
