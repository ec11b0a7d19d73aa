#if AllTests
import Foundation
import HTTPChainAuth
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import Testing

private let both = "Basic realm=docs, Strong realm=docs"

private func strong(_ words: String..., sendsPreemptively: Bool = false) -> WordAuthenticator {
    WordAuthenticator("Strong", .proof, words: words, sendsPreemptively: sendsPreemptively)
}

private func basic(_ sending: BasicSending = .whenChallenged) -> BasicAuthenticator {
    BasicAuthenticator(.fixed(user: ada.user, password: ada.password, for: "https://api.example.com"), sending: sending)
}

@Suite("Several schemes in one stage")
struct NegotiationTests {
    private func harness(_ authenticators: any Authenticator...) -> StageHarness {
        StageHarness(AuthenticationMiddleware(authenticators))
    }

    @Test("The strongest that is offered is used, in whatever order they were given or offered")
    func strongest() async throws {
        for challenge in [both, "Strong realm=docs, Basic realm=docs"] {
            let one = await harness(basic(), strong("a")).send(.get(url), answering: .challenge(challenge), .ok)
            let other = await harness(strong("a"), basic()).send(.get(url), answering: .challenge(challenge), .ok)
            #expect(one.authorizations == [nil, "Strong a"] && other.authorizations == [nil, "Strong a"])
        }
    }

    @Test("Of equal ones the first given is used")
    func equal() async {
        let first = WordAuthenticator("One", .proof, words: ["1"])
        let second = WordAuthenticator("Two", .proof, words: ["2"])
        let outcome = await harness(first, second).send(.get(url), answering: .challenge("Two, One"), .ok)
        #expect(outcome.authorizations == [nil, "One 1"])
    }

    @Test("A weaker one is used when the stronger is not offered, has no credential, or does not know the challenge")
    func weaker() async {
        let rows: [(WordAuthenticator, String)] = [
            (strong("a"), "Basic realm=docs"), (strong(), both), (strong("a"), "Strong unknown=1, Basic realm=docs"),
        ]
        for (stronger, challenge) in rows {
            let outcome = await harness(stronger, basic()).send(.get(url), answering: .challenge(challenge), .ok)
            #expect(outcome.authorizations == [nil, adaField], "\(challenge)")
        }
    }

    @Test("After the stronger was rejected the password is not given away")
    func neverWeakened() async throws {
        let outcome = await harness(strong("a"), basic()).send(
            .get(url),
            answering: .challenge(both),
            .challenge(both)
        )
        #expect(outcome.authorizations == [nil, "Strong a"])
        let space = ProtectionSpace(origin: .of(url), realm: "docs", scheme: "strong")
        #expect(try outcome.response().authenticationRefusal == .rejected(space))
    }

    @Test("A server whose path takes Basic alone gets it, though the stronger was sent preemptively")
    func otherPath() async {
        let outcome = await harness(strong("a", sendsPreemptively: true), basic()).send(
            .get(url),
            answering: .challenge("Basic realm=docs"),
            .ok
        )
        #expect(outcome.authorizations == ["Strong a", adaField])
    }

    @Test("A weaker one is not sent preemptively where a stronger could be asked for")
    func notAhead() async {
        let stage = harness(strong("a"), basic(.preemptively))
        #expect(await stage.send(.get(url)).authorizations == [nil])
        #expect(await harness(basic(.preemptively)).send(.get(url)).authorizations == [adaField])
    }

    @Test("A scheme may take several answers, up to the limit")
    func limit() async throws {
        let words = ["1", "2", "3", "4", "5", "6"]
        let answers = Array(repeating: StageHarness.Answer.challenge(both), count: 6)
        for limit in [1, 2, 5] {
            let authenticator = WordAuthenticator("Strong", .proof, words: words)
            let stage = AuthenticationMiddleware([authenticator], maximumAnswers: limit)
            let outcome = await StageHarness(stage).send(.get(url), answering: answers)
            #expect(outcome.requests.count == limit + 1)
            #expect(try outcome.response().authenticationRefusal == .tooManyAnswers(limit))
        }
    }

    @Test("The one whose credentials were accepted looks at the response, and no other")
    func check() async {
        let (used, unused) = (strong("a", "b"), WordAuthenticator("Other", .token, words: ["x"]))
        let stage = harness(used, unused)
        _ = await stage.send(.get(url), answering: .challenge(both), .status(.notFound))
        #expect(used.checkedStatuses == [404] && unused.checkedStatuses.isEmpty)
        // Without credentials there is nothing to look at.
        _ = await stage.send(.get(url))
        #expect(used.checkedStatuses == [404])
    }

    @Test("A response that is given up is drained, and the one returned is whole")
    func drained() async throws {
        let left = Locked(["a", "b", "c"])
        let body = HTTPBody.once { SharedReader(chunks: left) }
        let outcome = await harness(basic()).send(
            .get(url),
            answering: .challenge("Basic realm=docs", body: body),
            .ok("whole")
        )
        #expect(left.withLock { $0 }.isEmpty)
        #expect(try await outcome.response().body.text() == "whole")
    }

    @Test("A stage without schemes passes everything on")
    func none() async throws {
        let outcome = await harness().send(.get(url), answering: .challenge(both))
        #expect(try outcome.response().authenticationRefusal == .noCommonScheme(offered: ["Basic", "Strong"]))
    }
}

private struct SharedReader: BodyReader {
    let chunks: Locked<[String]>

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        chunks.withLock { $0.isEmpty ? nil : Data($0.removeFirst().utf8) }
    }
}

@Suite("Several stages in one chain")
struct CooperationTests {
    /// Which credentials the server saw, given what it offers and takes.
    private func fields(
        _ stages: [any Middleware],
        offering challenge: String,
        taking accepted: String?
    ) async throws -> (fields: [String?], response: Response) {
        let transport = InMemoryTransport { request in
            if let accepted, request.authorization == accepted { return Response(.ok) }
            return Response(.unauthorized, headers: [.wwwAuthenticate: challenge])
        }
        let chain = try Chain(stages, transport: transport)
        let response = try await chain.send(.get(url))
        return (transport.requests.map { $0.headers[.authorization] }, response)
    }

    private var basicStage: BasicAuthMiddleware {
        BasicAuthMiddleware(.fixed(user: ada.user, password: ada.password, for: "https://api.example.com"))
    }

    private func strongStage(_ words: String...) -> AuthenticationMiddleware {
        AuthenticationMiddleware([WordAuthenticator("Strong", .proof, words: words)])
    }

    @Test("Basic further in leaves a challenge that offers the stronger to the stage further out")
    func strongOutside() async throws {
        let seen = try await fields([strongStage("a"), basicStage], offering: both, taking: "Strong a")
        #expect(seen.fields == [nil, "Strong a"] && seen.response.status == .ok)
    }

    @Test("Basic further out comes after the stronger, which answers first")
    func strongInside() async throws {
        let seen = try await fields([basicStage, strongStage("a")], offering: both, taking: "Strong a")
        #expect(seen.fields == [nil, "Strong a"] && seen.response.status == .ok)
    }

    @Test("Where Basic alone is offered it is used, further in or further out")
    func basicAlone() async throws {
        for stages in [[basicStage, strongStage("a")] as [any Middleware], [strongStage("a"), basicStage]] {
            let seen = try await fields(stages, offering: "Basic realm=docs", taking: adaField)
            #expect(seen.fields == [nil, adaField] && seen.response.status == .ok)
        }
    }

    @Test("After the stronger was rejected Basic does not follow, further in or further out")
    func neverWeakened() async throws {
        for stages in [[basicStage, strongStage("a")] as [any Middleware], [strongStage("a"), basicStage]] {
            let seen = try await fields(stages, offering: both, taking: nil)
            #expect(seen.fields == [nil, "Strong a"])
            #expect(seen.response.status == .unauthorized)
            #expect(seen.response.authenticationRefusal != nil)
        }
        let outer = try await fields([basicStage, strongStage("a")], offering: both, taking: nil)
        #expect(outer.response.authenticationRefusal == .wouldWeaken(from: "Strong", to: "Basic"))
    }

    @Test("Preemptive Basic, further in than the stronger, waits to be asked")
    func aheadInside() async throws {
        let preemptive = BasicAuthMiddleware(
            .fixed(user: ada.user, password: ada.password, for: "https://api.example.com"),
            sending: .preemptively
        )
        let seen = try await fields([strongStage("a"), preemptive], offering: both, taking: "Strong a")
        #expect(seen.fields == [nil, "Strong a"])
    }

    @Test("Preemptive Basic, further out than the stronger, is refused when the chain is built")
    func aheadOutside() throws {
        let preemptive = BasicAuthMiddleware(
            .fixed(user: ada.user, password: ada.password, for: "https://api.example.com"),
            sending: .preemptively
        )
        let error = #expect(throws: ChainOrderError.self) {
            try Chain([preemptive, strongStage("a")], transport: InMemoryTransport())
        }
        #expect(error?.problems.first?.fix.contains("AuthenticationMiddleware([") == true)
        // A proxy is another matter.
        let proxy = BasicAuthMiddleware(user: "a", password: "b", proxy: "https://proxy", sending: .preemptively)
        _ = try Chain([proxy, strongStage("a")], transport: InMemoryTransport())
    }

    @Test("A server and a proxy that both ask are both answered")
    func serverAndProxy() async throws {
        let transport = InMemoryTransport { request in
            if request.head.headerFields[.proxyAuthorization] != graceField {
                return Response(.proxyAuthenticationRequired, headers: [.proxyAuthenticate: "Basic realm=p"])
            }
            if request.authorization != adaField {
                return Response(.unauthorized, headers: [.wwwAuthenticate: "Basic realm=s"])
            }
            return Response(.ok)
        }
        let chain = try Chain(transport: transport) {
            BasicAuthMiddleware(user: "ada", password: "lovelace", for: "http://a.example", allowsPlaintext: true)
            BasicAuthMiddleware(user: "grace", password: "hopper", proxy: "https://proxy.example:3128")
        }
        #expect(try await chain.send(.get("http://a.example/x")).status == .ok)
        #expect(try await chain.send(.get("http://a.example/x")).status == .ok)
        #expect(transport.requestCount == 4)
    }
}
#endif
