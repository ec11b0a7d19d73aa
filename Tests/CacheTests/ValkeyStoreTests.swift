#if AllTests && Valkey
import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPChainValkey
import HTTPTypes
import TestSupport
import Testing
import ValkeyServer

@testable import HTTPChainCache
@testable import HTTPChainCacheValkey

@Suite("One cache in Valkey for several machines", .heavy, .timeLimit(.minutes(10)))
struct ValkeyStoreTests {
    /// A server; `nil` if there is none, which is reported, and a failure where all programs are required.
    private func started(_ options: [String] = []) async throws -> Server? {
        guard Server.program != nil else {
            Programs.notRun("there is neither valkey-server nor redis-server")
            return nil
        }
        return try await Server.started(options)
    }

    /// A machine: a store with a connection and a clock of its own, and a chain over it.
    private final class Machine: Sendable {
        let store: ValkeyCacheStore
        let transport = InMemoryTransport()
        let clock: VirtualClock
        let chain: Chain
        let events = Events<CacheEvent>()

        init(
            _ server: Server,
            at date: Date = start,
            bounds: CacheBounds = .ample,
            commandTimeout: Duration? = nil,
            _ options: ValkeyCacheOptions = ValkeyCacheOptions()
        ) throws {
            clock = VirtualClock(start: date)
            var settings = server.settings
            if let commandTimeout { settings.commandTimeout = commandTimeout }
            store = ValkeyCacheStore(ValkeyClient(settings), bounds: bounds, options: options, time: clock)
            let cache = CacheMiddleware(store: store, partition: .shared) { [events] in events.add($0) }
            chain = try Chain([cache], transport: transport, environment: .virtual(clock))
        }

        func script(_ body: HTTPBody, _ lines: [String] = ["Cache-Control: max-age=60"]) {
            transport.enqueue(.status(.ok, headers: fields(lines), body: body))
        }

        func ask(_ url: String = target) async throws -> Data { try await response(url).body.collect() }

        func response(_ url: String = target) async throws -> Response { try await chain.send(.get(url)) }

        var failures: Int {
            events.all.count { if case .storeFailure = $0 { true } else { false } }
        }

        /// Waits until the store finds the server again.
        func recover() async throws {
            try await until("the server to be found") {
                clock.advance(by: .seconds(60))
                return (try? await store.variants(of: storeKey("recovery"))) != nil
            }
        }
    }

    /// All keys of a server and for how long they live, in milliseconds.
    private func keys(_ server: Server) async throws -> [String: Int64] {
        let client = ValkeyClient(server.settings)
        var result: [String: Int64] = [:]
        guard case .list(let names) = try await client.send(ValkeyCommand(["KEYS", "*"])) else { return [:] }
        for name in names.compactMap(\.data) {
            guard case .number(let left) = try await client.send(ValkeyCommand([Array("PTTL".utf8), name])) else {
                continue
            }
            result[String(decoding: name, as: UTF8.self)] = left
        }
        return result
    }

    @Test("What one machine stores answers the calls of another, and what one makes invalid is found by none")
    func shared() async throws {
        guard let server = try await started() else { return }
        let (one, two) = (try Machine(server), try Machine(server))
        let (small, large) = (content(1, 1000), content(2, 1_000_000))
        for (url, bytes) in [(target, small), (target + "/large", large)] {
            one.script(.chunks([bytes.prefix(700), bytes.dropFirst(700)]))
            #expect(try await one.ask(url) == bytes)
            let response = try await two.response(url)
            #expect(response.cacheStatus?.isHit == true)
            #expect(try await response.body.collect() == bytes)
        }
        #expect(two.transport.requestCount == 0)
        #expect(try await two.store.usage().entries == 2)
        two.transport.enqueue(.status(.noContent))
        _ = try await two.chain.send(.delete(target))
        one.script("new")
        #expect(try await one.ask() == Data("new".utf8))
        #expect(try await two.ask(target + "/large") == large)
        #expect(one.failures == 0 && two.failures == 0)
    }

    @Test("§4.4: a response in flight that another machine invalidates is not stored")
    func inFlight() async throws {
        guard let server = try await started() else { return }
        let (one, two) = (try Machine(server), try Machine(server))
        for length in [10, 400_000] {
            one.script(.chunks([content(1, length)]))
            let slow = try await one.response()
            two.transport.enqueue(.status(.noContent))
            _ = try await two.chain.send(.delete(target))
            #expect(try await slow.body.collect() == content(1, length))
            #expect(try await two.store.variants(of: CacheKey(url: target)).isEmpty)
        }
        one.script("other")
        let other = try await one.response(target + "/other")
        two.transport.enqueue(.status(.noContent))
        _ = try await two.chain.send(.delete(target))
        #expect(try await other.body.text() == "other")
        #expect(try await two.store.usage().entries == 1, "what was made invalid was something else")
        // More than the server remembers one by one.
        one.script("late")
        let late = try await one.response(target + "/late")
        for name in 0..<300 { try await two.store.remove(.url("https://example.com/\(name)")) }
        #expect(try await late.body.text() == "late")
        #expect(try await two.store.usage().entries == 1)
    }

    @Test("A server that is killed in the middle of a body fails no call, and is found again empty")
    func killed() async throws {
        guard let server = try await started() else { return }
        let machine = try Machine(server)
        let bytes = content(3, 1_000_000)
        let halves = [bytes.prefix(500_000), bytes.dropFirst(500_000)]
        machine.script(.chunks(halves))
        var chunks = try await machine.response().body.makeAsyncIterator()
        var read = try await chunks.next() ?? Data()
        try await offThePool { server.kill() }
        while let chunk = try await chunks.next() { read += chunk }
        #expect(read == bytes)
        #expect(machine.failures > 0)
        machine.script("meanwhile")
        #expect(try await machine.ask(target + "/b") == Data("meanwhile".utf8))
        try await server.start()
        try await machine.recover()
        for _ in 0..<2 { machine.script(.chunks(halves)) }
        _ = try await machine.ask()
        #expect(try await machine.ask() == bytes)
        #expect(machine.transport.requestCount == 3, "the third was answered from the store")
    }

    @Test("A stored body whose server is killed while it is read ends with a fault, and the next call with an answer")
    func killedUnderReader() async throws {
        guard let server = try await started() else { return }
        let machine = try Machine(server)
        let bytes = content(4, 2_000_000)
        machine.script(.chunks([bytes]))
        _ = try await machine.ask()
        let response = try await machine.response()
        #expect(response.cacheStatus?.isHit == true)
        var chunks = response.body.makeAsyncIterator()
        var read = try await chunks.next() ?? Data()
        try await offThePool { server.kill() }
        await #expect(throws: CacheStoreFault.self) {
            while let chunk = try await chunks.next() { read += chunk }
        }
        #expect(!read.isEmpty && read == bytes.prefix(read.count))
        machine.script("again")
        #expect(try await machine.ask() == Data("again".utf8))
    }

    @Test("With a limit of one failure the first one has the server left alone")
    func failuresBeforePause() async throws {
        guard let server = try await started() else { return }
        var options = ValkeyCacheOptions()
        options.failuresBeforePause = 1
        options.blocksInFlight = 1
        let machine = try Machine(server, options)
        let bytes = content(1, 600_000)
        try await machine.store.put(storeKey(1), bytes)
        #expect(try await machine.store.bytes(storeKey(1)) == bytes, "one block after the other")
        try await offThePool { server.kill() }
        for isPaused in [false, true] {
            let fault = await #expect(throws: CacheStoreFault.self) {
                try await machine.store.variants(of: storeKey(1))
            }
            #expect(fault.map { "\($0)".contains("is not contacted") } == isPaused)
        }
    }

    @Test("A server that hangs is left alone after some failures, and asked again after a pause that grows")
    func slow() async throws {
        guard let server = try await started() else { return }
        let machine = try Machine(server, commandTimeout: .milliseconds(300))
        // A busy machine may be too slow for that, too.
        try await until("the first entry") {
            machine.clock.advance(by: .seconds(60))
            machine.script("stored", ["Cache-Control: max-age=100000000"])
            _ = try await machine.ask()
            return (try? await machine.store.usage().entries) == 1
        }
        server.freeze()
        for _ in 0..<3 {
            machine.script("live")
            #expect(try await machine.ask(target + "/live") == Data("live".utf8))
        }
        // Now it is not asked at all.
        let fault = await #expect(throws: CacheStoreFault.self) { try await machine.store.variants(of: storeKey(1)) }
        #expect(
            fault.map { "\($0)".contains("is not contacted") && "\($0)".contains("127.0.0.1:\(server.port)") } == true
        )
        machine.clock.advance(by: .seconds(2))
        let probe = await #expect(throws: CacheStoreFault.self) { try await machine.store.variants(of: storeKey(1)) }
        #expect(probe.map { !"\($0)".contains("is not contacted") } == true)
        machine.clock.advance(by: .seconds(1))
        let longer = await #expect(throws: CacheStoreFault.self) { try await machine.store.variants(of: storeKey(1)) }
        #expect(longer.map { "\($0)".contains("is not contacted") } == true)
        server.thaw()
        try await machine.recover()
        try await until("an answer from the store") {
            machine.script("live")
            machine.clock.advance(by: .seconds(60))
            return try await machine.response().cacheStatus?.isHit == true
        }
    }

    @Test("What could not be made invalid is not found when the server is there again")
    func missedRemoval() async throws {
        guard let server = try await started() else { return }
        let machine = try Machine(server, commandTimeout: .milliseconds(300))
        try await until("the first entry") {
            machine.clock.advance(by: .seconds(60))
            _ = try? await machine.store.put(storeKey(1), content(1, 10))
            return (try? await machine.store.usage().entries) == 1
        }
        server.freeze()
        await #expect(throws: CacheStoreFault.self) { try await machine.store.remove(.url(storeKey(1).url)) }
        for name in 0..<100 { _ = try? await machine.store.remove(.key(storeKey("\(name)x"))) }
        server.thaw()
        try await until("the server to be found") {
            machine.clock.advance(by: .seconds(60))
            guard let found = try? await machine.store.variants(of: storeKey(1)) else { return false }
            #expect(found.isEmpty)
            return true
        }
        // Another machine does not find it either now.
        #expect(try await Machine(server).store.variants(of: storeKey(1)).isEmpty)
    }

    @Test("Where the memory of the server is full nothing is stored, what is stored is served, and room is made")
    func outOfMemory() async throws {
        guard let server = try await started(["--maxmemory", "4mb", "--maxmemory-policy", "noeviction"]) else { return }
        let machine = try Machine(server)
        var stored: [Int] = []
        for name in 0..<100 where machine.failures == 0 {
            machine.script(.chunks([content(name, 150_000)]))
            #expect(try await machine.ask("https://example.com/\(name)") == content(name, 150_000))
            if machine.failures == 0 { stored.append(name) }
        }
        #expect(machine.failures > 0 && stored.count > 2)
        let before = machine.transport.requestCount
        for name in stored {
            #expect(try await machine.ask("https://example.com/\(name)") == content(name, 150_000))
        }
        #expect(machine.transport.requestCount == before, "a full memory is no reason to answer nothing")
        // What is to be removed goes, also now; another machine's responses that are in flight are not stored after it.
        let other = try Machine(server)
        other.script("in flight")
        let late = try await other.response()
        let count = try await machine.store.remove(.origin(try #require(Origin("https://example.com"))))
        #expect(count == stored.count)
        #expect(try await late.body.text() == "in flight")
        #expect(try await machine.store.usage() == CacheUsage())
        // The server gives memory back in the background.
        try await until("an entry to be stored again") {
            machine.script(.chunks([content(1, 150_000)]))
            let response = try await machine.response()
            #expect(try await response.body.collect() == content(1, 150_000))
            return response.cacheStatus?.isHit == true
        }
    }

    @Test("A server that was started again empty is empty, and what was in flight before is not stored")
    func restarted() async throws {
        guard let server = try await started() else { return }
        let machine = try Machine(server)
        machine.script("one")
        _ = try await machine.ask()
        machine.script("two")
        let late = try await machine.response(target + "/late")
        try await offThePool { server.kill() }
        try await server.start()
        try await machine.recover()
        #expect(try await late.body.text() == "two")
        #expect(try await machine.store.usage() == CacheUsage())
        machine.script("three")
        #expect(try await machine.ask() == Data("three".utf8))
        #expect(try await machine.ask() == Data("three".utf8))
        #expect(machine.transport.requestCount == 3)
    }

    @Test("Ages are right between machines whose clocks are years apart", arguments: [-10.0, 10.0])
    func clocks(years: Double) async throws {
        guard let server = try await started() else { return }
        let one = try Machine(server)
        let two = try Machine(server, at: start.addingTimeInterval(years * 31_557_600))
        one.script("content", ["Cache-Control: max-age=3600", "Date: \(date(0))"])
        _ = try await one.ask()
        let entry = try #require(try await two.store.variants(of: CacheKey(url: target)).first)
        let age = two.clock.date.timeIntervalSince(entry.response.metadata.responseTime)
        // As much as passed between the two by the clock of the server.
        #expect(age > -5 && age < 600)
        let own = try #require(try await one.store.variants(of: CacheKey(url: target)).first)
        #expect(abs(own.response.metadata.responseTime.timeIntervalSince(start)) < 600)
        guard years < 0 else { return }
        // The server's Date is in the future of this machine, which makes a response no older.
        #expect(try await two.response().cacheStatus?.isHit == true)
    }

    @Test("An entry ends by the server's clock, when it has been stale for long enough; so do all keys")
    func lifetimes() async throws {
        guard let server = try await started() else { return }
        var options = ValkeyCacheOptions()
        options.staleRetention = .seconds(100)
        options.longestRetention = .seconds(7200)
        let machine = try Machine(server, options)
        let rows: [(lines: [String], seconds: Int64)] = [
            (["Cache-Control: max-age=60"], 160), (["Cache-Control: max-age=60, stale-while-revalidate=500"], 560),
            (["Cache-Control: max-age=10, s-maxage=50, stale-if-error=300"], 350),
            (["Cache-Control: no-cache", "ETag: \"a\""], 100),
            (["Cache-Control: max-age=60", "Age: 20"], 140), (["Cache-Control: max-age=99999999"], 7200),
        ]
        for (index, row) in rows.enumerated() {
            machine.script(.chunks([content(index, 300_000)]), row.lines)
            _ = try await machine.ask("https://example.com/\(index)")
            let entry = try #require(try await machine.store.variants(of: storeKey(index)).first)
            let keys = try await keys(server)
            for block in 0..<3 {
                let left = try #require(keys["cache:b:\(entry.id.rawValue):\(block)"])
                #expect(left <= row.seconds * 1000 && left > row.seconds * 1000 - 60_000, "\(row.lines)")
            }
        }
        let left = try await keys(server)
        #expect(left.values.allSatisfy { $0 > 0 }, "no key stays for ever: \(left)")
        #expect(left.count > 30)
    }

    @Test("An entry that the server has evicted in part is not found")
    func evicted() async throws {
        guard let server = try await started() else { return }
        let machine = try Machine(server)
        let client = ValkeyClient(server.settings)
        let key = CacheKey(url: "https://example.com/1", partition: "ann", identifier: "user/1")
        let names = [
            "u:https://example.com/1", "i:user/1", "c:+x", "o:https://example.com", "p:ann", "used", "expiry", "names",
        ]
        for name in names {
            let metadata = storeMetadata(classification: "x")
            let entry = try #require(try await machine.store.put(key, content(1, 10), metadata).entry)
            #expect(try await machine.store.bytes(key) == content(1, 10))
            #expect(try await client.send(ValkeyCommand(["DEL", "cache:" + name])) == .number(1), "\(name)")
            #expect(try await machine.store.variants(of: key).isEmpty, "\(name)")
            #expect(try await machine.store.body(of: entry, range: nil) == nil)
        }
        for length in [10, 500_000] {
            let entry = try #require(try await machine.store.put(key, content(1, length)).entry)
            #expect(try await client.send(ValkeyCommand(["DEL", "cache:b:\(entry.id.rawValue):0"])) == .number(1))
            await #expect(throws: CacheStoreFault.self) { try await machine.store.body(of: entry, range: nil) }
            #expect(try await machine.store.variants(of: key).isEmpty)
        }
        // The sum of all sizes is made anew where it is lost.
        try await machine.store.put(key, content(1, 1000))
        let usage = try await machine.store.usage()
        _ = try await client.send(ValkeyCommand(["DEL", "cache:bytes"]))
        #expect(try await machine.store.usage() == usage)
        try await machine.store.put(key, content(2, 1000))
        #expect(try await machine.store.usage() == usage)
    }

    @Test("Damage is found before any byte of it is handed out")
    func damaged() async throws {
        guard let server = try await started() else { return }
        let machine = try Machine(server)
        let client = ValkeyClient(server.settings)
        for length in [100, 700_000] {
            let entry = try #require(try await machine.store.put(storeKey(1), content(1, length)).entry)
            _ = try await client.send(ValkeyCommand(["SETRANGE", "cache:b:\(entry.id.rawValue):0", "50", "damage"]))
            await #expect(throws: CacheStoreFault.self) { try await machine.store.body(of: entry, range: nil) }
            #expect(try await machine.store.variants(of: storeKey(1)).isEmpty)
        }
        let entry = try #require(try await machine.store.put(storeKey(1), content(1, 700_000)).entry)
        let block = "cache:b:\(entry.id.rawValue):"
        // One block in the place of another.
        _ = try await client.send(ValkeyCommand(["RENAME", block + "1", block + "2"]))
        let body = try #require(try await machine.store.body(of: entry, range: 100_000..<400_000))
        await #expect(throws: CacheStoreFault.self) { try await body.collect() }
        let head = try #require(try await machine.store.put(storeKey(2), content(1, 10)).entry)
        _ = try await client.send(ValkeyCommand(["HSET", "cache:e:\(head.id.rawValue)", "h", "nonsense"]))
        await #expect(throws: CacheStoreFault.self) { try await machine.store.variants(of: storeKey(2)) }
        #expect(try await machine.store.variants(of: storeKey(2)).isEmpty)
    }

    @Test("A body is in blocks of bounded size, which stay for a minute for those who read it, and no longer")
    func blocks() async throws {
        guard let server = try await started() else { return }
        let machine = try Machine(server)
        let client = ValkeyClient(server.settings)
        let bytes = content(9, 1_000_000)
        let entry = try #require(try await machine.store.put(storeKey(1), bytes).entry)
        let block = "cache:b:\(entry.id.rawValue):"
        #expect(try await keys(server).keys.count { $0.hasPrefix(block) } == 8)
        guard case .number(let size) = try await client.send(ValkeyCommand(["STRLEN", block + "0"])) else { return }
        #expect(size == 131_072 + 8)
        try await machine.store.remove(.all)
        #expect(try await keys(server).keys.allSatisfy { !$0.hasPrefix(block) }, "nobody reads it")

        let next = try #require(try await machine.store.put(storeKey(1), bytes).entry)
        let body = try #require(try await machine.store.body(of: next, range: nil))
        try await machine.store.remove(.all)
        let left = try await keys(server).filter { $0.key.hasPrefix("cache:b:") }
        #expect(left.count == 8 && left.values.allSatisfy { $0 > 0 && $0 <= 60_000 })
        #expect(try await body.collect() == bytes)
        // A machine with blocks of another size reads it all the same.
        let third = try #require(try await machine.store.put(storeKey(1), bytes).entry)
        var options = ValkeyCacheOptions()
        options.blockSize = .kibibytes(64)
        let other = try Machine(server, options)
        #expect(try await other.store.bytes(storeKey(1)) == bytes)
        #expect(try await other.store.body(of: third, range: 500_000..<500_010)?.collect() == bytes[500_000..<500_010])
    }

    @Test("What is dropped in the middle leaves no key behind")
    func dropped() async throws {
        guard let server = try await started() else { return }
        let machine = try Machine(server)
        do {
            let writer = try #require(await machine.store.makeWriter(for: storeKey(1), storeMetadata(), expecting: nil))
            #expect(try await writer.write(content(1, 900_000)))
            let keys = try await keys(server)
            #expect(keys.count == 6, "the last block waits for the commit")
            #expect(keys.values.allSatisfy { $0 > 0 && $0 <= 600_000 }, "also where nobody is left to remove them")
        }
        try await until("the blocks to go") { try await keys(server).isEmpty }
    }

    @Test("Bodies that are being written take no more than as much again as the store holds")
    func budget() async throws {
        guard let server = try await started() else { return }
        let bounds = CacheBounds(totalBytes: 400_000, entryBytes: 300_000)
        let machine = try Machine(server, bounds: bounds)
        let first = try #require(await machine.store.makeWriter(for: storeKey(1), storeMetadata(), expecting: nil))
        let second = try #require(await machine.store.makeWriter(for: storeKey(2), storeMetadata(), expecting: nil))
        #expect(try await first.write(content(1, 250_000)))
        #expect(try await second.write(content(2, 250_000)) == false)
        #expect(try await first.commit().entry != nil)
        let third = try #require(await machine.store.makeWriter(for: storeKey(2), storeMetadata(), expecting: nil))
        #expect(try await third.write(content(2, 250_000)))
        #expect(try await third.commit().entry != nil)
    }

    @Test("Thousands of entries are removed in one step, and cleared away in slices")
    func manyEntries() async throws {
        guard let server = try await started() else { return }
        let machine = try Machine(server)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<20 {
                group.addTask {
                    for name in 0..<75 {
                        let key = CacheKey(url: "https://example.com/\(task)/\(name)", identifier: "list/\(task)")
                        try await machine.store.put(
                            key,
                            content(name, 20),
                            storeMetadata(classification: "c\(name % 2)")
                        )
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await machine.store.keys().count == 1500)
        #expect(try await machine.store.remove(.identifierPrefix("list/1")) == 11 * 75)
        #expect(try await machine.store.keys(.classification("c0")).count == 9 * 38)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for name in 0..<1100 {
                group.addTask { try await machine.store.put(storeKey(name), content(name, 20)) }
            }
            try await group.waitForAll()
        }
        #expect(try await machine.store.remove(.classification(nil)) == 1100)
        #expect(try await machine.store.remove(.all) == 9 * 75)
        #expect(try await machine.store.usage() == CacheUsage())
        let left = try await keys(server).keys.sorted()
        #expect(left.allSatisfy { $0 == "cache:epoch" || $0 == "cache:log" || $0 == "cache:bytes" }, "\(left)")
    }

    @Test("A call that is cancelled while the server hangs ends at once")
    func cancelled() async throws {
        guard let server = try await started() else { return }
        let machine = try Machine(server)
        _ = try await machine.store.variants(of: storeKey(1))
        server.freeze()
        let call = Task { try await machine.response() }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        server.thaw()
        #expect(try await machine.store.variants(of: storeKey(1)).isEmpty)
    }
}

@Suite("What a store in Valkey is made of")
struct ValkeyStorePartTests {
    @Test("A circuit opens after failures in a row, and lets one question through after each pause")
    func circuit() {
        let clock = VirtualClock()
        let circuit = ServerCircuit(threshold: 2, pause: .seconds(1)...(.seconds(3)), time: clock)
        circuit.fail()
        circuit.succeed()
        circuit.fail()
        #expect(circuit.admits())
        circuit.fail()
        for pause in [1, 2, 3, 3] {
            #expect(!circuit.admits())
            clock.advance(by: .seconds(pause) - .milliseconds(1))
            #expect(!circuit.admits())
            clock.advance(by: .milliseconds(1))
            #expect(circuit.admits())
            #expect(!circuit.admits(), "one question")
            circuit.fail()
        }
        clock.advance(by: .seconds(3))
        #expect(circuit.admits())
        circuit.withdraw()
        #expect(circuit.admits())
        circuit.succeed()
        #expect(circuit.admits() && circuit.admits())
    }

    @Test("The difference of clocks is known as well as the shortest way to the server tells it")
    func clock() {
        let clock = VirtualClock(start: Date(timeIntervalSince1970: 1000))
        let server = ServerClock(clock)
        func ask(_ way: Duration, server offset: Double) {
            let sentAt = clock.date
            clock.advance(by: way)
            let middle = sentAt.addingTimeInterval(clock.date.timeIntervalSince(sentAt) / 2)
            server.learn(middle.timeIntervalSince1970 + offset, sentAt: sentAt)
        }
        ask(.seconds(4), server: 101)
        #expect(server.reading == ClockReading(offset: 101, uncertainty: 2))
        ask(.milliseconds(500), server: 100)
        #expect(server.reading?.uncertainty == 0.25)
        ask(.seconds(1), server: 100.4)
        #expect(server.reading.map { abs($0.offset - 100) < 0.001 } == true, "a longer way tells less")
        ask(.seconds(1), server: 90)
        #expect(server.reading.map { abs($0.offset - 90) < 0.001 } == true, "a clock was set")
        clock.advance(by: .seconds(100_000))
        ask(.seconds(1), server: 91)
        #expect(server.reading.map { abs($0.offset - 91) < 0.001 } == true, "clocks drift apart")
    }

    @Test("Times are shifted by what the clocks differ, and by no error of measurement")
    func shift() {
        let own = ClockReading(offset: 10, uncertainty: 0.5)
        #expect(own.shift(from: ClockReading(offset: 70, uncertainty: 0.5)) == 60)
        #expect(own.shift(from: ClockReading(offset: -50, uncertainty: 0.5)) == -60)
        #expect(own.shift(from: ClockReading(offset: 11.9, uncertainty: 0.5)) == 0)
        #expect(own.shift(from: ClockReading(offset: .nan, uncertainty: 0)) == 0)
        #expect(own.shift(from: ClockReading(offset: .infinity, uncertainty: 0)) == 0)
        #expect(own.shift(from: ClockReading(offset: 1e300, uncertainty: 0)) == 0)
        #expect(own.shift(from: ClockReading(offset: 70, uncertainty: .nan)) == 0)
    }

    @Test("No more pass a gate than may, in order, and one that is cancelled takes nobody's place")
    func gate() async throws {
        let gate = CommandGate(width: 2)
        try await gate.enter()
        try await gate.enter()
        let order = Events<Int>()
        let cancelled = Task { try await gate.enter() }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        let waiting = Task {
            try await gate.enter()
            order.add(1)
        }
        await Task.yield()
        #expect(order.all.isEmpty)
        gate.leave()
        try await waiting.value
        #expect(order.all == [1])
        gate.leave()
        gate.leave()
        try await gate.enter()
        try await gate.enter()
    }

    @Test("Sealed bytes are opened under their name alone")
    func sealed() {
        let sealed = SealedBytes.seal([1, 2, 3], name: "a")
        #expect(SealedBytes.open(sealed, name: "a") == [1, 2, 3])
        #expect(SealedBytes.open(sealed, name: "b") == nil)
        for index in sealed.indices {
            var damaged = sealed
            damaged[index] ^= 1
            #expect(SealedBytes.open(damaged, name: "a") == nil)
        }
        #expect(SealedBytes.open([], name: "a") == nil)
        #expect(SealedBytes.open(SealedBytes.seal([], name: ""), name: "") == [])
    }
}
#endif
