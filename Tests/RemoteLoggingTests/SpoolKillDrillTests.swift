#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainLogSpool
import HTTPChainRemoteLogging
import HTTPChainTesting
import TestSupport
import Testing

/// What a process that was killed has said, a line for each step.
private struct SpoolSteps {
    /// The records that were accepted.
    var accepted: [Int] = []
    /// The records that were acknowledged.
    var acknowledged: [ClosedRange<Int>] = []
    /// The records whose acknowledgement may have been written down: the last that was begun.
    var doubtful: ClosedRange<Int>?

    /// Takes in what a process said; the last line may be cut off.
    mutating func take(_ output: Data) throws {
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        for line in lines.dropLast() {
            let words = line.split(separator: " ")
            switch words.first {
            case "a": accepted.append(try #require(Int(words[1])))
            case "d": doubtful = try #require(Int(words[1]))...(try #require(Int(words[2])))
            case "k":
                acknowledged.append(try #require(doubtful))
                doubtful = nil
            default: #expect(line == "ready")
            }
        }
    }
}

@Suite("A process that is killed while it spools", .heavy, .timeLimit(.minutes(10)))
struct SpoolKillDrillTests {
    private let directory = SpoolScratch()
    private let kills = Drill.isFull ? 300 : 20

    @Test("Every record that was accepted is acknowledged or there, in order, and nothing acknowledged comes again")
    func kills() async throws {
        let helper = try #require(Programs.beside("LogSpoolKillDrill"), "LogSpoolKillDrill was not built")
        let random = SeededRandom(seed: 7)
        var next = 0
        var steps = SpoolSteps()
        var sent = -1
        var (checked, killed) = (0, 0)
        for round in 0..<kills {
            let delay = UInt32(random.index(below: 40_000))
            steps.accepted = []
            steps.acknowledged = []
            let helper = SpoolHelper(helper, [directory.path, "\(next)", "\(round)"])
            try steps.take(try await helper.run(andKillAfter: delay))
            for range in steps.acknowledged {
                #expect(range.lowerBound == sent + 1, "round \(round): each comes once, and in order")
                sent = range.upperBound
            }
            // Whether the kernel had it when the process ended nobody knows.
            let doubtful = steps.doubtful.map { Array($0) } ?? []
            steps.doubtful = nil

            let copy = try directory.copy()
            let spool = try copy.spool(limit: .kibibytes(256), segmentSize: .kibibytes(8))
            let left = try spool.peek()
            #expect(try spool.report.damagedParts == 0 && spool.countPendingRecords() == left.count)
            if let first = left.first {
                #expect(first == sent + 1 || doubtful.last.map { first == $0 + 1 } ?? false, "round \(round)")
                #expect(left == Array(first..<(first + left.count)), "round \(round): none is missing")
                sent = first - 1
            } else if let last = doubtful.last {
                sent = last
            }
            let last = left.last ?? sent
            // One may be there that the process had no time to tell of.
            let told = steps.accepted.last ?? last
            #expect(told == last || told == last - 1, "round \(round): the last that was accepted is there")
            next = last + 1
            checked += left.count
            killed += 1
        }
        Drill.report("spool-kills", killed)
        let least = Drill.isFull ? (accepted: 20, checked: 5) : (accepted: 5, checked: 1)
        #expect(
            next > kills * least.accepted && checked > kills * least.checked,
            "there was something to look at"
        )
        let spool = try directory.spool(limit: .kibibytes(256), segmentSize: .kibibytes(8))
        #expect(try spool.drain() == Array((sent + 1)..<next))
        #expect(directory.names.count <= 3)
    }
}

/// A program that stands beside the tests, and is killed.
struct SpoolHelper: Sendable {
    let url: URL
    let arguments: [String]

    init(_ url: URL, _ arguments: [String]) {
        self.url = url
        self.arguments = arguments
    }

    /// Runs the program until it says that it is ready, and kills it some microseconds later.
    ///
    /// - Returns: All that it has written.
    func run(andKillAfter delay: UInt32) async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            // What blocks its thread does it where no other test waits for one.
            Thread.detachNewThread { continuation.resume(with: Result { try runBlocking(delay) }) }
        }
    }

    private func runBlocking(_ delay: UInt32) throws -> Data {
        let process = Process()
        process.executableURL = url
        process.arguments = arguments
        let output = FileManager.default.temporaryDirectory.appendingPathComponent("httpchain-\(UUID().uuidString)")
        // Not a pipe, which would have the program wait for its reader.
        _ = FileManager.default.createFile(atPath: output.path, contents: nil)
        defer { try? FileManager.default.removeItem(at: output) }
        let writer = try FileHandle(forWritingTo: output)
        process.standardOutput = writer
        try process.run()
        var waited = 0
        while try Data(contentsOf: output).isEmpty, process.isRunning, waited < 300_000 {
            usleep(1000)
            waited += 1
        }
        usleep(delay)
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try writer.close()
        #expect(process.terminationReason == .uncaughtSignal, "it ended by itself: \(process.terminationStatus)")
        return try Data(contentsOf: output)
    }
}
#endif
