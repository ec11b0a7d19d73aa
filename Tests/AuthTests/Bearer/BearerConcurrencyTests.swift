#if AllTests
import Foundation
import HTTPChainAuth
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

private let origin: OriginSet = "https://api.example.com"
private let plantsURL = "https://api.example.com/plants"

@Suite("Many calls, one refresh", .heavy, .timeLimit(.minutes(10)))
struct BearerConcurrencyTests {
    @Test("A thousand calls that are rejected at the same time cause one")
    func thousand() async throws {
        let mayAnswer = Rendezvous()
        let source = TokenSource.gated(mayAnswer)
        let transport = resourceServer { $0 == "new" }
        let stage = BearerAuthMiddleware(source, for: origin, token: AccessToken("old"))
        let chain = try Chain(transport: transport) { stage }
        try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<1000 {
                group.addTask { try await chain.send(.get("\(plantsURL)/\(number)")).body.text() }
            }
            try await until("all calls to wait for the token") { stage.waiterCount == 1000 }
            mayAnswer.reach()
            for try await text in group { #expect(text == "new") }
        }
        #expect(source.count == 1)
        #expect(transport.requests.contains { $0.token == "old" })
        #expect(transport.requests.count { $0.token == "new" } == 1000)
    }

    @Test("A thousand calls with a token that has expired cause one, and are sent once")
    func expired() async throws {
        let clock = VirtualClock()
        let mayAnswer = Rendezvous()
        let source = TokenSource.gated(mayAnswer)
        let transport = resourceServer { $0 == "new" }
        let stage = BearerAuthMiddleware(source, for: origin, token: AccessToken("old", expiration: start))
        let chain = try Chain(transport: transport, environment: .virtual(clock)) { stage }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<1000 { group.addTask { _ = try await chain.send(.get(plantsURL)) } }
            try await until("all calls to wait for the token") { stage.waiterCount == 1000 }
            mayAnswer.reach()
            try await group.waitForAll()
        }
        #expect(source.count == 1)
        #expect(transport.requestCount == 1000)
    }

    @Test("A call that is rejected late, with an older token, is only sent again")
    func late() async throws {
        let source = TokenSource()
        let stage = BearerAuthMiddleware(source, for: origin, token: AccessToken("old"))
        try await StageHarness(stage).drive(.get(plantsURL)) { run in
            let first = try await run.nextCall()
            #expect(first.request.token == "old")
            // Meanwhile another call has the token refreshed.
            let other = await StageHarness(stage).send(.get(plantsURL), answering: .unauthorized(), .ok)
            #expect(other.requests.map(\.token) == ["old", "token-1"])
            first.answer(Response(.unauthorized))
            let second = try await run.nextCall()
            #expect(second.request.token == "token-1")
            #expect(source.count == 1)
            // That one has expired meanwhile, too: now a new one is due.
            second.answer(Response(.unauthorized, headers: [.wwwAuthenticate: "Bearer error=\"invalid_token\""]))
            let third = try await run.nextCall()
            #expect(third.request.token == "token-2")
            third.answer(Response(.ok))
            _ = try await run.response()
        }
        #expect(source.count == 2)
    }

    @Test("A call that begins while a token is refreshed waits for the new one")
    func beginsDuringRefresh() async throws {
        let (isAsked, mayAnswer) = (Rendezvous(), Rendezvous())
        let source = TokenSource.gated(mayAnswer, isAsked: isAsked)
        let stage = BearerAuthMiddleware(source, for: origin, token: AccessToken("old"))
        async let first = StageHarness(stage).send(.get(plantsURL), answering: .unauthorized(), .ok)
        try await isAsked.wait()
        async let second = StageHarness(stage).send(.get(plantsURL))
        try await until("the second call to wait as well") { stage.waiterCount == 2 }
        mayAnswer.reach()
        #expect(await first.requests.map(\.token) == ["old", "new"])
        #expect(await second.requests.map(\.token) == ["new"])
    }

    @Test("A failure fails all who wait with its cause, and those rejected before it who come late")
    func failure() async throws {
        let isAsked = Rendezvous()
        let mayFail = Rendezvous()
        let source = TokenSource { _, _ in
            isAsked.reach()
            try await mayFail.wait()
            throw OAuthError(.refused("invalid_grant", detail: nil))
        }
        // None is rejected before all have sent the old token: who comes after that waits for the new one.
        let arrived = Watched(0)
        let transport = InMemoryTransport { _ in
            arrived.update { $0 += 1 }
            try await arrived.wait { $0 >= 100 ? () : nil }
            return Response(.unauthorized, headers: [.wwwAuthenticate: "Bearer error=\"invalid_token\""])
        }
        let stage = BearerAuthMiddleware(source, for: origin, token: AccessToken("old"))
        let chain = try Chain(transport: transport) { stage }
        try await StageHarness(stage).drive(.get(plantsURL)) { run in
            let late = try await run.nextCall()
            await withTaskGroup(of: (any Error)?.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        do {
                            _ = try await chain.send(.get(plantsURL))
                            return nil
                        } catch {
                            return error
                        }
                    }
                }
                group.addTask {
                    do {
                        try await isAsked.wait()
                        try await until("a hundred calls to wait for the token") { stage.waiterCount == 100 }
                    } catch {
                        return error
                    }
                    mayFail.reach()
                    return BearerFailure.none
                }
                for await error in group where !(error is BearerFailure) {
                    let error = error as? AuthenticationError
                    #expect(error?.problem == .signInNeeded)
                    #expect((error?.underlyingError as? OAuthError)?.code == "invalid_grant")
                }
            }
            late.answer(Response(.unauthorized))
            let error = await #expect(throws: AuthenticationError.self) { try await run.response() }
            #expect(error?.problem == .signInNeeded)
        }
        #expect(source.count == 1)
    }

    @Test("One of those who wait is cancelled, and the others get the token")
    func oneCancelled() async throws {
        let (isAsked, mayAnswer) = (Rendezvous(), Rendezvous())
        let source = TokenSource.gated(mayAnswer, isAsked: isAsked)
        let stage = BearerAuthMiddleware(source, for: origin)
        let chain = try Chain(transport: resourceServer { $0 == "new" }) { stage }
        // The one that began the refresh is the one that leaves.
        let first = Task { try await chain.send(.get(plantsURL)) }
        try await isAsked.wait()
        let second = Task { try await chain.send(.get(plantsURL)).body.text() }
        try await until("the second call to wait as well") { stage.waiterCount == 2 }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        mayAnswer.reach()
        #expect(try await second.value == "new")
        #expect(source.count == 1)
    }

    @Test("All of those who wait are cancelled, and so is the refresh, which counts for nothing")
    func allCancelled() async throws {
        let source = TokenSource { number, context in
            guard number > 8 else {
                try await context.environment.time.sleep(for: .seconds(60))
                throw ProviderBroke()
            }
            return AccessToken("new")
        }
        let clock = VirtualClock()
        let stage = BearerAuthMiddleware(source, for: origin)
        let chain = try Chain(transport: resourceServer { $0 == "new" }, environment: .virtual(clock)) { stage }
        for number in 1...8 {
            let calls = (1...3).map { _ in Task { try await chain.send(.get(plantsURL)) } }
            try await clock.waitForSleepers()
            try await until("all three calls to wait") { stage.waiterCount == 3 }
            #expect(source.count == number)
            for call in calls { call.cancel() }
            for call in calls { await #expect(throws: CancellationError.self) { try await call.value } }
            // It has ended by the time that the last of its waiters has.
            #expect(clock.pendingDeadlines.isEmpty)
        }
        #expect(try await chain.send(.get(plantsURL)).body.text() == "new")
    }
}

private enum BearerFailure: Error { case none }

@Suite("Signing in and out", .heavy, .timeLimit(.minutes(10)))
struct BearerSignInTests {
    private struct Setup {
        let isAsked = Rendezvous()
        let mayAnswer = Rendezvous()
        let stage: BearerAuthMiddleware

        init(failing: Bool) {
            let (isAsked, mayAnswer) = (isAsked, mayAnswer)
            let source = TokenSource { number, _ in
                isAsked.reach()
                try await mayAnswer.wait()
                if failing { throw ProviderBroke() }
                return AccessToken(Secret("token-\(number)"))
            }
            stage = BearerAuthMiddleware(source, for: origin, token: AccessToken("old"))
        }
    }

    @Test(
        "A sign-in while a token is refreshed wins, whether that fails or not; the call of the other user ends",
        arguments: [true, false]
    )
    func signIn(failing: Bool) async throws {
        let setup = Setup(failing: failing)
        let stage = setup.stage
        async let outcome = StageHarness(stage).send(.get(plantsURL), answering: .unauthorized())
        try await setup.isAsked.wait()
        stage.replaceToken(with: AccessToken("signed-in"))
        setup.mayAnswer.reach()
        #expect(await outcome.requests.map(\.token) == ["old"])
        let error = try #require(await outcome.error as? UserChangedError)
        #expect(error.exchange?.response?.status == .unauthorized && !error.isBeforeSending)
        #expect(stage.token?.value == "signed-in")
        #expect(await StageHarness(stage).send(.get(plantsURL)).requests.map(\.token) == ["signed-in"])
    }

    @Test("A sign-out while a token is refreshed stays one")
    func signOut() async throws {
        let setup = Setup(failing: false)
        async let outcome = StageHarness(setup.stage).send(.get(plantsURL), answering: .unauthorized())
        try await setup.isAsked.wait()
        setup.stage.replaceToken(with: nil)
        setup.mayAnswer.reach()
        #expect((await outcome.error as? AuthenticationError)?.problem == .signedOut)
        #expect(setup.stage.token == nil)
    }

    @Test("A fixed token can be replaced, and taken away")
    func fixed() async throws {
        let stage = BearerAuthMiddleware(token: "a", for: origin)
        stage.replaceToken(with: AccessToken("b"))
        #expect(await StageHarness(stage).send(.get(plantsURL)).requests.map(\.token) == ["b"])
        stage.replaceToken(with: nil)
        #expect(await StageHarness(stage).send(.get(plantsURL)).requests.map(\.token) == [nil])
    }
}

@Suite("The refresh's own requests", .heavy, .timeLimit(.minutes(10)))
struct BearerBypassTests {
    @Test(
        "The requests of a refresh go through the stages inside, the same chain, or another with the same stage, and wait for nothing"
    )
    func sameChain() async throws {
        for route in ["inside", "same chain", "other chain"] {
            let transport = InMemoryTransport()
            transport.on(.post, "/token") { request in
                #expect(request.token == nil)
                return Response(.ok, body: #"{"access_token": "fresh", "token_type": "Bearer"}"#)
            }
            transport.on(.get, "/plants") { Response(.ok, body: HTTPBody($0.token ?? "none")) }
            let chains = Locked<[String: Chain]>([:])
            let client = OAuthClient(id: "garden", secret: "s")
            let source = TokenSource { _, context in
                let chain = chains.withLock { $0[route] }
                let endpoint = TokenEndpoint("https://api.example.com/token", client: client, over: chain)
                // A call of the chain that has nothing to do with tokens must not wait either.
                if let chain { #expect(try await chain.send(.get(plantsURL)).body.text() == "none") }
                return try await endpoint.token(grantType: "client_credentials", in: context)
            }
            let stage = BearerAuthMiddleware(source, for: origin)
            let chain = try Chain(transport: transport) { stage }
            let other = try Chain(transport: transport) { stage }
            chains.withLock { $0 = ["same chain": chain, "other chain": other] }
            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 1...10 { group.addTask { try await chain.send(.get(plantsURL)).body.text() } }
                for try await text in group { #expect(text == "fresh") }
            }
            #expect(source.count == 1)
        }
    }

    @Test("What outlives the refresh is authenticated like all else")
    func afterwards() async throws {
        let later = Locked<Task<String, any Error>?>(nil)
        let mayGoOn = Rendezvous()
        let transport = InMemoryTransport { Response(.ok, body: HTTPBody($0.token ?? "none")) }
        let chains = Locked<Chain?>(nil)
        let source = TokenSource { _, _ in
            let chain = try #require(chains.withLock { $0 })
            later.withLock {
                $0 = Task {
                    try await mayGoOn.wait()
                    return try await chain.send(.get(plantsURL)).body.text()
                }
            }
            return AccessToken("fresh")
        }
        let chain = try Chain(transport: transport) { BearerAuthMiddleware(source, for: origin) }
        chains.withLock { $0 = chain }
        _ = try await chain.send(.get(plantsURL))
        mayGoOn.reach()
        #expect(try await later.withLock { $0 }?.value == "fresh")
    }
}
#endif
