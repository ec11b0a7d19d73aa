#if AllTests
import Foundation
import HTTPChainAuth
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import Testing

private let origin: OriginSet = "https://garden.example"
private let plantsURL = "https://garden.example/plants"

/// Sessions that are numbers; opening and closing may take a while.
private struct Doors: SessionAuthenticator {
    let opened = Locked(0)
    let closed = Locked<[Int]>([])
    var whileOpening: @Sendable () async throws -> Void = {}
    var whileClosing: @Sendable () async throws -> Void = {}

    func authenticate(replacing old: Int?, in context: RefreshContext) async throws -> Int {
        let number = opened.withLock { opened in
            opened += 1
            return opened
        }
        try await whileOpening()
        return number
    }

    func decorate(_ request: inout Request, with session: Int) {
        request.head.headerFields[.authorization] = "Session \(session)"
    }

    func invalidate(_ session: Int, in context: RefreshContext) async throws {
        try await whileClosing()
        closed.withLock { $0.append(session) }
    }
}

@Suite("The application and its session", .timeLimit(.minutes(10)))
struct SessionControlTests {
    private let context = RefreshContext(over: InMemoryTransport())

    @Test("The application may open a session now; the calls that come meanwhile wait for it, and the next ones use it")
    func openNow() async throws {
        let (isAsked, mayAnswer) = (Rendezvous(), Rendezvous())
        let doors = Doors(whileOpening: {
            isAsked.reach()
            try await mayAnswer.wait()
        })
        let stage = SessionAuthMiddleware(doors, for: origin)
        async let session = stage.openSession(in: context)
        try await isAsked.wait()
        async let outcome = StageHarness(stage).send(.get(plantsURL))
        mayAnswer.reach()
        #expect(try await session == 1)
        #expect(await outcome.requests.map(\.authorization) == ["Session 1"])
        #expect(try await stage.openSession(in: context) == 1)
        #expect(doors.opened.withLock { $0 } == 1)
    }

    @Test("The application receives the reason why no session could be opened")
    func cannotOpen() async throws {
        let doors = Doors(whileOpening: { throw TransportError(.cannotConnect, sent: .nothing, stage: "test") })
        let stage = SessionAuthMiddleware(doors, for: origin)
        let error = await #expect(throws: AuthenticationError.self) { try await stage.openSession(in: context) }
        #expect(error?.problem == .authenticationFailed)
        #expect(error?.networkFailure?.kind == .cannotConnect)
    }

    @Test("A session that is opened while the user signs out is invalidated, also when the call is cancelled")
    func signOutMeanwhile() async throws {
        for cancels in [false, true] {
            let (isAsked, mayAnswer) = (Rendezvous(), Rendezvous())
            let doors = Doors(whileOpening: {
                isAsked.reach()
                // Whoever is cancelled at the last moment has a session nevertheless.
                _ = try? await mayAnswer.wait()
            })
            let stage = SessionAuthMiddleware(doors, for: origin)
            let call = Task { await StageHarness(stage).send(.get(plantsURL), answering: []) }
            try await isAsked.wait()
            try await stage.endSession(in: context)
            if cancels { call.cancel() }
            mayAnswer.reach()
            let outcome = await call.value
            #expect(outcome.requests.isEmpty)
            if !cancels { #expect((outcome.error as? AuthenticationError)?.problem == .sessionEnded) }
            #expect(stage.session == nil)
            #expect(doors.closed.withLock { $0 } == [1])
        }
    }

    @Test("Ending a session can be cancelled while the server is told; it is out of use nevertheless")
    func cancelledEnd() async throws {
        let (isClosing, never) = (Rendezvous(), Rendezvous())
        let doors = Doors(whileClosing: {
            isClosing.reach()
            try await never.wait()
        })
        let stage = SessionAuthMiddleware(doors, for: origin, session: 100)
        let context = context
        let end = Task { try await stage.endSession(in: context) }
        try await isClosing.wait()
        end.cancel()
        await #expect(throws: CancellationError.self) { try await end.value }
        #expect(stage.session == nil)
    }

    @Test("A server that cannot be told that a session has ended keeps nobody from opening the next")
    func invalidationFails() async throws {
        let doors = Doors(whileClosing: { throw TransportError(.connectionLost, sent: .maybe, stage: "test") })
        let stage = SessionAuthMiddleware(doors, for: origin, session: 100)
        let outcome = await StageHarness(stage).send(.get(plantsURL), answering: .unauthorized(), .ok)
        #expect(outcome.requests.map(\.authorization) == ["Session 100", "Session 1"])
        await #expect(throws: TransportError.self) { try await stage.endSession(in: context) }
    }

    @Test("By choice a request goes out undecorated while there is no session, and in one when there is")
    func undecorated() async throws {
        let doors = Doors()
        let stage = SessionAuthMiddleware(doors, for: origin, withoutSession: .sendUndecorated)
        let harness = StageHarness(stage)
        #expect(await harness.send(.get(plantsURL), answering: .unauthorized()).requests.map(\.authorization) == [nil])
        try await stage.openSession(in: context)
        let ended = await harness.send(.get(plantsURL), answering: .unauthorized())
        #expect(ended.requests.map(\.authorization) == ["Session 1"])
        #expect(try ended.response().status == .unauthorized)
        #expect(await harness.send(.get(plantsURL)).requests.map(\.authorization) == [nil])
        try await stage.openSession(in: context)
        #expect(await harness.send(.get(plantsURL)).requests.map(\.authorization) == ["Session 2"])
        #expect(stage.summary.settings.contains { $0.value == "send undecorated" })
    }

    @Test("By choice a request fails while there is no session")
    func failing() async throws {
        let stage = SessionAuthMiddleware(Doors(), for: origin, withoutSession: .fail)
        let outcome = await StageHarness(stage).send(.get(plantsURL), answering: [])
        #expect((outcome.error as? AuthenticationError)?.problem == .noSession)
        try await stage.openSession(in: context)
        #expect(await StageHarness(stage).send(.get(plantsURL)).requests.map(\.authorization) == ["Session 1"])
    }

    @Test("A path that is closed to every session does not use up the others' authentications")
    func stubbornPath() async throws {
        let doors = Doors()
        let stage = SessionAuthMiddleware(doors, for: origin)
        let chain = try Chain(
            [stage],
            transport: InMemoryTransport {
                $0.head.path?.hasPrefix("/broken") == true ? Response(.unauthorized) : Response(.ok)
            },
            environment: .virtual()
        )
        for number in 1...20 {
            #expect(try await chain.send(.get("https://garden.example/broken?\(number)")).status == .unauthorized)
        }
        #expect(doors.opened.withLock { $0 } == 2)
        #expect(try await chain.send(.get(plantsURL)).status == .ok)
    }
}
#endif
