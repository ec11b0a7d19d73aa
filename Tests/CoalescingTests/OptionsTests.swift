import HTTPChainCoalescing
import HTTPChainConcurrencyLimit
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainProgress
import HTTPChainRateLimit
import HTTPChainRedirect
import HTTPChainRetry
import HTTPChainTesting
import HTTPChainTimeout
import HTTPTypes
import TestSupport
import Testing

@Suite("The options of calls that could share a transfer", .heavy, .timeLimit(.minutes(10)))
struct OptionsTests {
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let apply: @Sendable (Request) -> Request

        init(_ name: String, _ apply: @escaping @Sendable (Request) -> Request) {
            testDescription = name
            self.apply = apply
        }
    }

    private static func setting<Option: RequestOption & SendableMetatype>(_ option: Option.Type, _ value: Option.Value)
        -> Change
    {
        Change("\(option)") { request in
            var request = request
            request.options[Option.self] = value
            return request
        }
    }

    /// Changes that separate a call from those without them, and not from those with the same.
    private static let comparable = [
        Change("attempt timeout") { $0.timeout(attempt: .seconds(1)) },
        Change("steps") { $0.timeout(read: .off) },
        Change("retry") { $0.retry(.never) },
        Change("redirects") { $0.redirects(.never) },
        Change("without redirects") { $0.redirects(false) },
        Change("priority") { $0.priority(.critical) },
        Change("weight") { $0.rateLimit(weight: 2) },
        setting(Refused.self, true), setting(Note.self, "e\u{301}"), setting(Shared.self, Object.one),
        setting(ExpectedTypeNote.self, String.self),
    ]

    /// Changes that separate a call from any other.
    private static let incomparable = [
        Change("retry with a closure") { $0.retry(RetryPolicy { _ in .standard }) },
        Change("redirects with a closure") { $0.redirects(.when("own") { _ in true }) },
        setting(Closure.self) { 1 }, setting(Opaque.self, OpaqueValue()),
    ]

    /// Changes that don't matter to the response.
    private static let harmless = [
        Change("timeout") { $0.timeout(.seconds(1)) },
        Change("progress") { $0.progress { _ in } },
        Change("default") { $0.coalescing() },
        setting(DeadlineNote.self, DeadlineNote.Mark(.seconds(1 << 30))), setting(Tag.self, "a"),
        setting(Refused.self, false),
    ]

    /// Returns how many transfers the calls need.
    private static func transfers(_ requests: [Request]) async throws -> Int {
        let bench = Bench()
        bench.answer { Response(.ok) }
        var tasks: [Task<Response, any Error>] = []
        for request in requests { tasks += try await bench.start(1, request) }
        bench.gate.reach()
        for task in tasks { _ = try await task.value }
        return bench.transport.requestCount
    }

    @Test("Calls with different options have separate transfers, and those with the same share", arguments: comparable)
    func areCompared(change: Change) async throws {
        let (plain, changed) = (Request.get(target), change.apply(.get(target)))
        #expect(try await Self.transfers([plain, changed, change.apply(.get(target)), plain]) == 2)
    }

    @Test("Calls whose options cannot be compared have separate transfers", arguments: incomparable)
    func areIncomparable(change: Change) async throws {
        #expect(try await Self.transfers([.get(target), change.apply(.get(target)), change.apply(.get(target))]) == 3)
    }

    @Test("Options that do not matter to the response separate nothing", arguments: harmless)
    func areHarmless(change: Change) async throws {
        #expect(try await Self.transfers([.get(target), change.apply(.get(target))]) == 1)
        #expect(try await Self.transfers([change.apply(.get(target)), .get(target)]) == 1)
    }

    @Test("Texts that are equal as Unicode, but not as bytes, differ")
    func texts() async throws {
        let requests = ["e\u{301}", "\u{e9}"].map { text in Self.setting(Note.self, text).apply(.get(target)) }
        #expect(try await Self.transfers(requests) == 2)
    }
}

@Suite("Limits of calls that share a transfer", .heavy, .timeLimit(.minutes(10)))
struct SharedLimitTests {
    private static let target = Request.get("https://api.example.com/plants")

    private let clock = VirtualClock()
    private let transport = InMemoryTransport()
    private let coalescing = CoalescingMiddleware(partition: .shared)
    private let gate = Rendezvous()

    private func chain(_ inner: [any Middleware]) throws -> Chain {
        try Chain(
            [TimeoutMiddleware(nil), coalescing] + inner,
            transport: transport,
            environment: ChainEnvironment(time: clock)
        )
    }

    /// Starts two calls at the same time.
    private func start(
        _ chain: Chain,
        _ first: Request,
        _ second: Request
    ) async throws -> (Task<Response, any Error>, Task<Response, any Error>) {
        let one = Task { try await chain.send(first) }
        try await until("the first call to wait") { coalescing.transfers.waiterCount == 1 }
        let other = Task { try await chain.send(second) }
        try await until("both calls to wait") { coalescing.transfers.waiterCount == 2 }
        return (one, other)
    }

    @Test("The attempt timeout of one call does not end another", arguments: [true, false])
    func attemptTimeout(isFirst: Bool) async throws {
        let gate = gate
        transport.on(nil, "*") { _ in
            try await gate.wait()
            return Response(.ok)
        }
        let chain = try chain([AttemptTimeoutMiddleware(response: nil)])
        let short = Self.target.timeout(attempt: .seconds(1))
        let calls = try await start(chain, isFirst ? short : Self.target, isFirst ? Self.target : short)
        let (impatient, patient) = isFirst ? calls : (calls.1, calls.0)
        try await transport.waitForRequests(2)
        try await clock.waitForDeadline(.seconds(1))
        clock.advance(by: .seconds(1))
        await #expect(throws: TimeoutError.self) { try await impatient.value }
        gate.reach()
        #expect(try await patient.value.status == .ok)
    }

    @Test("A call that is not to be retried does not keep another from it", arguments: [true, false])
    func retryNever(isFirst: Bool) async throws {
        let gate = gate
        transport.on(nil, "*") { request in
            try await gate.wait()
            return Response(request.attempt == 1 ? .serviceUnavailable : .ok)
        }
        let chain = try chain([RetryMiddleware(RetryPolicy(backoff: Backoff(base: .zero, cap: .zero)))])
        let never = Self.target.retry(.never)
        let calls = try await start(chain, isFirst ? never : Self.target, isFirst ? Self.target : never)
        let (once, retried) = isFirst ? calls : (calls.1, calls.0)
        gate.reach()
        #expect(try await once.value.status == .serviceUnavailable)
        #expect(try await retried.value.status == .ok)
    }

    @Test("The most patient call decides whether a retry is worthwhile", arguments: [true, false])
    func deadlineAndRetry(isFirst: Bool) async throws {
        let gate = gate
        transport.on(nil, "*") { request in
            try await gate.wait()
            return request.attempt == 1
                ? Response(.serviceUnavailable, headers: [.retryAfter: "5"]) : Response(.ok)
        }
        let chain = try chain([RetryMiddleware(RetryPolicy())])
        let (short, long) = (Self.target.timeout(.seconds(1)), Self.target.timeout(.seconds(60)))
        let calls = try await start(chain, isFirst ? short : long, isFirst ? long : short)
        let (impatient, patient) = isFirst ? calls : (calls.1, calls.0)
        gate.reach()
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        await #expect(throws: TimeoutError.self) { try await impatient.value }
        clock.advance(by: .seconds(4))
        #expect(try await patient.value.status == .ok)
        #expect(transport.requestCount == 2)
    }

    @Test("A call alone is not retried beyond its deadline")
    func deadlineAlone() async throws {
        transport.on(nil, "*") { _ in Response(.serviceUnavailable, headers: [.retryAfter: "5"]) }
        let response = try await chain([RetryMiddleware(RetryPolicy())]).send(Self.target.timeout(.seconds(1)))
        #expect(response.status == .serviceUnavailable)
    }

    @Test("A wait for a place goes on for a more patient call that joins it", arguments: [true, false])
    func waitForPlace(isLimitOfRate: Bool) async throws {
        let gate = gate
        transport.on(nil, "*") { request in
            if request.url.hasSuffix("first") { try await gate.wait() }
            return Response(.ok)
        }
        let stage: any Middleware =
            isLimitOfRate
            ? RateLimitMiddleware(RateLimit(1, per: .seconds(5)), excess: .wait(upTo: .seconds(10)))
            : ConcurrencyLimitMiddleware(.fixed(1), queue: ConcurrencyQueue(longestWait: .seconds(10)))
        let chain = try chain([stage])
        let holder = Task { try await chain.send(.get("https://api.example.com/first").coalescing(false)) }
        try await transport.waitForRequests(1)
        // A wait that the first of them could bear: the server, or the holder, then takes longer.
        let limit: Duration = isLimitOfRate ? .seconds(6) : .seconds(1)
        let (impatient, patient) = try await start(chain, Self.target.timeout(limit), Self.target)
        if isLimitOfRate {
            gate.reach()
            _ = try await holder.value
            clock.advance(by: .seconds(5))
            #expect(try await impatient.value.status == .ok)
        } else {
            try await clock.waitForDeadline(.seconds(1))
            clock.advance(by: .seconds(1))
            await #expect(throws: TimeoutError.self) { try await impatient.value }
            #expect(coalescing.transfers.waiterCount == 1)
            gate.reach()
            _ = try await holder.value
        }
        #expect(try await patient.value.status == .ok)
        #expect(transport.requestCount == 2)
    }

    @Test("An option of the user's own stage decides for its own call only")
    func ownOption() async throws {
        struct Refusing: Middleware {
            var optionsRead: [any RequestOption.Type] { [Refused.self] }

            func intercept(_ request: consuming Request, next: Next) async throws -> Response {
                if request.options[Refused.self] { throw BodyError(.alreadyRead) }
                return try await next(request)
            }
        }
        let gate = gate
        transport.on(nil, "*") { _ in
            try await gate.wait()
            return Response(.ok)
        }
        let chain = try chain([Refusing()])
        var refused = Self.target
        refused.options[Refused.self] = true
        let other = Task { try await chain.send(Self.target) }
        try await until("the other call to wait") { coalescing.transfers.waiterCount == 1 }
        let request = refused
        await #expect(throws: BodyError.self) { try await chain.send(request) }
        gate.reach()
        #expect(try await other.value.status == .ok)
    }

    @Test("The deadline that stages see is the latest of those who wait, as they come and go")
    func latestDeadline() async throws {
        let (gate, seen) = (gate, Locked<Request?>(nil))
        let next = Next(
            to: ClosureTransport { request in
                seen.withLock { $0 = request }
                try await gate.wait()
                return Response(.ok)
            }
        )
        func start(_ deadline: Duration?, _ count: Int) async throws -> Task<Response, any Error> {
            var request = Self.target
            request.environment = ChainEnvironment(time: clock)
            request.options[DeadlineNote.self] = deadline.map { DeadlineNote.Mark($0) }
            let task = Task { [request, coalescing] in try await coalescing.intercept(request, next: next) }
            try await until { coalescing.transfers.waiterCount == count }
            return task
        }
        func remaining() -> Duration? { seen.withLock { $0 }?.remainingTime }
        let first = try await start(.seconds(1), 1)
        try await until { seen.withLock { $0 } != nil }
        #expect(remaining() == .seconds(1))
        let second = try await start(.seconds(3), 2)
        let third = try await start(.seconds(2), 3)
        #expect(remaining() == .seconds(3))
        second.cancel()
        await #expect(throws: CancellationError.self) { _ = try await second.value }
        #expect(remaining() == .seconds(2))
        let fourth = try await start(nil, 3)
        #expect(remaining() == nil)
        gate.reach()
        for task in [first, third, fourth] { #expect(try await task.value.status == .ok) }
        #expect(seen.withLock { $0 }?.options.contains(DeadlineNote.self) == false)
    }
}

private enum Refused: RequestOption {
    static var defaultValue: Bool { false }
}

private enum Note: RequestOption {
    static var defaultValue: String? { nil }
}

private enum Tag: RequestOption {
    static var defaultValue: String { "" }
    static var affectsResponse: Bool { false }
}

private enum Closure: RequestOption {
    static var defaultValue: (@Sendable () -> Int)? { nil }
}

private struct OpaqueValue: Sendable {
    let number = 1
}

private enum Opaque: RequestOption {
    static var defaultValue: OpaqueValue? { nil }
}

private final class Object: Sendable {
    static let one = Object()
}

private enum Shared: RequestOption {
    static var defaultValue: Object? { nil }
}
