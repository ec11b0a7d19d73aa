#if AllTests
import Foundation
import TestSupport
import Testing

/// Replies of a grammar, whose bytes are changed at random, through chains of all stages that read replies.
@Suite("No reply ends the process, or holds a call", .heavy, .timeLimit(.minutes(30)))
struct ReplyTests {
    /// How many replies there are in all: 1,500, or `HTTPCHAIN_REPLIES` in the environment.
    static let count = ProcessInfo.processInfo.environment["HTTPCHAIN_REPLIES"].flatMap { Int($0) } ?? 1500

    #if AsyncHTTPClient
    static let transports = ["memory", "asynchttpclient", "urlsession"]
    #else
    static let transports = ["memory", "urlsession"]
    #endif

    @Test("Replies of a grammar end their calls and not the process", .seeded, arguments: transports)
    func replies(transport: String) async throws {
        let count = Self.count / Self.transports.count
        var run = try ReplyRun(transport: transport, seed: Seed.current)
        try await run.send(count)
        #expect(run.faults.isEmpty, "\(run.faults.joined(separator: "\n"))")
        #expect(run.ended.count + run.leftOut.count + run.documentedEnds.count == count)
        Drill.report("replies-\(transport)", run.ended.count)
        #expect(run.silentTraps <= 1 + count / 2000)
        if transport == "urlsession" {
            Drill.report("replies-foundation-silent", run.silentTraps)
            Drill.report("replies-foundation-left-out", run.leftOut.count)
            Drill.report("replies-foundation-ended", run.documentedEnds.count)
        }
    }

    /// Stages that no chain of the drill can have, with the reason.
    private static var leftOut: [String: String] {
        var reasons = [
            "ClosureMiddleware": "the closure reads the reply",
            "SignpostMiddleware": "it is for Apple platforms",
        ]
        #if !Tracing
        reasons["TracingMiddleware"] = "its trait is disabled"
        #endif
        return reasons
    }

    @Test("Each stage of the package is in a chain of the drill")
    func stages() async throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        var declared: Set<String> = []
        for folder in ["Middleware", "Sources"] {
            let place = root.appending(path: folder)
            for name in try FileManager.default.subpathsOfDirectory(atPath: place.path) where name.hasSuffix(".swift") {
                let source = try String(contentsOf: place.appending(path: name), encoding: .utf8)
                let declarations = source.matches(
                    of: /(?m)^(?:public|package) (?:final )?(?:struct|class|actor) (\w+Middleware)\b/
                )
                declared.formUnion(declarations.map { String($0.1) })
            }
        }
        #expect(declared.count >= 39)
        let outcome = try await runProgram(try #require(Programs.beside("ReplyDrill")), ["stages"])
        #expect(outcome.status == 0)
        let used = Set(outcome.text.split(separator: "\n").map(String.init))
        #expect(declared.subtracting(used).subtracting(Self.leftOut.keys).sorted() == [])
        #expect(Set(Self.leftOut.keys).subtracting(declared).union(used.intersection(Self.leftOut.keys)).isEmpty)
    }

    @Test(
        "A stage that ends the process at a status, and one that holds the call, are found",
        arguments: ["trap", "hang"]
    )
    func plantedFault(fault: String) async throws {
        var run = try ReplyRun(transport: "memory", seed: 1, limit: fault == "hang" ? 5 : 60, fault: fault)
        try await run.send(1500)
        #expect(run.faults.first?.contains(fault == "hang" ? "hang" : "the planted fault") == true, "\(run.faults)")
    }
}

/// Runs the drill beside the tests again and again until all replies are read.
private struct ReplyRun {
    private let program: URL
    private let transport: String
    private let seed: UInt64
    /// How long a call may take, in seconds.
    private let limit: Int
    private let fault: String?

    private(set) var ended: Set<Int> = []
    private(set) var leftOut: Set<Int> = []
    /// The replies at which Foundation ended the process, as the documentation of `URLSessionTransport` says.
    private(set) var documentedEnds: Set<Int> = []
    /// How often Foundation ended the process without a word, while several connections failed at once.
    ///
    /// None of their replies does that alone, and the traps of this package have words.
    private(set) var silentTraps = 0
    /// What ended the process, or held a call, and must not.
    private(set) var faults: [String] = []

    init(transport: String, seed: UInt64, limit: Int = 120, fault: String? = nil) throws {
        program = try #require(Programs.beside("ReplyDrill"))
        self.transport = transport
        self.seed = seed
        self.limit = limit
        self.fault = fault
    }

    mutating func send(_ count: Int) async throws {
        var next = 0
        while next < count, faults.count < 3 {
            let outcome = try await run("\(next)-\(count - 1)", atOnce: 8)
            if outcome.isDone { return }
            // One of those that had begun ended the process: each is tried alone.
            let last = max(next, outcome.begun.union(outcome.leftOut).max() ?? next)
            var suspects = (next...last).filter { !ended.contains($0) && !leftOut.contains($0) }
            var foundOne = false
            while !suspects.isEmpty, faults.count < 3 {
                let alone = try await run(suspects.map(String.init).joined(separator: ","), atOnce: 1)
                guard !alone.isDone, let culprit = alone.begun.subtracting(ended).first else { break }
                foundOne = true
                judge(culprit, alone)
                suspects.removeAll { $0 == culprit || ended.contains($0) || leftOut.contains($0) }
            }
            if !foundOne {
                if transport == "urlsession", outcome.isSilentTrap { silentTraps += 1 } else { judge(last, outcome) }
            }
            next = last + 1
        }
    }

    private mutating func judge(_ number: Int, _ outcome: Outcome) {
        // Of the three causes that are documented, two have these words, and a length close to 2^63 has none.
        let hasWords =
            outcome.lastWords.contains("NativeProtocol.swift")
            && outcome.lastWords.contains("Transfer completed, but there's no response.")
        let isTrap =
            outcome.trapping.contains(number)
            && !["hang", "Fatal error"].contains { outcome.lastWords.contains($0) }
        if transport == "urlsession", hasWords || isTrap {
            documentedEnds.insert(number)
        } else {
            faults.append("reply \(number) of seed \(seed) over \(transport): \(outcome.lastWords)")
        }
    }

    private struct Outcome {
        let isDone: Bool
        let begun: Set<Int>
        let leftOut: Set<Int>
        /// The replies whose length may end the process in Foundation.
        let trapping: Set<Int>
        let lastWords: String
        /// Whether an illegal instruction ended the process, and nothing says why.
        var isSilentTrap: Bool { lastWords == "status \(SIGILL); " }
    }

    /// What the runtime says before the trace that some machines print behind it.
    private static func lastWords(_ text: String) -> String {
        let fatal = text.split(separator: "\n").last { $0.contains("Fatal error") }
        return fatal.map { String($0.prefix(1000)) } ?? String(text.suffix(1000))
    }

    private mutating func run(_ numbers: String, atOnce width: Int) async throws -> Outcome {
        var environment = ProcessInfo.processInfo.environment
        // The last words suffice, and a trace of all threads takes seconds.
        environment["SWIFT_BACKTRACE"] = "enable=no"
        let outcome = try await runProgram(
            program,
            [transport, "\(seed)", numbers, "\(width)", "\(limit)"] + (fault.map { [$0] } ?? []),
            environment: environment
        )
        var begun: Set<Int> = []
        var leftOut: Set<Int> = []
        var trapping: Set<Int> = []
        let lines = outcome.text.split(separator: "\n")
        for line in lines {
            guard let number = Int(line.dropFirst()) else { continue }
            switch line.first {
            case "+": begun.insert(number)
            case "-": ended.insert(number)
            case "!": trapping.insert(number)
            default: leftOut.insert(number)
            }
        }
        self.leftOut.formUnion(leftOut)
        let hang = lines.last.map { $0.hasPrefix("hang") ? "\($0); " : "" } ?? ""
        return Outcome(
            isDone: outcome.status == 0 && lines.last == "done",
            begun: begun,
            leftOut: leftOut,
            trapping: trapping,
            lastWords: "\(hang)status \(outcome.status); \(Self.lastWords(outcome.errorText))"
        )
    }
}
#endif
