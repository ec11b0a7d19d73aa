#if AllTests
import HTTPChainAuth
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import Testing

/// Gives one password to whoever asks, whatever the origin: only the stage keeps it at home.
private struct Careless: CredentialProvider {
    let origins: OriginSet

    func credential(for space: ProtectionSpace, rejected: Credential?) -> Credential? {
        rejected == nil ? ada : nil
    }
}

/// Answers any challenge with a word, whatever the origin.
private struct CarelessAuthenticator: Authenticator {
    let scheme = "Word"
    let strength = AuthenticationStrength.proof
    let origins: OriginSet

    func prepare(_ request: inout Request, in context: inout AuthenticationContext) -> Bool {
        request.setCredentials("Word sesame", in: context)
        return true
    }

    func answer(
        _ challenge: Challenge,
        to request: inout Request,
        in context: inout AuthenticationContext
    ) -> AuthenticationAnswer {
        request.setCredentials("Word open", in: context)
        return .answered
    }
}

@Suite("Credentials are for origins")
struct OriginSafetyTests {
    @Test(
        "A provider keyed by realm is not asked for another origin, which can name any realm",
        arguments: [BasicSending.whenChallenged, .preemptively],
        ["https://evil.example/", "https://api.example.com:8443/", "https://api.example.com.evil.example/"]
    )
    func realmOfAnother(sending: BasicSending, url: String) async throws {
        let stage = BasicAuthMiddleware(Careless(origins: "https://api.example.com"), sending: sending)
        let outcome = await StageHarness(stage).send(.get(url), answering: .challenge("Basic realm=home"))
        #expect(outcome.authorizations == [nil])
        let space = ProtectionSpace(origin: .of(url), realm: "home", scheme: "basic")
        #expect(try outcome.response().authenticationRefusal == .noCredential(space))
        let home = await StageHarness(stage).send(
            .get("https://api.example.com/"),
            answering: .challenge("Basic realm=home"),
            .ok
        )
        #expect(home.authorizations.contains(adaField))
    }

    @Test("Any origin has to be written out, and is then asked")
    func any() async throws {
        let stage = BasicAuthMiddleware(Careless(origins: .any))
        let outcome = await StageHarness(stage)
            .send(.get("https://other.example/"), answering: .challenge("Basic realm=x"), .ok)
        #expect(outcome.authorizations == [nil, adaField])
        #expect(stage.summary.settings.contains { $0.value == "any origin" })
    }

    @Test("An authenticator of the application's own is asked for its origins alone, before a challenge and after")
    func ownAuthenticator() async throws {
        let stage = AuthenticationMiddleware([CarelessAuthenticator(origins: "https://api.example.com")])
        let outcome = await StageHarness(stage)
            .send(.get("https://evil.example/"), answering: .challenge("Word realm=home"))
        #expect(outcome.authorizations == [nil])
        let home = await StageHarness(stage).send(.get(url))
        #expect(home.authorizations == ["Word sesame"])
    }

    @Test("A token or a session for any origin is refused when the chain is built, and sent nowhere")
    func tokenForAny() async throws {
        let stage = BearerAuthMiddleware(token: "sesame", for: .any)
        let error = #expect(throws: ChainOrderError.self) { try Chain([stage], transport: InMemoryTransport()) }
        #expect(error?.description.contains("name the origins") == true)
        #expect(await StageHarness(stage).send(.get(url)).authorizations == [nil])
    }
}

@Suite("Passwords go over TLS")
struct PlaintextTests {
    private static let stages: [@Sendable (String, Bool) -> BasicAuthMiddleware] = [
        { origin, allows in
            BasicAuthMiddleware(
                user: "ada",
                password: "lovelace",
                for: OriginSet(urls: [origin]),
                sending: .preemptively,
                allowsPlaintext: allows
            )
        },
        { _, allows in BasicAuthMiddleware(Careless(origins: .any), allowsPlaintext: allows) },
    ]

    @Test("Without TLS no password is sent, unless that is allowed", arguments: [0, 1], [false, true])
    func plaintext(index: Int, allows: Bool) async throws {
        let stage = Self.stages[index]("http://api.example.com", allows)
        let outcome = await StageHarness(stage)
            .send(.get("http://api.example.com/"), answering: .challenge("Basic realm=home"), .ok)
        #expect(outcome.authorizations.contains(adaField) == allows)
        guard !allows else { return }
        let refusal = try outcome.response().authenticationRefusal
        #expect(refusal == .plaintext(scheme: "Basic", .of("http://api.example.com")))
        #expect("\(try #require(refusal))".contains("allowsPlaintext"))
    }

    @Test(
        "This machine is reached without",
        arguments: ["http://localhost:8080", "http://127.0.0.1", "http://[::1]:1"]
    )
    func loopback(origin: String) async throws {
        for make in Self.stages {
            let outcome = await StageHarness(make(origin, false))
                .send(.get("\(origin)/"), answering: .challenge("Basic realm=home"), .ok)
            #expect(outcome.authorizations.contains(adaField))
        }
    }

    @Test("A chain that names an origin or a proxy without TLS is not built, and the fix is named")
    func building() throws {
        let stages = [
            BasicAuthMiddleware(user: "a", password: "b", for: ["http://api.example.com", "https://api.example.com"]),
            BasicAuthMiddleware(user: "a", password: "b", proxy: "http://proxy.example:3128"),
        ]
        for stage in stages {
            let error = #expect(throws: ChainOrderError.self) { try Chain([stage], transport: InMemoryTransport()) }
            #expect(error?.problems.count == 1)
            #expect(error?.reason.contains("the password to http://") == true)
            #expect(error?.description.contains("allowsPlaintext") == true)
        }
        let allowed = BasicAuthMiddleware(
            user: "a",
            password: "b",
            proxy: "http://proxy.example:3128",
            allowsPlaintext: true
        )
        _ = try Chain([allowed], transport: InMemoryTransport())
    }
}

@Suite("No downgrade")
struct DowngradeTests {
    private static let origins: OriginSet = "https://api.example.com"

    private static var password: BasicAuthenticator {
        BasicAuthenticator(.fixed(user: ada.user, password: ada.password, for: origins))
    }
    private static var strong: WordAuthenticator {
        WordAuthenticator("Proof", .proof, words: (1...20).map { "\($0)" }, for: origins)
    }

    /// The ways to have both schemes in a chain.
    private static func stages(_ arrangement: Int) -> [any Middleware] {
        switch arrangement {
        case 0: [AuthenticationMiddleware([password, strong])]
        case 1: [AuthenticationMiddleware([password]), AuthenticationMiddleware([strong])]
        default: [AuthenticationMiddleware([strong]), AuthenticationMiddleware([password])]
        }
    }

    @Test("Once an origin has accepted a proof, a challenge for the password alone gets none", arguments: 0..<3)
    func bareChallenge(arrangement: Int) async throws {
        let isAttacked = Locked(false)
        let transport = InMemoryTransport { request in
            if request.authorization?.hasPrefix("Proof") == true, !isAttacked.withLock({ $0 }) { return Response(.ok) }
            var response = Response(.unauthorized)
            response.headers[values: .wwwAuthenticate] =
                isAttacked.withLock { $0 } ? ["Basic realm=\"another\""] : ["Proof realm=a", "Basic realm=a"]
            return response
        }
        let chain = try Chain(Self.stages(arrangement), transport: transport)
        #expect(try await chain.send(.get(url)).status == .ok)
        isAttacked.withLock { $0 = true }
        let response = try await chain.send(.get("https://api.example.com/elsewhere"))
        #expect(response.status == .unauthorized)
        #expect(response.authenticationRefusal == .wouldWeaken(from: "Proof", to: "Basic"))
        #expect(!transport.requests.contains { $0.headers[.authorization]?.hasPrefix("Basic") == true })
    }

    @Test("A server that has only ever asked for the password gets it")
    func onlyPassword() async throws {
        let transport = InMemoryTransport { request in
            request.authorization == adaField
                ? Response(.ok) : Response(.unauthorized, headers: [.wwwAuthenticate: "Basic realm=a"])
        }
        let chain = try Chain(Self.stages(0), transport: transport)
        for _ in 1...2 { #expect(try await chain.send(.get(url)).status == .ok) }
        #expect(transport.requests.map { $0.headers[.authorization] } == [nil, adaField, adaField])
    }

    @Test("A password that was accepted before is not sent preemptively to an origin that has accepted a proof since")
    func notAheadAnyMore() async throws {
        let challenges = Locked(["Basic realm=a"])
        let transport = InMemoryTransport { request in
            let challenges = challenges.withLock { $0 }
            if let sent = request.authorization, challenges.contains(where: { $0.hasPrefix(sent.prefix(5)) }) {
                return Response(.ok)
            }
            var response = Response(.unauthorized)
            response.headers[values: .wwwAuthenticate] = challenges
            return response
        }
        let chain = try Chain(Self.stages(0), transport: transport)
        #expect(try await chain.send(.get("https://api.example.com/old/x")).status == .ok)
        challenges.withLock { $0 = ["Proof realm=a"] }
        #expect(try await chain.send(.get("https://api.example.com/new/x")).status == .ok)
        #expect(try await chain.send(.get("https://api.example.com/old/x")).status == .ok)
        let sent = transport.requests.map { $0.headers[.authorization] }
        #expect(sent == [nil, adaField, nil, "Proof 1", nil, "Proof 2"])
    }
}

@Suite("Two stages of one kind")
struct NestedStagesTests {
    private static func problems(_ outer: any Middleware, _ inner: any Middleware) -> [ChainProblem] {
        do {
            _ = try Chain([outer, inner], transport: InMemoryTransport())
            return []
        } catch {
            return error.problems
        }
    }

    @Test("Two for one origin are refused when the chain is built, with the fix; for different ones they are not")
    func nested() {
        let (home, other): (OriginSet, OriginSet) = ("https://api.example.com", "https://other.example")
        func basic(_ origins: OriginSet) -> BasicAuthMiddleware {
            BasicAuthMiddleware(user: "ada", password: "lovelace", for: origins)
        }
        func bearer(_ origins: OriginSet) -> BearerAuthMiddleware { BearerAuthMiddleware(token: "abc", for: origins) }
        func session(_ origins: OriginSet) -> SessionAuthMiddleware<Doorless> {
            SessionAuthMiddleware(Doorless(), for: origins)
        }
        let makers: [(OriginSet) -> any Middleware] = [
            { basic($0) }, { bearer($0) }, { session($0) },
            { AuthenticationMiddleware([BasicAuthenticator(.fixed(user: ada.user, password: ada.password, for: $0))]) },
        ]
        for make in makers {
            let problems = Self.problems(make(home), make(home))
            #expect(problems.count == 1)
            #expect(problems.first?.fix.contains("RoutedAuthMiddleware") == true)
            #expect(Self.problems(make(home), make(other)).isEmpty)
        }
        // The same scheme under another name is the same; another scheme is not.
        #expect(Self.problems(basic(home), makers[3](home)).count == 1)
        #expect(Self.problems(basic(home), bearer(home)).isEmpty)
        #expect(Self.problems(basic(home), BasicAuthMiddleware(Careless(origins: .any))).count == 1)
    }
}

private struct Doorless: SessionAuthenticator {
    func authenticate(replacing old: Int?, in context: RefreshContext) async throws -> Int { 1 }
}
#endif
