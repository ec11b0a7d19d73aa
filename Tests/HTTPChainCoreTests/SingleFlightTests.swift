#if AllTests
import HTTPChainCore
import HTTPChainTesting
import TestSupport
import Testing

private struct Failure: Error, Hashable {
    let number: Int
}

/// Counts how many run, and how many at a time.
private final class Meter: Sendable {
    private struct State {
        var started = 0
        var running = 0
        var most = 0
    }
    private let state = Locked(State())

    func run<Value>(_ operation: () async throws -> Value) async rethrows -> Value {
        state.withLock { state in
            state.started += 1
            state.running += 1
            state.most = max(state.most, state.running)
        }
        defer { state.withLock { $0.running -= 1 } }
        return try await operation()
    }

    var started: Int { state.withLock { $0.started } }
    var running: Int { state.withLock { $0.running } }
    var most: Int { state.withLock { $0.most } }
}

@Suite("One operation for calls at the same time", .heavy, .seeded, .timeLimit(.minutes(10)))
struct SingleFlightTests {
    @Test("The caller that began an operation is the first of its callers, however many begin at once")
    func order() async throws {
        for _ in 0..<200 {
            let flights = SingleFlight<String, Int, Bool>()
            let gate = Rendezvous()
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        try await flights.run("a", for: number) { _ in
                            try await gate.wait()
                            return { callers in callers.map { _ in .success(callers.first == number) } }
                        }
                    }
                }
                try await until { flights.waiterCount == 8 }
                gate.reach()
                for try await isFirst in group { #expect(isFirst) }
            }
        }
    }

    @Test("Calls at the same time cause one operation, and each gets its result")
    func one() async throws {
        let flights = SingleFlight<String, Void, Int>()
        let meter = Meter()
        let gate = Rendezvous()
        let arrived = Locked(0)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    arrived.withLock { $0 += 1 }
                    return try await flights.run("a") {
                        try await meter.run {
                            try await gate.wait()
                            return 7
                        }
                    }
                }
            }
            try await until { arrived.withLock { $0 } == 200 && flights.waiterCount == 200 }
            gate.reach()
            for try await value in group { #expect(value == 7) }
        }
        #expect(meter.started == 1)
        #expect(flights.count == 0)
    }

    @Test("Each key has an operation of its own")
    func keys() async throws {
        let flights = SingleFlight<Int, Void, Int>()
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<100 {
                group.addTask { try await flights.run(number) { number * 2 } == number * 2 }
            }
            for try await isRight in group { #expect(isRight) }
        }
    }

    @Test("A failure goes to all who wait, and the next call starts anew")
    func failure() async throws {
        let flights = SingleFlight<String, Void, Int>()
        let gate = Rendezvous()
        let failures = await withTaskGroup(of: Failure?.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    do {
                        _ = try await flights.run("a") {
                            try await gate.wait()
                            throw Failure(number: 1)
                        }
                        return nil
                    } catch {
                        return error as? Failure
                    }
                }
            }
            try? await until { flights.waiterCount == 50 }
            gate.reach()
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(failures == Array(repeating: Failure(number: 1), count: 50))
        #expect(try await flights.run("a") { 2 } == 2)
    }

    @Test("A call that comes after the end starts anew")
    func anew() async throws {
        let flights = SingleFlight<String, Void, Int>()
        for number in 1...3 { #expect(try await flights.run("a") { number } == number) }
    }

    @Test("A caller that is cancelled leaves at once; the others get the result", arguments: [true, false])
    func oneLeaves(isFirst: Bool) async throws {
        let flights = SingleFlight<String, Void, Int>()
        let gate = Rendezvous()
        let operation: @Sendable () async throws -> Int = {
            try await gate.wait()
            return 7
        }
        let first = Task { try await flights.run("a", operation) }
        try await until { flights.waiterCount == 1 }
        let second = Task { try await flights.run("a", operation) }
        try await until { flights.waiterCount == 2 }
        let (leaving, staying) = isFirst ? (first, second) : (second, first)
        leaving.cancel()
        await #expect(throws: CancellationError.self) { try await leaving.value }
        gate.reach()
        #expect(try await staying.value == 7)
    }

    @Test("When the last one is cancelled, so is the operation, and it has ended when the call has")
    func allLeave() async throws {
        let flights = SingleFlight<String, Void, Int>()
        let meter = Meter()
        let mayEnd = Watched(false)
        let ended = Counter()
        let cancelled = Counter()
        let calls = (0..<20).map { _ in
            Task {
                defer { ended.add() }
                return try await flights.run("a") {
                    try await meter.run {
                        do {
                            try await Rendezvous().wait()
                        } catch {
                            cancelled.add()
                            // Cleaning up takes a while, and is waited for.
                            await mayEnd.waitUninterrupted { $0 ? () : nil }
                            throw error
                        }
                        return 1
                    }
                }
            }
        }
        try await until { meter.running == 1 && flights.waiterCount == 20 }
        for call in calls { call.cancel() }
        try await ended.wait(until: 19)
        try await cancelled.wait(until: 1)
        #expect(ended.value == 19 && meter.running == 1 && flights.waiterCount == 0)
        mayEnd.update { $0 = true }
        for call in calls { await #expect(throws: CancellationError.self) { try await call.value } }
        #expect(meter.running == 0 && meter.started == 1)
        #expect(flights.count == 0)
        #expect(try await flights.run("a") { 2 } == 2)
    }

    @Test("A call that was cancelled before it came starts nothing")
    func cancelledBefore() async {
        let flights = SingleFlight<String, Void, Int>()
        let meter = Meter()
        let call = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await flights.run("a") { await meter.run { 1 } }
        }
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(meter.started == 0 && flights.count == 0)
    }

    @Test("Who comes while a cancelled operation winds up starts anew when it has ended, and may leave while waiting")
    func afterAbandoned() async throws {
        let flights = SingleFlight<String, Void, Int>()
        let meter = Meter()
        let mayEnd = Watched(false)
        let stubborn: @Sendable () async throws -> Int = {
            await meter.run {
                // Deaf to cancellation until it is let go.
                await mayEnd.waitUninterrupted { $0 ? () : nil }
                return 1
            }
        }
        let abandoned = Task { try await flights.run("a", stubborn) }
        try await until { meter.running == 1 }
        abandoned.cancel()
        try await until { flights.waiterCount == 0 }
        let next = Task { try await flights.run("a") { await meter.run { 2 } } }
        try await until { flights.waiterCount == 1 }
        let other = Task { try await flights.run("a") { await meter.run { 3 } } }
        try await until { flights.waiterCount == 2 }
        other.cancel()
        await #expect(throws: CancellationError.self) { try await other.value }
        #expect(meter.started == 1)
        mayEnd.update { $0 = true }
        #expect(try await next.value == 2)
        await #expect(throws: CancellationError.self) { try await abandoned.value }
        #expect(meter.most == 1)
    }

    @Test("An operation that asks for its own result is refused, not left to wait for ever")
    func reentry() async throws {
        let flights = SingleFlight<String, Void, Int>()
        await #expect(throws: SingleFlightReentry.self) {
            try await flights.run("a") { try await flights.run("a") { 1 } }
        }
        // Through a child task, and by way of another key.
        await #expect(throws: SingleFlightReentry.self) {
            try await flights.run("a") {
                try await withThrowingTaskGroup(of: Int.self) { group in
                    group.addTask { try await flights.run("b") { try await flights.run("a") { 1 } } }
                    return try await group.next() ?? 0
                }
            }
        }
        #expect(try await flights.run("a") { try await flights.run("b") { 5 } } == 5)
        #expect(flights.count == 0)
    }

    @Test("Under load with random cancellation nobody is lost and operations of one key never overlap")
    func storm() async throws {
        let flights = SingleFlight<Int, Void, Int>()
        let meters = (0..<4).map { _ in Meter() }
        let random = Seed.numbers(42)
        let outcomes = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<4000 {
                let key = number % 4
                let (cancels, pause) = (random.next() % 3 == 0, Int(random.next() % 20))
                group.addTask {
                    let call = Task {
                        try await flights.run(key) {
                            try await meters[key].run {
                                for _ in 0..<pause {
                                    try Task.checkCancellation()
                                    await Task.yield()
                                }
                                return key
                            }
                        }
                    }
                    for _ in 0..<pause / 2 { await Task.yield() }
                    if cancels { call.cancel() }
                    do {
                        return try await call.value == key
                    } catch is CancellationError {
                        return cancels
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count == 4000 && outcomes.allSatisfy { $0 })
        #expect(meters.allSatisfy { $0.most == 1 && $0.running == 0 })
        #expect(flights.count == 0)
    }
}
#endif
