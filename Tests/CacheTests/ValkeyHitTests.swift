#if AllTests && Valkey
import Foundation
import HTTPChainCache
import HTTPChainCacheValkey
import HTTPChainCore
import HTTPChainValkey
import TestSupport
import Testing
import ValkeyServer

@Suite(
    "How often a hit in Valkey waits for the server",
    .heavy,
    .timeLimit(.minutes(10)),
    .enabled(if: Server.program != nil)
)
struct ValkeyHitTests {
    private static func store(_ server: Server) -> ValkeyCacheStore {
        ValkeyCacheStore(ValkeyClient(server.settings), bounds: .ample)
    }

    @Test("A small response comes with its description, and its use is noted; a larger one is asked for")
    func oneQuestion() async throws {
        let server = try await Server.started()
        let store = Self.store(server)
        for (name, length) in [(1, 0), (2, 1000), (3, 16_384), (4, 16_385), (5, 300_000)] {
            try await store.put(storeKey(name), content(name, length))
            let entry = try #require(try await store.variants(of: storeKey(name)).first)
            #expect((entry.content?.bytes == content(name, length)) == (2...3).contains(name), "\(length) bytes")
            #expect(try await store.body(of: entry, range: nil)?.collect() == content(name, length))
        }
        let entry = try #require(try await store.variants(of: storeKey(2)).first)
        server.freeze()
        #expect(try await store.body(of: entry, range: nil)?.collect() == content(2, 1000))
        #expect(try await store.body(of: entry, range: 3..<7)?.collect() == content(2, 1000)[3..<7])
        server.thaw()
        let client = ValkeyClient(server.settings)
        let used = RESPValue.list([.bytes(Array("\(entry.id.rawValue)".utf8))])
        try await until("the use to be noted") {
            try await client.send(ValkeyCommand(["ZREVRANGE", "cache:used", "0", "0"])) == used
        }
        // Of several variants none is likely to be the one.
        try await store.put(storeKey(2), content(2, 1000), storeMetadata("x"))
        #expect(try await store.variants(of: storeKey(2)).map { $0.content == nil } == [true, true])
    }

    @Test("What came with a description is not handed out once it was removed, replaced or made invalid by another")
    func gone() async throws {
        let server = try await Server.started()
        let (store, other) = (Self.store(server), Self.store(server))
        func found() async throws -> CacheEntry {
            try await store.put(storeKey(1), content(1, 100))
            let entry = try #require(try await store.variants(of: storeKey(1)).first)
            #expect(entry.content != nil)
            return entry
        }
        let removed = try await found()
        try await store.remove(.key(storeKey(1)))
        #expect(try await store.body(of: removed, range: nil) == nil)
        let replaced = try await found()
        try await store.put(storeKey(1), content(2, 100))
        #expect(try await store.body(of: replaced, range: nil) == nil)
        let stale = try await found()
        try await other.remove(.url(storeKey(1).url))
        #expect(try await store.variants(of: storeKey(2)).isEmpty, "which tells of the removal")
        #expect(try await store.body(of: stale, range: nil) == nil)
        // An answer that tells of a removal is newer than that.
        _ = try await found()
        try await other.remove(.url(storeKey(2).url))
        let entry = try #require(try await store.variants(of: storeKey(1)).first)
        server.freeze()
        #expect(try await store.body(of: entry, range: nil)?.collect() == content(1, 100))
        server.thaw()
    }

    @Test("Hits keep up with the server's own benchmark of GET", .serialized, arguments: [1, 16])
    func beside(width: Int) async throws {
        let program = Programs.find("valkey-benchmark") ?? Programs.find("redis-benchmark")
        guard let program else { return Programs.notRun("there is neither valkey-benchmark nor redis-benchmark") }
        let server = try await Server.started()
        let (length, count) = (1000, Drill.isFull ? 20_000 : 800)
        let arguments = ["-p", "\(server.port)", "-n", "\(count)", "-c", "\(width)", "-d", "\(length)", "--csv"]
        let outcome = try await runProgram(program, arguments + ["-t", "set,get"])
        let line = try #require(outcome.text.split(separator: "\n").first { $0.hasPrefix("\"GET\"") })
        let rate = try #require(
            line.split(separator: ",").dropFirst().first.flatMap { Double($0.filter { $0 != "\"" }) }
        )
        let store = Self.store(server)
        let bytes = content(1, length)
        try await store.put(storeKey(1), bytes)
        let clock = ContinuousClock()
        let time = try await clock.measure {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<width {
                    group.addTask {
                        for _ in 0..<(count / width) {
                            let found = try await store.bytes(storeKey(1))
                            #expect(found == bytes)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        let hits = Double(count) / (Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18)
        let figures = "\(width) at once: \(Int(hits)) hits a second, \(Int(rate)) GETs of \(program.lastPathComponent)"
        if Drill.isFull { print("\(figures), \((rate / hits * 100).rounded() / 100) times as many") }
        // Built for debugging, on a machine with other work: no hit has to wait for a timer.
        #expect(hits > rate / 1000, "\(figures)")
    }
}
#endif
