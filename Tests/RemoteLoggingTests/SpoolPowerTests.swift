#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainLogSpool
import HTTPChainRemoteLogging
import Logging
import TestSupport
import Testing

@Suite("A spool whose machine loses power", .heavy, .seeded, .timeLimit(.minutes(10)))
struct SpoolPowerTests {
    private let directory = SpoolScratch()

    private enum Action: Sendable {
        case append(Int)
        /// Everything up to a record.
        case acknowledge(Int)
    }

    private typealias Steps = [DiskStep<Action>]

    private func disk() -> MemoryDisk {
        MemoryDisk(directories: [directory.url.deletingLastPathComponent().path])
    }

    private func spool(_ files: any FileSystem, _ durability: LogSpoolDurability = .power) throws -> LogSpool {
        try directory.spool(limit: 40_000, durability: durability, files: files)
    }

    /// Appends, sends, acknowledges and opens again; there are several segments, and some are done with.
    private func script(_ disk: MemoryDisk, _ durability: LogSpoolDurability) throws -> Steps {
        var steps: Steps = []
        func step(_ action: Action, _ work: () throws -> Void) throws {
            let start = disk.count
            try work()
            steps.append(DiskStep(action, start..<disk.count))
        }
        var number = 0
        for _ in 0..<3 {
            let spool = try spool(disk, durability)
            for _ in 0..<8 {
                let record = numbered(number, length: number % 3 == 0 ? 1500 : 30)
                try step(.append(number)) { try spool.append(record) }
                number += 1
            }
            // Those that are appended together are reported together.
            let group = number..<(number + 4)
            let start = disk.count
            let outcomes = spool.append(
                contentsOf: group.map { numbered($0, length: $0 % 3 == 0 ? 1500 : 30) }
            )
            #expect(outcomes.allSatisfy { $0 == nil })
            for number in group { steps.append(DiskStep(.append(number), start..<disk.count)) }
            number += 4
            for _ in 0..<2 {
                let batch = try #require(try spool.nextBatch(maximumRecords: 3))
                let last = try #require(batch.numbers.last)
                try step(.acknowledge(last)) { try spool.acknowledge(batch.position) }
            }
        }
        return steps
    }

    /// The records that there must be, those that there may be and those that there must not, after so many operations.
    private func expected(_ steps: Steps, after count: Int) -> (needed: Set<Int>, allowed: Set<Int>) {
        var needed: Set<Int> = []
        var allowed: Set<Int> = []
        for step in steps {
            let isReported = step.isReported(after: count)
            guard isReported || step.hasBegun(after: count) else { continue }
            switch step.fact {
            case .append(let number):
                allowed.insert(number)
                if isReported { needed.insert(number) }
            case .acknowledge(let last):
                needed = needed.filter { $0 > last }
                if isReported { allowed = allowed.filter { $0 > last } }
            }
        }
        return (needed, allowed)
    }

    /// Records that were acknowledged may come again, and the newest may be gone, unless each is waited for.
    private func appended(_ steps: Steps, after count: Int) -> (needed: Set<Int>, allowed: Set<Int>) {
        let numbers = steps.filter { $0.hasBegun(after: count) }.compactMap { step in
            if case .append(let number) = step.fact { number } else { nil }
        }
        return ([], Set(numbers))
    }

    /// What is wrong with what a spool finds.
    private func problem(_ spool: LogSpool, _ expected: (needed: Set<Int>, allowed: Set<Int>)) throws -> String? {
        var position: LogSpoolPosition?
        var numbers: [Int] = []
        while let batch = try spool.nextBatch(after: position, maximumRecords: 100) {
            for (number, record) in zip(batch.numbers, batch.records) {
                numbers.append(number)
                guard record == numbered(number, length: number % 3 == 0 ? 1500 : 30) else {
                    return "record \(number) is another one"
                }
            }
            position = batch.position
        }
        let found = Set(numbers)
        if numbers != numbers.sorted() || found.count != numbers.count { return "\(numbers) are in disorder" }
        let missing = expected.needed.subtracting(found).sorted()
        if !missing.isEmpty { return "\(missing) are lost" }
        let surplus = found.subtracting(expected.allowed).sorted()
        return surplus.isEmpty ? nil : "\(surplus) come again"
    }

    /// What is wrong with a disk, also when the power fails once more as a spool puts it in order and goes on.
    private func problem(
        _ disk: MemoryDisk,
        _ durability: LogSpoolDurability,
        _ expected: (needed: Set<Int>, allowed: Set<Int>)
    ) throws -> String? {
        do {
            let spool = try spool(disk, durability)
            if let problem = try problem(spool, expected) { return problem }
            try spool.append(numbered(999, length: 1500))
        }
        let count = disk.count
        let again = disk.history.afterPowerLoss(Seed.numbers(UInt64(count)))
        var after = expected
        after.allowed.insert(999)
        if let problem = try problem(try spool(again, durability), after) { return problem + " the second time" }
        let spool = try spool(disk, durability)
        return try spool.drain().last == 999 ? nil : "the spool does not work any more"
    }

    @Test("With durability for a loss of power, what was accepted is there, and what was acknowledged is not")
    func power() async throws {
        let disk = disk()
        let steps = try script(disk, .power)
        let images = Drill.isFull ? 80 : 8
        let problem = try await disk.history.firstProblem(images: images, Seed.numbers()) { left, count in
            try self.problem(left, .power, expected(steps, after: count))
        }
        #expect(problem == nil)
    }

    @Test("Without durability for a loss of power, what is there is whole, each record once and in order")
    func process() async throws {
        let disk = disk()
        let steps = try script(disk, .process)
        #expect(disk.history.waits.isEmpty, "nothing waits for the disk")
        let images = Drill.isFull ? 80 : 8
        let problem = try await disk.history.firstProblem(images: images, Seed.numbers()) { left, count in
            try self.problem(left, .process, appended(steps, after: count))
        }
        #expect(problem == nil)
    }

    /// The places where a spool waits for the disk.
    enum Wait: String, CaseIterable, Sendable {
        case segment, position, directory, directoryAbove

        func contains(_ wait: DiskWait, _ directory: SpoolScratch) -> Bool {
            switch self {
            case .segment: wait.lastName.hasSuffix(".segment")
            case .position: wait.lastName == "position"
            case .directory: wait.lastName == directory.url.lastPathComponent
            case .directoryAbove: wait.isForDirectory && wait.lastName != directory.url.lastPathComponent
            }
        }
    }

    @Test("Were one wait for the disk left out, something that was reported would not hold", arguments: Wait.allCases)
    func needed(wait: Wait) async throws {
        let disk = disk()
        let steps = try script(disk, .power)
        let careless = disk.history.without { wait.contains($0, directory) }
        #expect(careless.waits.count < disk.history.waits.count)
        let problem = try await careless.firstProblem(images: 20, Seed.numbers()) { left, count in
            try self.problem(try spool(left), expected(steps, after: count))
        }
        #expect(problem != nil)
    }

    @Test("A record that was refused, and cut off again, does not come after a loss of power")
    func refused() async throws {
        let disk = disk()
        let files = FaultyFiles(disk)
        let spool = try spool(files)
        for number in 1...2 { try spool.append(numbered(number, length: 30)) }
        // It is written, and the disk has it, but does not confirm that.
        files.fail(at: 1, .late)
        #expect(throws: LogSpoolError.injected) { try spool.append(numbered(4, length: 30)) }
        files.fail(at: nil, .late)
        let refused = disk.count
        var problem = try await disk.history.firstProblem(
            images: 20,
            Seed.numbers(),
            positions: refused..<(refused + 1)
        ) { left, _ in try self.problem(try self.spool(left), ([1, 2], [1, 2])) }
        #expect(problem == nil)
        try spool.append(numbered(5, length: 30))
        let end = disk.count
        problem = try await disk.history.firstProblem(
            images: 20,
            Seed.numbers(),
            positions: end..<(end + 1)
        ) { left, _ in try self.problem(try self.spool(left), ([1, 2, 5], [1, 2, 5])) }
        #expect(problem == nil)
    }
}
#endif
