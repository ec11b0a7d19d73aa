#if AllTests
import Foundation
import HTTPChainAuth
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import Testing

@testable import HTTPChainAuthDigest

private let base = "https://plants.example"

@Suite("Answering challenges", .timeLimit(.minutes(10)))
struct FlowTests {
    private func stage(_ password: Secret = "lovelace") -> DigestAuthMiddleware {
        DigestAuthMiddleware(user: "ada", password: password, for: "https://plants.example")
    }

    @Test(
        "Every algorithm is accepted with every protection",
        arguments: DigestAlgorithm.allCases,
        [nil, "auth", "auth-int"]
    )
    func combinations(algorithm: DigestAlgorithm, qop: String?) async throws {
        let server = DigestServer {
            $0.algorithms = [algorithm]
            $0.qop = qop
            $0.proof = .right
        }
        let chain = try server.chain(stage())
        for path in ["/a", "/a?x=1&y=%20", "/", "/a?f[x]=%41"] {
            let response = try await chain.send(.post(base + path, body: "what is sent"))
            #expect(response.status == .ok)
            #expect(response.serverProof == (qop == "auth-int" ? .verifiedWhileRead : .verified))
            #expect(try await response.body.text() == "secret content")
        }
        #expect(server.accepted.map(\.uri) == ["/a", "/a?x=1&y=%20", "/", "/a?f%5Bx%5D=%41"])
        #expect(server.unanswered == 1)
        #expect(server.refused.isEmpty)
        if qop != nil { #expect(server.accepted.map(\.count) == [1, 2, 3, 4]) }
    }

    @Test("The server's challenge is asked for once, and later requests carry a preemptive answer")
    func preemptive() async throws {
        let server = DigestServer()
        let chain = try server.chain(stage())
        for index in 0..<5 { #expect(try await chain.send(.get("\(base)/\(index)")).status == .ok) }
        #expect(server.unanswered == 1)
        #expect(server.accepted.map(\.count) == [1, 2, 3, 4, 5])
        #expect(Set(server.accepted.map(\.nonce)).count == 1)
        #expect(Set(server.accepted.map(\.cnonce)).count == 5)
    }

    @Test("The field is bound to its origin, and its value is not put into header compression tables")
    func bound() async throws {
        let outcome = await StageHarness(stage()).send(
            .get("\(base)/a"),
            answering: .status(.unauthorized, headers: [.wwwAuthenticate: "Digest realm=r, nonce=n, qop=auth"]),
            .ok
        )
        #expect(outcome.requests.count == 2)
        let request = try #require(outcome.requests.last)
        #expect(request.options[OriginBoundFieldsNote.self][.authorization] == Origin(base))
        #expect(request.head.headerFields[fields: .authorization].map(\.indexingStrategy) == [.disallow])
    }

    @Test("The client's nonce comes from the environment's random numbers")
    func cnonce() async throws {
        let answer = StageHarness.Answer.status(
            .unauthorized,
            headers: [.wwwAuthenticate: "Digest realm=r, nonce=n, qop=auth"]
        )
        var cnonces: [String] = []
        for seed: UInt64 in [1, 1, 2] {
            let outcome = await StageHarness(stage(), seed: seed).send(.get("\(base)/a"), answering: answer, .ok)
            let value = try #require(outcome.requests.last?.head.headerFields[.authorization])
            cnonces.append(try #require(Challenge.parse([value]).first?["cnonce"]))
        }
        #expect(cnonces[0] == cnonces[1] && cnonces[1] != cnonces[2])
        #expect(cnonces.allSatisfy { $0.utf8.count == 32 })
    }

    @Test("A session's key stays that of its first nonces, through next nonces, too")
    func session() async throws {
        let server = DigestServer {
            $0.algorithms = [.sha512256Session]
            $0.givesNextNonce = true
        }
        let chain = try server.chain(stage())
        for _ in 0..<4 { #expect(try await chain.send(.get("\(base)/a")).status == .ok) }
        #expect(Set(server.accepted.map(\.nonce)).count == 4)
        #expect(Set(server.accepted.map(\.cnonce)).count == 1)
        #expect(server.unanswered == 1 && server.refused.isEmpty)
    }

    @Test("A name beyond ASCII is understood, in the clear and hashed", arguments: [false, true], [false, true])
    func names(userhash: Bool, isUTF8: Bool) async throws {
        let user = "J\u{E4}s\u{F8}n"
        let server = DigestServer {
            $0.users = [user: "p\u{E4}ss"]
            $0.userhash = userhash
            $0.isUTF8 = isUTF8
        }
        let stage = DigestAuthMiddleware(user: user, password: "p\u{E4}ss", for: "https://plants.example")
        #expect(try await server.chain(stage).send(.get("\(base)/a")).status == .ok)
        #expect(server.accepted.map(\.user) == [user])
    }
}

@Suite("Nonces", .timeLimit(.minutes(10)))
struct NonceTests {
    private let provider = CountingProvider("lovelace")

    @Test("A stale nonce is replaced without asking for credentials, and counted from the beginning")
    func stale() async throws {
        let server = DigestServer { $0.nonceUses = 2 }
        let chain = try server.chain(DigestAuthMiddleware(provider))
        for _ in 0..<5 { #expect(try await chain.send(.get("\(base)/a")).status == .ok) }
        #expect(server.accepted.map(\.count) == [1, 2, 1, 2, 1])
        #expect(server.refused == ["used up", "used up"])
        #expect(server.unanswered == 1)
        #expect(provider.count == 1)
    }

    @Test("A nonce that is stale again at once is not replaced without end")
    func staleForEver() async throws {
        let server = DigestServer { $0.nonceUses = 0 }
        let response = try await server.chain(DigestAuthMiddleware(provider)).send(.get("\(base)/a"))
        #expect(response.status == .unauthorized)
        #expect(server.refused == ["used up", "used up"])
        #expect(provider.count == 1)
        #expect(response.authenticationRefusal != nil)
    }

    @Test("A server that forgot its nonces is answered once more, whether it says so or not", arguments: [true, false])
    func restart(saysStale: Bool) async throws {
        let server = DigestServer { $0.saysStale = saysStale }
        let chain = try server.chain(DigestAuthMiddleware(provider))
        #expect(try await chain.send(.get("\(base)/a")).status == .ok)
        server.restart()
        #expect(try await chain.send(.get("\(base)/a")).status == .ok)
        #expect(server.refused == ["nonce"])
        #expect(provider.count == 1)
    }

    @Test("The next nonce that the server gives is used, and counted from the beginning")
    func nextNonce() async throws {
        let server = DigestServer { $0.givesNextNonce = true }
        let chain = try server.chain(DigestAuthMiddleware(provider))
        for _ in 0..<3 { #expect(try await chain.send(.get("\(base)/a")).status == .ok) }
        #expect(server.accepted.map(\.count) == [1, 1, 1])
        #expect(server.accepted.dropFirst().allSatisfy { $0.nonce.hasPrefix("next-") })
        #expect(Set(server.accepted.map(\.nonce)).count == 3)
        #expect(server.unanswered == 1 && server.refused.isEmpty)
    }

    @Test("The next nonce in a stored response that the server validated is not used again")
    func storedNextNonce() async throws {
        let server = DigestServer { $0.givesNextNonce = true }
        let chain = try Chain(transport: server.transport) {
            DigestAuthMiddleware(provider)
            ClosureMiddleware("Stores", phase: .wire) { request, next in
                var response = try await next(request)
                if response.status == .ok { response.source = .stored(received: HTTPResponse(status: .notModified)) }
                return response
            }
        }
        for _ in 0..<2 { #expect(try await chain.send(.get("\(base)/a")).status == .ok) }
        #expect(server.accepted.map(\.count) == [1, 2])
        #expect(server.accepted.allSatisfy { !$0.nonce.hasPrefix("next-") })
    }

    @Test("A nonce that comes again is counted on")
    func again() async throws {
        let server = DigestServer { $0.repeatsNonce = true }
        let authenticator = DigestAuthenticator(provider)
        let chain = try server.chain(DigestAuthMiddleware(authenticator))
        #expect(try await chain.send(.get("\(base)/a")).status == .ok)
        // Another user of the same server does not know that the credential was accepted.
        authenticator.spaces.reject(Credential(user: "ada", password: "lovelace"), in: provider.spaces[0])
        #expect(try await chain.send(.get("\(base)/a")).status == .ok)
        #expect(server.accepted.map(\.count) == [1, 2])
        #expect(server.unanswered == 2)
    }

    @Test("A nonce that was used as often as can be counted is given up")
    func overflow() async throws {
        let server = DigestServer()
        let authenticator = DigestAuthenticator(provider)
        let chain = try server.chain(DigestAuthMiddleware(authenticator))
        #expect(try await chain.send(.get("\(base)/a")).status == .ok)
        authenticator.spaces.known.withLock { known in
            for index in known[0].nonces.entries.indices { known[0].nonces.entries[index].count = .max - 1 }
        }
        #expect(try await chain.send(.get("\(base)/a")).status == .ok)
        #expect(try await chain.send(.get("\(base)/a")).status == .ok)
        #expect(server.accepted.map(\.count) == [1, 0xFFFF_FFFF, 1])
        #expect(server.unanswered == 2)
        #expect(provider.count == 1)
        #expect(server.refused.isEmpty)
    }

    private func challenge(_ nonce: String, opaque: String = "o") throws -> DigestChallenge {
        let parameters: KeyValuePairs = ["realm": "r", "nonce": nonce, "opaque": opaque]
        return try #require(DigestChallenge(Challenge("Digest", parameters: parameters)))
    }

    @Test("The counts of a nonce rise by one and end at ffffffff")
    func counting() throws {
        let key = DigestKey(.md5, username: "u", realm: "r", password: "p")
        var nonces = DigestNonces()
        #expect(nonces.next(key: key, cnonce: "c") == nil)
        #expect(try nonces.begin(challenge("a"), key: key, cnonce: "c")?.count == 1)
        #expect(nonces.next(key: key, cnonce: "d")?.cnonce == "d")
        #expect(try nonces.begin(challenge("b"), key: key, cnonce: "c")?.count == 1)
        #expect(try nonces.begin(challenge("a"), key: key, cnonce: "c")?.count == 3)
        nonces.replace("a", with: "b")
        #expect(nonces.entries.last?.nonce == "a")
        for index in nonces.entries.indices { nonces.entries[index].count = .max - 1 }
        #expect(nonces.next(key: key, cnonce: "c")?.count == .max)
        #expect(nonces.next(key: key, cnonce: "c") == nil)
        #expect(try nonces.begin(challenge("a"), key: key, cnonce: "c") == nil)
    }

    @Test("A next nonce goes with the opaque of the nonce that it replaces")
    func opaque() throws {
        let key = DigestKey(.md5, username: "u", realm: "r", password: "p")
        var nonces = DigestNonces()
        _ = try nonces.begin(challenge("a", opaque: "of a"), key: key, cnonce: "c")
        _ = try nonces.begin(challenge("b", opaque: "of b"), key: key, cnonce: "c")
        nonces.replace("a", with: "a2")
        let next = nonces.next(key: key, cnonce: "c")
        let use = try #require(next)
        #expect(use.nonce == "a2" && use.count == 1 && use.challenge.opaque == "of a")
        nonces.replace("unknown", with: "c")
        #expect(nonces.entries.last?.nonce == "a2")
    }

    @Test("Only so many nonces are remembered")
    func capacity() throws {
        let key = DigestKey(.md5, username: "u", realm: "r", password: "p")
        var nonces = DigestNonces()
        for index in 0...DigestNonces.capacity { _ = try nonces.begin(challenge("\(index)"), key: key, cnonce: "c") }
        #expect(try nonces.begin(challenge("1"), key: key, cnonce: "c")?.count == 2)
        #expect(try nonces.begin(challenge("0"), key: key, cnonce: "c")?.count == 1)
    }
}

@Suite("Credentials", .timeLimit(.minutes(10)))
struct CredentialTests {
    @Test("A credential that is refused is asked for once more, and then the 401 is the response")
    func refused() async throws {
        let provider = CountingProvider("wrong", "wrong again", "lovelace")
        let server = DigestServer()
        let response = try await server.chain(DigestAuthMiddleware(provider)).send(.get("\(base)/a"))
        #expect(response.status == .unauthorized)
        #expect(provider.count == 2)
        #expect(provider.rejected.map { $0?.password } == [nil, "wrong"])
        #expect(server.refused == ["response", "response"])
        guard case .rejected(let space)? = response.authenticationRefusal else {
            Issue.record("\(String(describing: response.authenticationRefusal))")
            return
        }
        #expect(space.realm == "plants")
    }

    @Test("The right one after a wrong one is accepted")
    func corrected() async throws {
        let provider = CountingProvider("wrong", "lovelace")
        let server = DigestServer()
        let chain = try server.chain(DigestAuthMiddleware(provider))
        #expect(try await chain.send(.get("\(base)/a")).status == .ok)
        #expect(try await chain.send(.get("\(base)/a")).status == .ok)
        #expect(provider.count == 2)
        #expect(server.unanswered == 1)
    }

    @Test("A provider that has no other one is not asked further")
    func noOther() async throws {
        let provider = CountingProvider("wrong")
        let server = DigestServer()
        #expect(try await server.chain(DigestAuthMiddleware(provider)).send(.get("\(base)/a")).status == .unauthorized)
        #expect(server.refused == ["response"])
    }

    @Test("A server that refuses right credentials for ever gets a bounded number of requests")
    func refusesAll() async throws {
        let server = DigestServer()
        let provider = CountingProvider("lovelace")
        let chain = try server.chain(DigestAuthMiddleware(provider))
        #expect(try await chain.send(.get("\(base)/a")).status == .ok)
        server.set { $0.refusesAll = true }
        #expect(try await chain.send(.get("\(base)/a")).status == .unauthorized)
        // The preemptive answer, and one with the new nonce.
        #expect(server.refused.count == 2)
        #expect(try await chain.send(.get("\(base)/a")).status == .unauthorized)
        #expect(server.refused.count == 3)
    }

    @Test("A credential that was not accepted yet is not sent preemptively")
    func notProven() async throws {
        let server = DigestServer()
        let chain = try server.chain(DigestAuthMiddleware(CountingProvider("wrong")))
        _ = try await chain.send(.get("\(base)/a"))
        _ = try await chain.send(.get("\(base)/a"))
        #expect(server.unanswered == 2)
        #expect(server.refused.count == 2)
    }

    @Test("An error of the server does not show that a credential was accepted")
    func error() async throws {
        let server = DigestServer { $0.status = .badGateway }
        let chain = try server.chain(DigestAuthMiddleware(CountingProvider("lovelace")))
        for _ in 0..<2 { #expect(try await chain.send(.get("\(base)/a")).status == .badGateway) }
        #expect(server.unanswered == 2)
    }

    @Test("A provider that fails ends the call, with its error as the cause")
    func providerFails() async throws {
        struct Failure: Error {}
        let server = DigestServer()
        let provider = ClosureCredentialProvider(for: "https://plants.example") { _, _ in throw Failure() }
        let error = await #expect(throws: AuthenticationError.self) {
            try await server.chain(DigestAuthMiddleware(provider)).send(.get("\(base)/a"))
        }
        #expect(error?.underlyingError is Failure)
        #expect(error?.stage == "DigestAuthMiddleware")
    }

    @Test("Requests to other origins get no answer")
    func otherOrigin() async throws {
        let server = DigestServer()
        let chain = try server.chain(
            DigestAuthMiddleware(user: "ada", password: "lovelace", for: "https://plants.example")
        )
        #expect(try await chain.send(.get("\(base)/a")).status == .ok)
        for url in ["http://plants.example/a", "https://plants.example:8443/a", "https://evil.example/a"] {
            let response = try await chain.send(.get(url))
            #expect(response.status == .unauthorized)
        }
        #expect(server.accepted.count == 1 && server.refused.isEmpty)
    }

    @Test("A challenge that a redirect of the transport brought from elsewhere is not answered")
    func redirected() async throws {
        let stage = DigestAuthMiddleware(user: "ada", password: "lovelace", for: "https://plants.example")
        var elsewhere = Response(.unauthorized, headers: [.wwwAuthenticate: "Digest realm=plants, nonce=n, qop=auth"])
        elsewhere.request = Request.get("https://evil.example/a").head
        let outcome = await StageHarness(stage).send(.get("\(base)/a"), answering: .response(elsewhere))
        #expect(outcome.requests.count == 1)
        #expect(try outcome.response().status == .unauthorized)
    }

    @Test("A realm that changes is another space: its credential is asked for, and the old one is not used up")
    func realmChanges() async throws {
        let server = DigestServer()
        let provider = CountingProvider("lovelace")
        let chain = try server.chain(DigestAuthMiddleware(provider))
        #expect(try await chain.send(.get("\(base)/a")).status == .ok)
        server.set { $0.realm = "animals" }
        #expect(try await chain.send(.get("\(base)/a")).status == .ok)
        #expect(provider.spaces.map(\.realm) == ["plants", "animals"])
        #expect(provider.rejected == [nil, nil])
    }

    @Test("With a realm that is another one each time, the number of answers has an end")
    func realmsWithoutEnd() async throws {
        let number = Locked(0)
        let transport = InMemoryTransport { _ in
            let number = number.withLock {
                $0 += 1
                return $0
            }
            return Response(
                .unauthorized,
                headers: [.wwwAuthenticate: "Digest realm=r\(number), nonce=n\(number), qop=auth"]
            )
        }
        let provider = CountingProvider("lovelace")
        let chain = try Chain(transport: transport) { DigestAuthMiddleware(provider) }
        #expect(try await chain.send(.get("\(base)/a")).status == .unauthorized)
        #expect(transport.requests.count == 4)
        #expect(provider.count == 3)
    }

    @Test("A field set by hand and a request that wants no authentication are left alone")
    func byHand() async throws {
        let server = DigestServer()
        let chain = try server.chain(DigestAuthMiddleware(CountingProvider("lovelace")))
        #expect(try await chain.send(.get("\(base)/a").authentication(false)).status == .unauthorized)
        let own = Request.get("\(base)/a", headers: [.authorization: "Digest of my own"])
        #expect(try await chain.send(own).status == .unauthorized)
        #expect(server.refused == ["incomplete"])
        #expect(server.unanswered == 1)
    }
}
#endif
