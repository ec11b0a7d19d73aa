#if AllTests
import HTTPChainAuth
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

private let challenge = "Basic realm=\"docs\""

private func fixed(_ sending: BasicSending = .whenChallenged) -> BasicAuthMiddleware {
    BasicAuthMiddleware(user: "ada", password: "lovelace", for: "https://api.example.com", sending: sending)
}

@Suite("BasicAuthMiddleware", .timeLimit(.minutes(10)))
struct BasicAuthMiddlewareTests {
    @Test("The stage sends the password when the server asks, and not before")
    func whenChallenged() async throws {
        let outcome = await StageHarness(fixed()).send(.get(url), answering: .challenge(challenge), .ok)
        #expect(outcome.authorizations == [nil, adaField])
        #expect(try outcome.response().status == .ok)
        #expect(try outcome.response().authenticationRefusal == nil)
    }

    @Test("The session of the stage is open once a credential was sent, until the server rejects it")
    func session() async throws {
        let stage = fixed()
        #expect(!stage.isSessionOpen)
        _ = await StageHarness(stage).send(.get(url), answering: .challenge(challenge), .ok)
        #expect(stage.isSessionOpen)
        let rejected = await StageHarness(stage).send(
            .get(url),
            answering: .challenge(challenge),
            .challenge(challenge),
            .challenge(challenge)
        )
        #expect(try rejected.response().status == .unauthorized)
        #expect(!stage.isSessionOpen)
    }

    @Test("After a challenge it sends the password preemptively to what is in the same directory or deeper")
    func remembered() async throws {
        let stage = StageHarness(fixed())
        _ = await stage.send(.get(url), answering: .challenge(challenge), .ok)
        let rows: [(String, String?)] = [
            ("https://api.example.com/docs/other?x=1", adaField), ("https://api.example.com/docs/deep/er", adaField),
            ("https://api.example.com:443/docs/x", adaField), ("https://API.example.com/docs/x", adaField),
            ("https://api.example.com/docs", nil), ("https://api.example.com/", nil),
            ("https://api.example.com:8443/docs/x", nil), ("http://api.example.com/docs/x", nil),
            ("https://example.com/docs/x", nil), ("https://api.example.com.evil.example/docs/x", nil),
        ]
        for (url, field) in rows {
            #expect(await stage.send(.get(url)).authorizations == [field], "\(url)")
        }
    }

    @Test("Preemptively, it sends the password with the first request, and also one whose body can be read once")
    func preemptive() async throws {
        let request = Request.post(url, body: .chunks(["a"]))
        #expect(await StageHarness(fixed(.preemptively)).send(request).authorizations == [adaField])
    }

    @Test("The password goes to the origins named and to no other, whatever the server or the request says")
    func otherOrigins() async throws {
        let rows = [
            "http://api.example.com/docs/", "https://api.example.com:8443/", "https://evil.example/",
            "https://api.example.com.evil.example/", "https://api.example.com@evil.example/", "/relative", "",
        ]
        for sending in [BasicSending.whenChallenged, .preemptively] {
            for url in rows {
                let outcome = await StageHarness(fixed(sending)).send(.get(url), answering: .challenge(challenge))
                #expect(outcome.authorizations == [nil], "\(url)")
                #expect(try outcome.response().status == .unauthorized)
            }
        }
        let name = try #require(HTTPField.Name("Host"))
        let forged = Request.get(url, headers: [name: "evil.example"])
        #expect(await StageHarness(fixed(.preemptively)).send(forged).authorizations == [nil])
        let same = Request.get(url, headers: [name: "api.example.com"])
        #expect(await StageHarness(fixed(.preemptively)).send(same).authorizations == [adaField])
    }

    @Test("A challenge that came from another origin, behind a redirect, is not answered")
    func challengeFromElsewhere() async throws {
        var response = Response(.unauthorized, headers: [.wwwAuthenticate: challenge])
        response.request = Request.get("https://evil.example/").head
        let outcome = await StageHarness(fixed()).send(.get(url), answering: .response(response))
        let refusal = try outcome.response().authenticationRefusal
        #expect(refusal == .otherOrigin(.of("https://evil.example")))
        #expect(outcome.authorizations == [nil])
    }

    @Test("The field is bound to its origin, so that a redirect stage drops it")
    func bound() async throws {
        let outcome = await StageHarness(fixed(.preemptively)).send(.get(url))
        var request = try #require(outcome.requests.first)
        #expect(request.options[OriginBoundFieldsNote.self] == [.authorization: .of(url)])
        request.removeFields(boundToOthersThan: .of("https://evil.example"))
        #expect(request.authorization == nil)
        // Declared beside what others declared.
        var busy = Request.get(url)
        busy.options[OriginBoundFieldsNote.self] = [.cookie: .of("https://b.example")]
        let both = await StageHarness(fixed(.preemptively)).send(busy).requests.first?.options[
            OriginBoundFieldsNote.self
        ]
        #expect(both == [.cookie: .of("https://b.example"), .authorization: .of(url)])
    }

    @Test("The field is kept out of the tables of header compression")
    func indexing() async throws {
        let request = try #require(await StageHarness(fixed(.preemptively)).send(.get(url)).requests.first)
        #expect(request.head.headerFields[fields: .authorization].map(\.indexingStrategy) == [.disallow])
    }

    @Test("A field that was set by hand stays, and its 401 is the caller's")
    func byHand() async throws {
        let request = Request.get(url, headers: [.authorization: "Token mine"])
        let outcome = await StageHarness(fixed(.preemptively)).send(request, answering: .challenge(challenge))
        #expect(outcome.authorizations == ["Token mine"])
        #expect(try outcome.response().status == .unauthorized)
    }

    @Test("A request that is to stay without credentials stays without")
    func unauthenticated() async throws {
        let request = Request.get(url).authentication(false)
        let outcome = await StageHarness(fixed(.preemptively)).send(request, answering: .challenge(challenge))
        #expect(outcome.authorizations == [nil])
    }

    @Test("A rejected password is not sent again: the 401 is the response, and says why")
    func rejected() async throws {
        for sending in [BasicSending.whenChallenged, .preemptively] {
            let first: [StageHarness.Answer] = sending == .preemptively ? [] : [.challenge(challenge)]
            let outcome = await StageHarness(fixed(sending)).send(
                .get(url),
                answering: first + [.challenge(challenge, body: "no")]
            )
            let response = try outcome.response()
            #expect(response.status == .unauthorized)
            let space = ProtectionSpace(origin: .of(url), realm: "docs", scheme: "Basic")
            #expect(response.authenticationRefusal == .rejected(space))
            #expect(try await response.body.text() == "no")
        }
    }

    @Test("A provider is asked again when its credential is rejected, a bounded number of times")
    func asksAgain() async throws {
        let provider = ListedCredentials([ada, grace])
        let stage = StageHarness(BasicAuthMiddleware(provider))
        let outcome = await stage.send(.get(url), answering: .challenge(challenge), .challenge(challenge), .ok)
        #expect(outcome.authorizations == [nil, adaField, graceField])
        #expect(provider.questions.map(\.rejected) == [nil, ada])
        #expect(provider.questions.allSatisfy { $0.space.realm == "docs" && $0.space.scheme == "basic" })
        // What was accepted serves the next call.
        #expect(await stage.send(.get(url)).authorizations == [graceField])
        #expect(provider.questions.count == 2)

        let endless = ListedCredentials((0..<100).map { Credential(user: "\($0)", password: "x") })
        let answers = Array(repeating: StageHarness.Answer.challenge(challenge), count: 4)
        let end = await StageHarness(BasicAuthMiddleware(endless)).send(.get(url), answering: answers)
        #expect(end.requests.count == 4)
        #expect(try end.response().authenticationRefusal == .tooManyAnswers(3))
    }

    @Test("A provider that gives what was rejected is not asked for ever")
    func stubborn() async throws {
        let provider = ListedCredentials(Array(repeating: ada, count: 10))
        let outcome = await StageHarness(BasicAuthMiddleware(provider)).send(
            .get(url),
            answering: .challenge(challenge),
            .challenge(challenge)
        )
        #expect(outcome.requests.count == 2 && provider.questions.count == 2)
        #expect(try outcome.response().status == .unauthorized)
    }

    @Test("Without a credential the 401 is the response, its body unread")
    func noCredential() async throws {
        let provider = ListedCredentials([nil])
        let outcome = await StageHarness(BasicAuthMiddleware(provider)).send(
            .get(url),
            answering: .challenge(challenge, body: "please")
        )
        let response = try outcome.response()
        let space = ProtectionSpace(origin: .of(url), realm: "docs", scheme: "basic")
        #expect(response.authenticationRefusal == .noCredential(space))
        #expect(try await response.body.text() == "please")
    }

    @Test("Each realm has its own credential")
    func realms() async throws {
        let provider = ClosureCredentialProvider(for: "https://api.example.com") { space, _ in
            space.realm == "admin" ? grace : ada
        }
        let stage = StageHarness(BasicAuthMiddleware(provider))
        let admin = Request.get("https://api.example.com/docs/admin/x")
        _ = await stage.send(.get(url), answering: .challenge(challenge), .ok)
        let outcome = await stage.send(admin, answering: .challenge("Basic realm=admin"), .ok)
        #expect(outcome.authorizations == [adaField, graceField])
        #expect(await stage.send(admin).authorizations == [graceField])
        #expect(await stage.send(.get(url)).authorizations == [adaField])
    }

    @Test("A realm's credential that another realm rejects is no rejected one to the provider")
    func otherRealm() async throws {
        let provider = ListedCredentials([ada, ada, grace])
        let stage = StageHarness(BasicAuthMiddleware(provider))
        _ = await stage.send(.get(url), answering: .challenge(challenge), .ok)
        let admin = Request.get("https://api.example.com/docs/admin/x")
        let outcome = await stage.send(admin, answering: .challenge("Basic realm=admin"), .ok)
        // The same password again for the other realm would be the same request again, so that it is asked once more.
        #expect(outcome.authorizations == [adaField, graceField])
        #expect(provider.questions.map(\.space.realm) == ["docs", "admin", "admin"])
        #expect(provider.questions.map(\.rejected) == [nil, nil, ada])
    }

    @Test("Of several challenges it answers Basic, whichever way they are sent")
    func several() async throws {
        for challenges in [["Digest realm=x, nonce=y, basic realm=docs"], ["NTLM", "Basic realm=docs"]] {
            var response = Response(.unauthorized)
            response.headers[values: .wwwAuthenticate] = challenges
            let outcome = await StageHarness(fixed()).send(.get(url), answering: .response(response), .ok)
            #expect(outcome.authorizations == [nil, adaField])
        }
        let outcome = await StageHarness(fixed()).send(.get(url), answering: .challenge("NTLM", "Bearer realm=a"))
        #expect(try outcome.response().authenticationRefusal == .noCommonScheme(offered: ["NTLM", "Bearer"]))
        let none = await StageHarness(fixed()).send(.get(url), answering: .status(.unauthorized))
        #expect(try none.response().authenticationRefusal == .noCommonScheme(offered: []))
    }

    @Test("A body that can be read once is not sent again: the 401 is the response, nobody is asked")
    func oneShot() async throws {
        let provider = ListedCredentials([ada])
        let outcome = await StageHarness(BasicAuthMiddleware(provider)).send(
            .post(url, body: .chunks(["a"])),
            answering: .challenge(challenge)
        )
        #expect(try outcome.response().authenticationRefusal == .bodyReadableOnce)
        #expect(provider.questions.isEmpty)
    }

    @Test("A 403 and a 407 are no challenge of the server")
    func otherStatuses() async throws {
        for status in [HTTPResponse.Status.forbidden, .proxyAuthenticationRequired, .ok] {
            let answer = StageHarness.Answer.status(status, headers: [.wwwAuthenticate: challenge])
            #expect(await StageHarness(fixed()).send(.get(url), answering: answer).requests.count == 1)
        }
    }

    @Test("A proxy is answered with its own field, for requests that a proxy reads")
    func proxy() async throws {
        let stage = BasicAuthMiddleware(
            user: "ada",
            password: "lovelace",
            proxy: "http://proxy.example:3128",
            allowsPlaintext: true
        )
        let demand = StageHarness.Answer.status(
            .proxyAuthenticationRequired,
            headers: [.proxyAuthenticate: "Basic realm=proxy"]
        )
        let outcome = await StageHarness(stage).send(.get("http://a.example/x"), answering: demand, .ok)
        #expect(outcome.requests.map { $0.head.headerFields[.proxyAuthorization] } == [nil, adaField])
        #expect(outcome.authorizations == [nil, nil])
        let bound = outcome.requests.last?.options[OriginBoundFieldsNote.self]
        #expect(bound == [.proxyAuthorization: .of("http://a.example")])
        // A tunnel would take the password to the server, which must not get it by answering 407.
        let tunnel = await StageHarness(stage).send(.get("https://a.example/x"), answering: demand)
        #expect(tunnel.requests.map { $0.head.headerFields[.proxyAuthorization] } == [nil])
        // A 401 is not the proxy's.
        let server = await StageHarness(stage).send(.get("http://a.example/x"), answering: .challenge(challenge))
        #expect(server.requests.count == 1)
    }

    @Test("The proxy's credential serves all servers behind it")
    func proxyAhead() async throws {
        let stage = StageHarness(
            BasicAuthMiddleware(
                user: "ada",
                password: "lovelace",
                proxy: "http://proxy:3128",
                sending: .preemptively,
                allowsPlaintext: true
            )
        )
        for server in ["http://a.example/", "http://b.example/x"] {
            let request = await stage.send(.get(server)).requests.first
            #expect(request?.head.headerFields[.proxyAuthorization] == adaField)
            #expect(request?.options[OriginBoundFieldsNote.self] == [.proxyAuthorization: .of(server)])
        }
    }

    @Test("Many calls at the same time ask the provider once")
    func onePrompt() async throws {
        let gate = Rendezvous()
        let provider = ListedCredentials([ada], after: gate)
        let stage = BasicAuthMiddleware(provider)
        let waiting = Locked(0)
        let transport = InMemoryTransport { request in
            if request.authorization == adaField { return Response(.ok) }
            waiting.withLock { $0 += 1 }
            return Response(.unauthorized, headers: [.wwwAuthenticate: challenge])
        }
        let chain = try Chain([stage], transport: transport)
        try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
            for _ in 0..<100 { group.addTask { try await chain.send(.get(url)).status } }
            try await until("all to be asked for a password") {
                waiting.withLock { $0 } == 100 && !provider.questions.isEmpty
            }
            gate.reach()
            for try await status in group { #expect(status == .ok) }
        }
        #expect(provider.questions.count == 1)
    }

    @Test("A password that changes while many calls are in flight is asked for once")
    func askedOnce() async throws {
        let provider = ListedCredentials([ada, grace])
        let valid = Locked(adaField)
        let transport = InMemoryTransport { request in
            request.authorization == valid.withLock { $0 }
                ? Response(.ok) : Response(.unauthorized, headers: [.wwwAuthenticate: challenge])
        }
        let chain = try Chain([BasicAuthMiddleware(provider)], transport: transport)
        #expect(try await chain.send(.get(url)).status == .ok)
        valid.withLock { $0 = graceField }
        try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
            for _ in 0..<100 { group.addTask { try await chain.send(.get(url)).status } }
            for try await status in group { #expect(status == .ok) }
        }
        #expect(provider.questions.map(\.rejected) == [nil, ada])
    }

    @Test("Cancelling a call ends its wait for the provider; the others go on")
    func cancellation() async throws {
        let gate = Rendezvous()
        // The first is asked for a second time when the second call comes after the first has gone.
        let provider = ListedCredentials([ada, ada], after: gate)
        let chain = try Chain(
            [BasicAuthMiddleware(provider)],
            transport: InMemoryTransport { request in
                request.authorization == nil
                    ? Response(.unauthorized, headers: [.wwwAuthenticate: challenge]) : Response(.ok)
            }
        )
        let first = Task { try await chain.send(.get(url)) }
        try await until("the first call to wait") { !provider.questions.isEmpty }
        let second = Task { try await chain.send(.get(url)) }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        gate.reach()
        #expect(try await second.value.status == .ok)
    }
}

@Suite("BasicAuthMiddleware's errors", .timeLimit(.minutes(10)))
struct BasicAuthErrorTests {
    struct Broken: Error {}

    @Test("What the provider throws is the cause of a typed error")
    func providerFails() async throws {
        let provider = ClosureCredentialProvider(for: "https://api.example.com") { _, _ in throw Broken() }
        let outcome = await StageHarness(BasicAuthMiddleware(provider)).send(
            .get(url),
            answering: .challenge(challenge)
        )
        let error = try #require(outcome.error as? AuthenticationError)
        #expect(error.underlyingError is Broken)
        #expect(error.stage == "BasicAuthMiddleware")
        let space = ProtectionSpace(origin: .of(url), realm: "docs", scheme: "basic")
        #expect(error.problem == .providerFailed(space))
    }

    @Test("A credential that Basic cannot carry is a typed error with the request")
    func invalid() async throws {
        let stage = BasicAuthMiddleware(
            user: "a:b",
            password: "c",
            for: "https://api.example.com",
            sending: .preemptively
        )
        let outcome = await StageHarness(stage).send(.get(url), answering: [])
        let error = try #require(outcome.error as? AuthenticationError)
        guard case .invalidCredential("Basic", let why) = error.problem else { return #expect(Bool(false)) }
        #expect(why.contains("colon") && error.exchange?.url == url)
    }

    @Test("A provider that needs its own credential is told so, and does not wait for ever")
    func reentry() async throws {
        let own = Locked<Chain?>(nil)
        let provider = ClosureCredentialProvider(for: "https://api.example.com") { _, _ in
            _ = try await own.withLock { $0 }?.send(.get(url))
            return ada
        }
        let chain = try Chain(
            [BasicAuthMiddleware(provider)],
            transport: InMemoryTransport { _ in Response(.unauthorized, headers: [.wwwAuthenticate: challenge]) }
        )
        own.withLock { $0 = chain }
        defer { own.withLock { $0 = nil } }
        let error = await #expect(throws: AuthenticationError.self) { try await chain.send(.get(url)) }
        let space = ProtectionSpace(origin: .of(url), realm: "docs", scheme: "basic")
        #expect(error?.problem == .providerWaitsForItself(space))
    }

    @Test("An origin that is none is found when the chain is built")
    func invalidOrigin() throws {
        for text in ["api.example.com", "htps://x", "https://", "", "https://u:secret@"] {
            let stage = BasicAuthMiddleware(user: "a", password: "b", for: OriginSet(urls: [text]))
            let error = #expect(throws: ChainOrderError.self) { try Chain([stage], transport: InMemoryTransport()) }
            #expect(error?.problems.map(\.stage) == ["BasicAuthMiddleware"])
            #expect(error?.description.contains("secret") == false)
        }
        let proxy = BasicAuthMiddleware(user: "a", password: "b", proxy: "proxy:3128")
        #expect(throws: ChainOrderError.self) { try Chain([proxy], transport: InMemoryTransport()) }
    }

    @Test("A transport that follows redirects itself is refused")
    func redirects() throws {
        let transport = InMemoryTransport(capabilities: [.followsRedirects])
        let error = #expect(throws: ChainOrderError.self) {
            try Chain([BasicAuthMiddleware(user: "a", password: "b", for: "https://a.example")], transport: transport)
        }
        #expect(error?.problems.first?.fix.contains("RedirectMiddleware") == true)
    }
}
#endif
