#if AllTests
import Foundation
import HTTPChainAuth
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

private let origin: OriginSet = "https://garden.example"
private let plantsURL = "https://garden.example/plants"

extension HTTPField.Name {
    // swift-format-ignore: NeverForceUnwrap
    fileprivate static let session = HTTPField.Name("X-Session")!
}

/// Sessions that are numbers, from 1, and end at a date.
private struct Numbers: SessionAuthenticator {
    struct Session: Sendable, Equatable {
        let number: Int
        var end = Date.distantFuture
        var nonce: String?
    }

    let counter = Locked((opened: 0, closed: [Int]()))
    var life: TimeInterval?
    var open: @Sendable (Int, RefreshContext) async throws -> Void = { _, _ in }

    var opened: Int { counter.withLock { $0.opened } }
    var closed: [Int] { counter.withLock { $0.closed } }

    func authenticate(replacing old: Session?, in context: RefreshContext) async throws -> Session {
        let number = counter.withLock { counter in
            counter.opened += 1
            return counter.opened
        }
        try await open(number, context)
        return Session(
            number: number,
            end: life.map { context.environment.time.date.addingTimeInterval($0) } ?? .distantFuture
        )
    }

    func isSessionOpen(_ session: Session, at date: Date) -> Bool { date < session.end }

    func decorate(_ request: inout Request, with session: Session) {
        request.head.headerFields[.session] = "\(session.number)" + (session.nonce.map { "-\($0)" } ?? "")
    }

    func check(_ response: inout Response, in session: Session) async throws -> SessionStatus {
        if response.status == .unauthorized { return .closed }
        let (start, body) = try await response.body.peek(upTo: 100)
        response.body = body
        return start.description.hasPrefix("expired") ? .closed : .open
    }

    func answer(_ challenges: [Challenge], in session: Session, context: RefreshContext) async throws -> Session? {
        guard let nonce = challenges.first(where: { $0.is("Nonce") })?["value"] else { return nil }
        var session = session
        session.nonce = nonce
        return session
    }

    func invalidate(_ session: Session, in context: RefreshContext) {
        counter.withLock { $0.closed.append(session.number) }
    }
}

/// Writes nothing but what it has to.
private struct Minimal: SessionAuthenticator {
    func authenticate(replacing old: Int?, in context: RefreshContext) async throws -> Int { (old ?? 0) + 1 }
}

extension StageHarness.Outcome {
    fileprivate var sessions: [String?] { requests.map { $0.head.headerFields[.session] } }
}

@Suite("A session is opened", .timeLimit(.minutes(10)))
struct SessionOpeningTests {
    @Test("A session is opened before the first request, and used by the next ones")
    func first() async throws {
        let numbers = Numbers()
        let harness = StageHarness(SessionAuthMiddleware(numbers, for: origin))
        for _ in 1...3 { #expect(await harness.send(.get(plantsURL)).sessions == ["1"]) }
        #expect(numbers.opened == 1)
    }

    @Test("Another session is opened when the first has ended by its date, and the old one is invalidated")
    func ended() async throws {
        let clock = VirtualClock()
        let numbers = Numbers(life: 60)
        let stage = SessionAuthMiddleware(numbers, for: origin)
        let harness = StageHarness(stage, clock: clock)
        #expect(await harness.send(.get(plantsURL)).sessions == ["1"])
        clock.advance(by: .seconds(59))
        #expect(await harness.send(.get(plantsURL)).sessions == ["1"])
        clock.advance(by: .seconds(1))
        #expect(await harness.send(.get(plantsURL)).sessions == ["2"])
        #expect(numbers.closed == [1])
    }

    @Test("Another session is opened when the server says that the first is gone", arguments: [401, 200])
    func gone(status: Int) async throws {
        let numbers = Numbers()
        let stage = SessionAuthMiddleware(numbers, for: origin)
        let outcome = await StageHarness(stage).send(
            .post(plantsURL, body: "again"),
            answering: .status(.init(code: status), body: "expired"),
            .ok("all of a body")
        )
        #expect(outcome.sessions == ["1", "2"])
        #expect(try await outcome.requests[1].body.text() == "again")
        #expect(try await outcome.response().body.text() == "all of a body")
        #expect(numbers.closed == [1])
    }

    @Test("The defaults do for a session that needs no decoration")
    func minimal() async throws {
        let stage = SessionAuthMiddleware(Minimal(), for: origin)
        let outcome = await StageHarness(stage).send(.get(plantsURL), answering: .unauthorized("Basic"), .ok)
        #expect(outcome.requests.count == 2)
        #expect(stage.session == 2)
        #expect(stage.summary.settings.contains { $0.value == "Minimal" })
    }

    @Test("A challenge is answered without a new one where that is possible")
    func challenge() async throws {
        let numbers = Numbers()
        let stage = SessionAuthMiddleware(numbers, for: origin)
        let outcome = await StageHarness(stage)
            .send(.get(plantsURL), answering: .unauthorized("Basic, Nonce value=\"n1\""), .ok)
        #expect(outcome.sessions == ["1", "1-n1"])
        #expect(await StageHarness(stage).send(.get(plantsURL)).sessions == ["1-n1"])
        #expect(numbers.opened == 1 && numbers.closed.isEmpty)
    }

    @Test("A server that closes each session is asked twice, and its answer is the caller's")
    func closedAgain() async throws {
        let numbers = Numbers()
        let outcome = await StageHarness(SessionAuthMiddleware(numbers, for: origin))
            .send(.get(plantsURL), answering: .unauthorized(), .status(.unauthorized, body: "read me"))
        let response = try outcome.response()
        #expect(try await response.body.text() == "read me")
        guard case .rejected = response.authenticationRefusal else {
            Issue.record("\(String(describing: response.authenticationRefusal))")
            return
        }
        #expect(numbers.opened == 2)
    }

    @Test("A body that can be read once is not sent again, but the next call is in a new session")
    func oneShotBody() async throws {
        let stage = SessionAuthMiddleware(Numbers(), for: origin)
        let body = HTTPBody.chunks(["once"])
        let outcome = await StageHarness(stage).send(.post(plantsURL, body: body), answering: .unauthorized())
        #expect(try outcome.response().authenticationRefusal == .bodyReadableOnce)
        #expect(await StageHarness(stage).send(.get(plantsURL)).sessions == ["2"])
    }

    @Test("A session is opened no more often than the limit allows")
    func limit() async throws {
        let numbers = Numbers()
        let limit = RefreshLimit(2, within: .seconds(30))
        let clock = VirtualClock()
        let harness = StageHarness(SessionAuthMiddleware(numbers, for: origin, limit: limit), clock: clock)
        _ = await harness.send(.get(plantsURL), answering: .unauthorized(), .unauthorized())
        let outcome = await harness.send(.get(plantsURL + "/other"), answering: .unauthorized())
        #expect(try outcome.response().authenticationRefusal == .tooManyRefreshes(limit))
        #expect(numbers.opened == 2)
        clock.advance(by: .seconds(30))
        #expect(await harness.send(.get(plantsURL), answering: .unauthorized(), .ok).sessions == ["2", "3"])
    }
}

@Suite("A session cannot be opened", .timeLimit(.minutes(10)))
struct SessionFailureTests {
    @Test("The call fails with the cause, and the next one tries again")
    func failure() async throws {
        let numbers = Numbers(open: { number, _ in if number == 1 { throw ProviderBroke() } })
        let harness = StageHarness(SessionAuthMiddleware(numbers, for: origin))
        let error = try #require(await harness.send(.get(plantsURL), answering: []).error as? AuthenticationError)
        #expect(error.problem == .authenticationFailed)
        #expect(error.underlyingError is ProviderBroke)
        #expect(await harness.send(.get(plantsURL)).sessions == ["2"])
    }

    @Test("A session that was invalidated before is not used again")
    func invalidated() async throws {
        let numbers = Numbers(open: { number, _ in if number == 2 { throw ProviderBroke() } })
        let harness = StageHarness(SessionAuthMiddleware(numbers, for: origin))
        let outcome = await harness.send(.get(plantsURL), answering: .unauthorized())
        #expect((outcome.error as? AuthenticationError)?.exchange?.response?.status == .unauthorized)
        #expect(await harness.send(.get(plantsURL)).sessions == ["3"])
        #expect(numbers.closed == [1])
    }

    @Test("After too many attempts nothing is tried any more for a while")
    func tooOften() async throws {
        let numbers = Numbers(open: { _, _ in throw ProviderBroke() })
        let harness = StageHarness(SessionAuthMiddleware(numbers, for: origin), clock: VirtualClock())
        for _ in 1...5 { _ = await harness.send(.get(plantsURL), answering: []) }
        let outcome = await harness.send(.get(plantsURL), answering: [])
        #expect((outcome.error as? AuthenticationError)?.problem == .tooManyAuthentications(.standard))
        #expect(numbers.opened == 5)
    }
}

@Suite("Many calls, one authentication", .heavy, .timeLimit(.minutes(10)))
struct SessionConcurrencyTests {
    @Test("A thousand calls at the same time cause one, at the start and when the session is gone")
    func thousand() async throws {
        let gates = [Rendezvous(), Rendezvous()]
        let numbers = Numbers(open: { number, _ in try await gates[number - 1].wait() })
        let isGone = Locked(false)
        let transport = InMemoryTransport { request in
            let session = request.head.headerFields[.session]
            return session == (isGone.withLock { $0 } ? "2" : "1") ? Response(.ok) : Response(.ok, body: "expired")
        }
        let stage = SessionAuthMiddleware(numbers, for: origin)
        let chain = try Chain(transport: transport) { stage }
        for round in 1...2 {
            isGone.withLock { $0 = round == 2 }
            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<1000 { group.addTask { try await chain.send(.get(plantsURL)).body.text() } }
                try await until("all calls to wait for the session") { stage.waiterCount == 1000 }
                gates[round - 1].reach()
                for try await text in group { #expect(text.isEmpty) }
            }
            #expect(numbers.opened == round)
        }
        #expect(numbers.closed == [1])
    }

    @Test("Who is cancelled waits no longer; when all are, so is the authentication")
    func cancellation() async throws {
        let clock = VirtualClock()
        let numbers = Numbers(open: { _, context in try await context.environment.time.sleep(for: .seconds(5)) })
        let transport = InMemoryTransport { _ in Response(.ok) }
        let stage = SessionAuthMiddleware(numbers, for: origin)
        let chain = try Chain(transport: transport, environment: .virtual(clock)) { stage }
        let calls = (1...3).map { _ in Task { try await chain.send(.get(plantsURL)).status } }
        try await clock.waitForSleepers()
        try await until("all three calls to wait") { stage.waiterCount == 3 }
        calls[0].cancel()
        await #expect(throws: CancellationError.self) { try await calls[0].value }
        #expect(clock.pendingDeadlines.count == 1 && stage.waiterCount == 2)
        for call in calls { call.cancel() }
        for call in calls { await #expect(throws: CancellationError.self) { try await call.value } }
        #expect(clock.pendingDeadlines.isEmpty)
        let last = Task { try await chain.send(.get(plantsURL)).status }
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(5))
        #expect(try await last.value == .ok)
        #expect(transport.requestCount == 1)
    }

    @Test("A session that is put in place meanwhile stays, and one that was ended stays so")
    func replaced() async throws {
        let (isAsked, mayAnswer) = (Rendezvous(), Rendezvous())
        let numbers = Numbers(open: { _, _ in
            isAsked.reach()
            try await mayAnswer.wait()
        })
        let stage = SessionAuthMiddleware(numbers, for: origin)
        async let outcome = StageHarness(stage).send(.get(plantsURL))
        try await isAsked.wait()
        stage.replaceSession(with: .init(number: 100))
        mayAnswer.reach()
        #expect(await outcome.sessions == ["100"])
        try await stage.endSession(in: RefreshContext(over: InMemoryTransport()))
        // The one that nobody was to use is closed, too.
        #expect(stage.session == nil && numbers.closed == [1, 100])
        try await stage.endSession(in: RefreshContext(over: InMemoryTransport()))
        #expect(numbers.closed == [1, 100])
    }

    @Test("Authenticating through the very chain does not wait for itself")
    func sameChain() async throws {
        let chains = Locked<Chain?>(nil)
        let numbers = Numbers(open: { _, context in
            let chain = try #require(chains.withLock { $0 })
            #expect(try await chain.send(.get(plantsURL)).body.text() == "none")
            #expect(try await context.send(.get(plantsURL)).body.text() == "none")
        })
        let transport = InMemoryTransport { request in
            Response(.ok, body: HTTPBody(request.head.headerFields[.session] ?? "none"))
        }
        let chain = try Chain(transport: transport) { SessionAuthMiddleware(numbers, for: origin) }
        chains.withLock { $0 = chain }
        #expect(try await chain.send(.get(plantsURL)).body.text() == "1")
    }
}

@Suite("No session leaves its origin")
struct SessionOriginTests {
    @Test(
        "A request elsewhere, or one that is to go without a session, goes without one",
        arguments: [
            Request.get("https://other.example/"), .get("http://garden.example/"), .get("/relative"),
            .get("https://garden.example:444/"), Request.get(plantsURL).authentication(false),
            .get(plantsURL, headers: [.authorization: "Basic abc"]),
        ]
    )
    func elsewhere(request: Request) async throws {
        let numbers = Numbers()
        let outcome = await StageHarness(SessionAuthMiddleware(numbers, for: origin))
            .send(request, answering: .unauthorized())
        #expect(outcome.sessions == [nil])
        #expect(numbers.opened == 0)
    }

    @Test("The fields that were set, and no others, are bound to the origin")
    func bound() async throws {
        let outcome = await StageHarness(SessionAuthMiddleware(Numbers(), for: origin))
            .send(.get(plantsURL, headers: [.accept: "text/plain"]))
        var request = try #require(outcome.requests.first)
        #expect(request.options[OriginBoundFieldsNote.self] == [.session: try #require(Origin(plantsURL))])
        request.removeFields(boundToOthersThan: Origin("https://other.example"))
        #expect(request.head.headerFields[.session] == nil)
        #expect(request.head.headerFields[.accept] == "text/plain")
    }

    @Test("A 401 of another origin ends nothing")
    func foreign() async throws {
        let numbers = Numbers()
        var answer = Response(.unauthorized)
        answer.request = Request.get("https://evil.example/").head
        let outcome = await StageHarness(SessionAuthMiddleware(numbers, for: origin))
            .send(.get(plantsURL), answering: .response(answer))
        #expect(try outcome.response().authenticationRefusal != nil)
        #expect(numbers.opened == 1)
    }

    @Test("An origin without TLS is refused when the chain is built")
    func plaintext() {
        #expect(throws: ChainOrderError.self) {
            try Chain(transport: InMemoryTransport()) { SessionAuthMiddleware(Numbers(), for: "http://garden.example") }
        }
    }
}
#endif
