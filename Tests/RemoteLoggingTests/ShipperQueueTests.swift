#if AllTests
import HTTPChainCore
import HTTPChainTesting
import Logging
import TestSupport
import Testing

@testable import HTTPChainLogShipper
@testable import HTTPChainRemoteLogging

@Suite("The queue of a log shipper", .seeded)
struct ShipperQueueTests {
    private func queue(_ count: Int = 4, bytes: Int = 1_000_000) -> MemoryLogQueue {
        MemoryLogQueue(maxCount: count, maxBytes: bytes)
    }

    @discardableResult
    private func add(
        _ message: String,
        _ level: Logger.Level = .info,
        size: Int = 100,
        to queue: inout MemoryLogQueue
    ) -> (taken: Bool, displaced: LogLevelCounts) {
        var displaced = LogLevelCounts()
        let addition = queue.add(entry(message, level), size: size, displaced: &displaced)
        return (addition == .queued, displaced)
    }

    private func messages(_ queue: inout MemoryLogQueue, _ count: Int = .max, bytes: Int = .max) -> [String] {
        guard case .batch(let batch) = queue.next(count, bytes: bytes) else { return [] }
        return batch.records.map(\.message)
    }

    @Test("A ring keeps its order while it grows and goes round")
    func ring() {
        var ring = LogRing<Int>()
        var expected = 0
        var next = 0
        for round in 0..<200 {
            for _ in 0..<(round % 7 + 1) {
                ring.append(next)
                next += 1
            }
            for _ in 0..<(round % 5 + 1) where ring.count > 0 {
                #expect(ring.first == expected)
                #expect(ring.popFirst() == expected)
                expected += 1
            }
            #expect(ring.count == next - expected)
        }
        while let element = ring.popFirst() {
            #expect(element == expected)
            expected += 1
        }
        #expect(expected == next)
        #expect(ring.first == nil)
    }

    @Test("Records come out in the order in which they went in, whatever their level")
    func order() {
        var queue = queue(10)
        for (message, level) in [("a", Logger.Level.error), ("b", .trace), ("c", .error), ("d", .info)] {
            add(message, level, to: &queue)
        }
        #expect(queue.oldest == 1)
        #expect(queue.latest == 4)
        #expect(messages(&queue, 3) == ["a", "b", "c"])
        #expect(queue.oldest == 4)
        #expect(messages(&queue) == ["d"])
        #expect(queue.oldest == nil)
        #expect(messages(&queue, 1).isEmpty)
        #expect(queue.count == 0)
        #expect(queue.bytes == 0)
    }

    @Test("When it is full, a more severe record takes the place of the oldest of the least severe")
    func displacing() {
        var queue = queue(4)
        for (message, level) in [("a", Logger.Level.info), ("b", .debug), ("c", .debug), ("d", .error)] {
            add(message, level, to: &queue)
        }
        let outcome = add("e", .warning, to: &queue)
        #expect(outcome.taken)
        #expect(outcome.displaced[.debug] == 1)
        #expect(outcome.displaced.total == 1)
        #expect(messages(&queue) == ["a", "c", "d", "e"])
    }

    @Test(
        "When it is full, a record that is no more severe than the others is not taken",
        arguments: [
            Logger.Level.debug, .info,
        ]
    )
    func refusing(level: Logger.Level) {
        var queue = queue(2)
        add("a", .info, to: &queue)
        add("b", .error, to: &queue)
        let outcome = add("c", level, to: &queue)
        #expect(!outcome.taken)
        #expect(outcome.displaced.isEmpty)
        #expect(messages(&queue) == ["a", "b"])
    }

    @Test("Bytes are a bound as well: as many records give way as the new one needs")
    func bytes() {
        var queue = queue(100, bytes: 1000)
        add("a", .debug, size: 300, to: &queue)
        add("b", .info, size: 300, to: &queue)
        add("c", .debug, size: 300, to: &queue)
        let outcome = add("d", .error, size: 600, to: &queue)
        #expect(outcome.taken)
        #expect(outcome.displaced[.debug] == 2)
        #expect(queue.bytes == 900)
        #expect(messages(&queue) == ["b", "d"])
    }

    @Test("Nothing gives way to a record that would not fit anyway")
    func futile() {
        var queue = queue(100, bytes: 1000)
        add("a", .debug, size: 300, to: &queue)
        add("b", .critical, size: 600, to: &queue)
        #expect(!add("c", .error, size: 500, to: &queue).taken)
        #expect(!add("d", .critical, size: 1001, to: &queue).taken)
        #expect(messages(&queue) == ["a", "b"])
    }

    @Test("A batch keeps to its bytes, but for a record that is larger alone")
    func batchBytes() {
        var queue = queue(100)
        for message in ["a", "b", "c"] { add(message, size: 400, to: &queue) }
        add("d", size: 2000, to: &queue)
        add("e", size: 1, to: &queue)
        #expect(messages(&queue, bytes: 1000) == ["a", "b"])
        #expect(messages(&queue, bytes: 1000) == ["c"])
        #expect(messages(&queue, bytes: 1000) == ["d"])
        #expect(messages(&queue, bytes: 1000) == ["e"])
    }

    @Test("What is given up is counted by level")
    func abandoned() {
        var queue = queue(10)
        for level in [Logger.Level.info, .info, .critical] { add("a", level, to: &queue) }
        let (lost, reason) = queue.abandon()
        #expect(reason == .abandoned)
        #expect(lost[.info] == 2)
        #expect(lost[.critical] == 1)
        #expect(queue.count == 0)
        #expect(queue.oldest == nil)
    }

    @Test(
        "The queue does what a simple list of records does, thousands of times at random",
        arguments: 0..<8 as Range<UInt64>
    )
    func model(seed: UInt64) {
        struct Kept: Equatable {
            let message: String
            let level: Logger.Level
            let size: Int
        }
        let random = Seed.numbers(seed)
        func number(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
        var queue = queue(20, bytes: 2000)
        var list: [Kept] = []
        for step in 0..<4000 {
            if number(10) < 7 {
                let new = Kept(message: "\(step)", level: Logger.Level.allCases[number(7)], size: 1 + number(400))
                var kept = list
                var room = true
                while kept.count >= 20 || kept.reduce(new.size, { $0 + $1.size }) > 2000 {
                    guard let least = kept.map(\.level).min(), least < new.level,
                        let index = kept.firstIndex(where: { $0.level == least })
                    else {
                        room = false
                        break
                    }
                    kept.remove(at: index)
                }
                let outcome = add(new.message, new.level, size: new.size, to: &queue)
                #expect(outcome.taken == room)
                #expect(outcome.displaced.total == (room ? list.count - kept.count : 0))
                if room { list = kept + [new] }
            } else {
                let count = 1 + number(6)
                #expect(messages(&queue, count) == list.prefix(count).map(\.message))
                list.removeFirst(min(count, list.count))
            }
            #expect(queue.count == list.count)
            #expect(queue.bytes == list.reduce(0) { $0 + $1.size })
        }
    }

    @Test("The size of a record grows with all that it holds")
    func size() {
        let bare = entry("").estimatedSize
        #expect(bare >= 96)
        #expect(entry("12345").estimatedSize == bare + 5)
        var record = entry("")
        record.attributes["name"] = "value"
        #expect(record.estimatedSize >= bare + 9)
        let flat = record.estimatedSize
        record.attributes["more"] = ["a": [1, "long text in an array"], "b": nil]
        #expect(record.estimatedSize > flat + 100)
    }
}
#endif
