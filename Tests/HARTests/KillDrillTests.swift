#if AllTests
import Foundation
import HTTPChainHAR
import HTTPChainTesting
import TestSupport
import Testing

@Suite("Processes that record to one archive, and are killed", .heavy, .timeLimit(.minutes(10)))
struct KillDrillTests {
    private let scratch: ScratchDirectory
    private let journals: ScratchDirectory
    private let kills = Drill.isFull ? 300 : 15

    init() throws {
        scratch = try ScratchDirectory.created()
        journals = try ScratchDirectory.created()
    }

    /// The numbers of the entries of each name, in the order of the file; each entry is whole.
    private func entries(of archive: HARArchive) throws -> [String: [Int]] {
        var found: [String: [Int]] = [:]
        for entry in archive.entries {
            let url = entry.request.url
            let words = try #require(url.split(separator: "/").last).split(separator: "-")
            let number = try #require(words.last.flatMap { Int($0) })
            let text = url + " " + String(repeating: "x", count: number * 397 % 9000)
            #expect(entry.response.content.text == text, "\(url)")
            found[words.dropLast().joined(separator: "-"), default: []].append(number)
        }
        return found
    }

    @Test("All exchanges of processes that record at the same time are in the file, each once and in its order")
    func together() async throws {
        let helper = try #require(Self.helper, "HARKillDrill was not built")
        let file = scratch.file("a.har")
        try await withThrowingTaskGroup(of: ProgramOutcome.self) { group in
            for name in ["a", "b", "c"] {
                let arguments = [file.path, name, journals.file(name).path, "40"]
                group.addTask { try await runProgram(helper, arguments) }
            }
            for try await outcome in group { #expect(outcome.status == 0, "\(outcome.errorText)") }
        }
        let found = try entries(of: HARArchive(Data(contentsOf: file)))
        #expect(found == ["a": Array(0..<40), "b": Array(0..<40), "c": Array(0..<40)])
    }

    @Test(
        "Of two that are killed, each exchange that was reported is in the file, and what follows is appended",
        .seeded
    )
    func kills() async throws {
        let helper = try #require(Self.helper, "HARKillDrill was not built")
        let random = Seed.numbers()
        var file = scratch.file("0.har")
        var expected: [String: Int] = [:]
        var (total, killed) = (0, 0)
        for round in 0..<kills {
            // A file that grows takes longer to read each time.
            if round.isMultiple(of: 20) {
                file = scratch.file("\(round).har")
                expected = [:]
            }
            try await withThrowingTaskGroup(of: Process.TerminationReason.self) { group in
                for half in ["a", "b"] {
                    let count = 1 + random.index(below: 12)
                    let delay = UInt32(random.index(below: 20_000))
                    let arguments = [file.path, "\(half)-\(round)", journals.file(half).path]
                    group.addTask {
                        try await offThePool { try runAndKill(helper, arguments, after: count, delay) }
                    }
                }
                for try await ending in group { #expect(ending == .uncaughtSignal, "it ended by itself") }
            }
            for half in ["a", "b"] {
                // The last line may be cut off.
                let lines = String(decoding: try journals.content(of: half), as: UTF8.self)
                expected["\(half)-\(round)"] = lines.count { $0 == "\n" }
                total += lines.count { $0 == "\n" }
            }
            let archive = try HARArchive(Data(contentsOf: file), salvaging: true)
            let found = try entries(of: archive)
            for (name, numbers) in found {
                let reported = try #require(expected[name])
                #expect(numbers == Array(0..<numbers.count), "round \(round), \(name): each once, in order")
                // The last may have been written and not reported.
                #expect(reported...reported + 1 ~= numbers.count, "round \(round), \(name)")
                // From now on it stays.
                expected[name] = numbers.count
            }
            #expect(expected.allSatisfy { $0.value == 0 || found[$0.key] != nil }, "round \(round)")
            killed += 1
        }
        #expect(total > kills * 6, "there was something to look at")
        Drill.report("archive-kills", killed)
        // Whatever the last kill has left is mended.
        let last = try await runProgram(helper, [file.path, "last", journals.file("last").path, "1"])
        #expect(last.status == 0, "\(last.errorText)")
        #expect(try entries(of: HARArchive(Data(contentsOf: file)))["last"] == [0])
    }

    /// The drill stands beside the tests.
    private static var helper: URL? { Programs.beside("HARKillDrill") }
}
#endif
