#if AllTests
import Foundation
import HTTPChainCookies
import HTTPChainCore
import HTTPChainTesting
import TestSupport
import Testing

@Suite("A process that is killed while it changes a jar", .heavy, .timeLimit(.minutes(10)))
struct KillDrillTests {
    private let scratch: ScratchDirectory
    private let journals: ScratchDirectory
    private let kills = Drill.isFull ? 300 : 15

    init() throws {
        scratch = try ScratchDirectory.created()
        journals = try ScratchDirectory.created()
    }

    /// What each cookie may be afterwards: its generation, or nil for one that is not there.
    private struct Book {
        var candidates: [Int: Set<Int?>] = [:]
        var stored = 0
        var removed = 0

        mutating func read(_ journal: String) throws {
            // The last line may be cut off.
            for line in journal.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
                let words = line.split(separator: " ")
                let number = try #require(words.dropFirst().first.flatMap { Int($0) })
                let generation = words.count > 2 ? Int(words[2]) : nil
                switch words[0] {
                case "storing", "removing": candidates[number, default: [nil]].insert(generation)
                case "stored":
                    candidates[number] = [generation]
                    stored += 1
                case "removed":
                    candidates[number] = [nil]
                    removed += 1
                default: Issue.record("\(line)")
                }
            }
        }
    }

    @Test("Of two that share a file, each change that was reported is there whole, and nothing else", .seeded)
    func kills() async throws {
        let helper = try #require(Self.helper, "CookieKillDrill was not built")
        let file = scratch.file("cookies")
        let random = Seed.numbers()
        var book = Book()
        var killed = 0
        for round in 0..<kills {
            try await withThrowingTaskGroup(of: Process.TerminationReason.self) { group in
                for parity in 0...1 {
                    let changes = 1 + random.index(below: 12)
                    let delay = UInt32(random.index(below: 20_000))
                    let arguments = [
                        file.path, "\(random.next() >> 1)", journals.file("\(parity)").path, "\(parity)",
                    ]
                    group.addTask {
                        try await offThePool { try runAndKill(helper, arguments, after: changes, delay) }
                    }
                }
                for try await ending in group { #expect(ending == .uncaughtSignal, "it ended by itself") }
            }
            for parity in 0...1 { try book.read(String(decoding: journals.content(of: "\(parity)"), as: UTF8.self)) }
            try await inspect(file, &book, round)
            killed += 1
        }
        #expect(book.stored > kills * 3 && book.removed > kills / 3, "there was something to look at")
        Drill.report("cookie-kills", killed)
    }

    private func inspect(_ file: URL, _ book: inout Book, _ round: Int) async throws {
        let jar = try await CookieJar(file: file)
        var found: [Int: Int] = [:]
        for cookie in await jar.cookies() where cookie.name != "seen" {
            let number = try #require(Int(cookie.name.dropFirst()))
            let value = cookie.value.revealed
            let generation = try #require(Int(value.prefix { $0 != "." }))
            #expect(value == "\(generation)." + String(repeating: "x", count: generation % 900), "round \(round)")
            #expect(cookie.isSecure && cookie.isHostOnly && cookie.domain == "www.example.com")
            found[number] = generation
        }
        for (number, candidates) in book.candidates {
            #expect(candidates.contains(found[number]), "round \(round): cookie \(number)")
            // What it is now is what it was after the kill: the next process finds it so.
            book.candidates[number] = [found[number]]
        }
        #expect(found.keys.allSatisfy { book.candidates[$0] != nil }, "round \(round)")
        // The next change takes away what a process that was killed has left.
        try await jar.store(["seen=\(round); Max-Age=86400"], from: "https://www.example.com/")
        #expect(scratch.names == ["cookies", "cookies.lock"], "round \(round)")
        for name in scratch.names {
            let attributes = try FileManager.default.attributesOfItem(atPath: scratch.file(name).path)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
        }
    }

    @Test("A drill ends with the process that started it")
    func orphan() async throws {
        let helper = try #require(Self.helper, "CookieKillDrill was not built")
        let arguments = [scratch.file("cookies").path, "1", journals.file("0").path, "0"]
        try await offThePool {
            let shell = Process()
            shell.executableURL = URL(fileURLWithPath: "/bin/sh")
            shell.arguments = ["-c", "\"$0\" \"$@\" & wait", helper.path] + arguments
            let output = Pipe()
            shell.standardOutput = output
            try shell.run()
            #expect(output.fileHandleForReading.readData(ofLength: 6) == Data("ready\n".utf8))
            kill(shell.processIdentifier, SIGKILL)
            shell.waitUntilExit()
            // The end of the pipe is the end of the last process that could write into it.
            #expect(output.fileHandleForReading.readDataToEndOfFile().allSatisfy { $0 == UInt8(ascii: ".") })
        }
    }

    /// The drill stands beside the tests.
    private static var helper: URL? { Programs.beside("CookieKillDrill") }
}
#endif
