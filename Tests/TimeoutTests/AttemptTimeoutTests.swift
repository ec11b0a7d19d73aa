import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPChainTimeout
import HTTPTypes
import TestSupport
import Testing

/// Over a transport that does not keep deadlines: the stage cancels what runs inside.
@Suite("The limits of an attempt", .timeLimit(.minutes(10)))
struct AttemptTimeoutTests {
    @Test("The limits end the attempt, which may be made again")
    func again() async throws {
        let clock = VirtualClock()
        let server = Server { request in
            if request.attempt < 3 { try await request.environment.time.sleep(for: .seconds(60)) }
            return Response(.ok)
        }
        let stages: [any Middleware] = [Again(pause: .zero, limit: 3), AttemptTimeoutMiddleware(.seconds(10))]
        let chain = try makeChain(stages, server)
        async let response = chain.send(.get(url).on(clock))
        for start in [0, 10] {
            try await clock.waitForSleepers()
            try await clock.waitForDeadline(.seconds(start + 10))
            clock.advance(by: .seconds(10))
        }
        #expect(try await response.status == .ok)
        #expect(clock.pendingDeadlines.isEmpty)
    }

    @Test(
        "The limits are told apart in the error",
        arguments: [
            (Duration.seconds(5) as Duration?, Duration.seconds(9) as Duration?, TimeoutScope.attempt, 5),
            (.seconds(9), .seconds(5), .response, 5),
            (nil, .seconds(5), .response, 5),
            (.seconds(5), nil, .attempt, 5),
            (.seconds(5), .seconds(5), .attempt, 5),
        ]
    )
    func scopes(limit: Duration?, response: Duration?, scope: TimeoutScope, seconds: Int) async throws {
        let clock = VirtualClock()
        let stage = AttemptTimeoutMiddleware(limit, connect: nil, response: response)
        let chain = try makeChain([stage], Server.silent)
        var request = Request.get(url).on(clock)
        request.attempt = 3
        async let error = timeout { [request] in try await chain.send(request) }
        try await clock.waitForSleepers()
        try await clock.waitForDeadline(.seconds(seconds))
        // Far beyond both limits: the one that came first is named.
        clock.advance(by: .seconds(100))
        let thrown = try await error
        #expect(thrown.scope == scope)
        #expect(thrown.limit == .seconds(seconds))
        #expect(thrown.elapsed == .seconds(100))
        #expect(thrown.progress == .waitingForHead)
        #expect(thrown.attempt == 3)
        #expect(thrown.stage == "AttemptTimeoutMiddleware")
        #expect(thrown.reason.contains("attempt 3"))
        #expect((thrown as any TimeoutFailure).scope == scope)
    }

    @Test("The limits are what the call says, where it says something")
    func rules() async throws {
        let stage = AttemptTimeoutMiddleware(.seconds(10), connect: .seconds(5), response: .seconds(20))
        for (request, expected) in [
            (Request.get(url), 10 as Int?), (.get(url).timeout(attempt: nil), 25),
            (.get(url).timeout(response: .off), 10), (.get(url).timeout(attempt: .seconds(3)), 3),
            (.get(url).timeout(connect: .off, response: .value(.seconds(4))), 4),
            (.get(url).timeout(attempt: nil).timeout(response: .off), nil),
        ] {
            let clock = VirtualClock()
            let chain = try makeChain([stage], Server.silent)
            let task = Task { try await chain.send(request.on(clock)) }
            try await clock.waitForSleepers()
            if let expected { try await clock.waitForDeadline(.seconds(expected)) }
            #expect(clock.waits.first?.until == expected.map { .seconds($0) } ?? .seconds(1 << 30))
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(clock.pendingDeadlines.isEmpty)
        }
    }

    @Test("Limits of nothing or less fail at once and send nothing")
    func nothing() async throws {
        for request in [Request.get(url).timeout(attempt: .zero), .get(url).timeout(attempt: .seconds(-1))] {
            let chain = try makeChain(
                [AttemptTimeoutMiddleware(.seconds(5))],
                Server { _ in
                    Issue.record("it was sent")
                    return Response(.ok)
                }
            )
            let error = try await timeout { try await chain.send(request.on(VirtualClock())) }
            #expect(error.progress == .notStarted)
            #expect(error.scope == .attempt)
            #expect(error.sent == .nothing)
        }
    }

    @Test("The limits begin to wait for the response when the upload has ended, up to the attempt's own limit")
    func upload() async throws {
        let clock = VirtualClock()
        let sent = Counter()
        let heard = Locked<[Int64]>([])
        let server = Server { request in
            let report = try #require(request.options[UploadProgressNote.self])
            for count in 1...3 {
                try await request.environment.time.sleep(for: .seconds(4))
                report(Int64(count), 3)
                sent.add()
            }
            try await request.environment.time.sleep(for: .seconds(60))
            return Response(.ok)
        }
        for (limit, scope, end) in [(nil as Duration?, TimeoutScope.response, 14), (.seconds(13), .attempt, 13)] {
            let stage = AttemptTimeoutMiddleware(limit, connect: nil, write: .seconds(5), response: .seconds(2))
            let chain = try makeChain([stage], server)
            var request = Request.post(url, body: "abc").on(clock)
            request.options[UploadProgressNote.self] = { count, _ in heard.withLock { $0.append(count) } }
            let start = clock.elapsed
            let before = sent.value
            async let error = timeout { [request] in try await chain.send(request) }
            for part in 1...3 {
                try await clock.waitForSleepers()
                clock.advance(to: start + .seconds(4 * part))
                try await sent.wait(until: before + part)
            }
            try await clock.waitForSleepers()
            clock.advance(to: start + .seconds(end))
            let thrown = try await error
            #expect(thrown.scope == scope)
            #expect(thrown.sentBytes == 3 && thrown.bodyLength == 3)
            #expect(thrown.reason.contains("after sending 3 of 3 bytes"))
            #expect(thrown.elapsed == (scope == .response ? .seconds(2) : .seconds(13)))
        }
        #expect(heard.withLock { $0 } == [1, 2, 3, 1, 2, 3])
    }

    @Test("Without reports of the upload, only the total limit applies to a request with a body")
    func untold() async throws {
        struct Mute: Transport {
            let capabilities: TransportCapabilities = [.streamsUploads]
            func send(_ request: consuming Request) async throws -> Response {
                #expect(request.options[UploadProgressNote.self] == nil)
                try await request.environment.time.sleep(for: .seconds(600))
                return Response(.ok)
            }
        }
        let clock = VirtualClock.automatic()
        let chain = try makeChain([AttemptTimeoutMiddleware()], Mute())
        #expect(try await chain.send(.post(url, body: "abc").on(clock)).status == .ok)
        let error = try await timeout {
            try await chain.send(.post(url, body: "abc").on(clock).timeout(attempt: .seconds(100)))
        }
        #expect(error.scope == .attempt && error.elapsed == .seconds(100))
    }

    @Test("The limits leave a request without a body alone")
    func noUpload() async throws {
        let chain = try makeChain(
            [AttemptTimeoutMiddleware(write: .seconds(5))],
            Server { request in
                #expect(request.options[UploadProgressNote.self] == nil)
                return Response(.ok)
            }
        )
        _ = try await chain.send(.get(url).on(VirtualClock()))
    }
}
