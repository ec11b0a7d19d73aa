#if AllTests
import Foundation
import HTTPChainAuth
import HTTPChainAuthDigest
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import Testing

private let base = "https://plants.example"

private func stage(
    _ protections: [QualityOfProtection] = [.authInt, .auth],
    proof: ServerProofPolicy = .whenPresent
) -> DigestAuthMiddleware {
    DigestAuthMiddleware(
        DigestAuthenticator(
            .fixed(user: "ada", password: "lovelace", for: "https://plants.example"),
            protecting: protections,
            serverProof: proof
        )
    )
}

/// A body that can be read once.
private func onceReadable() -> HTTPBody {
    .once(
        chunks: AsyncStream { continuation in
            for text in ["read ", "once"] { continuation.yield(Data(text.utf8)) }
            continuation.finish()
        }
    )
}

@Suite("What an answer protects", .timeLimit(.minutes(10)))
struct ProtectionTests {
    private func qop(of request: Request?) -> String? {
        request?.head.headerFields[.authorization].flatMap { Challenge.parse([$0]).first?["qop"] }
    }

    private func offer(_ qop: String) -> StageHarness.Answer {
        .status(.unauthorized, headers: [.wwwAuthenticate: "Digest realm=r, nonce=n, qop=\"\(qop)\""])
    }

    @Test(
        "The content is protected where the server offers it, unless it is not wanted",
        arguments: [
            ("auth", [QualityOfProtection.authInt, .auth], "auth"), ("auth,auth-int", [.authInt, .auth], "auth-int"),
            ("auth-int, auth", [.auth], "auth"), ("auth-int", [.auth], "auth-int"), ("auth-int,auth", [], "auth-int"),
        ]
    )
    func choice(offered: String, wanted: [QualityOfProtection], expected: String) async throws {
        let outcome = await StageHarness(stage(wanted)).send(
            .post("\(base)/a", body: "x"),
            answering: offer(offered),
            .ok
        )
        #expect(qop(of: outcome.requests.last) == expected)
    }

    @Test(
        "If both are offered the method and the target are protected, and the content if nothing else is offered",
        arguments: [
            ("auth", "auth"), ("auth,auth-int", "auth"), ("auth-int,auth", "auth"), ("AUTH-INT, AUTH", "auth"),
            ("auth-int", "auth-int"), ("auth-int,other", "auth-int"),
        ]
    )
    func standard(offered: String, expected: String) async throws {
        let stage = DigestAuthMiddleware(user: "ada", password: "lovelace", for: base)
        let outcome = await StageHarness(stage).send(.post("\(base)/a", body: "x"), answering: offer(offered), .ok)
        #expect(qop(of: outcome.requests.last) == expected)
    }

    @Test("A body that can be read once goes without, when the server leaves the choice")
    func fallback() async throws {
        let server = DigestServer { $0.qop = "auth,auth-int" }
        let chain = try server.chain(stage())
        #expect(try await chain.send(.get("\(base)/a")).status == .ok)
        #expect(try await chain.send(.post("\(base)/a", body: onceReadable())).status == .ok)
        #expect(server.accepted.count == 2 && server.refused.isEmpty)
    }

    @Test("A body that can be read once is an error where the server demands that content be protected")
    func refusedOnce() async throws {
        let server = DigestServer { $0.qop = "auth-int" }
        let chain = try server.chain(stage())
        #expect(try await chain.send(.get("\(base)/a")).status == .ok)
        let error = await #expect(throws: AuthenticationError.self) {
            try await chain.send(.post("\(base)/a", body: onceReadable()))
        }
        #expect(error?.problem == .bodyReadableOnce(scheme: "Digest"))
        #expect(error?.exchange?.method == .post)
        #expect(server.accepted.count == 1)
    }

    @Test("A body that can be read once and was sent without an answer leaves the 401 as the response")
    func sentOnce() async throws {
        let server = DigestServer()
        let response = try await server.chain(stage()).send(.post("\(base)/a", body: onceReadable()))
        #expect(response.status == .unauthorized)
        #expect(response.authenticationRefusal == .bodyReadableOnce)
    }

    @Test("A large body is hashed piece by piece")
    func large() async throws {
        let server = DigestServer {
            $0.qop = "auth-int"
            $0.algorithms = [.sha512256]
        }
        let largest = Locked(0)
        let body = HTTPBody.replayable {
            AsyncStream { continuation in
                for _ in 0..<64 { continuation.yield(Data(repeating: 7, count: 10_000)) }
                continuation.finish()
            }
        }
        .transformed { reader in
            MeasuringReader(inner: reader, largest: largest)
        }
        #expect(try await server.chain(stage()).send(.post("\(base)/a", body: body)).status == .ok)
        #expect(largest.withLock { $0 } == 10_000)
        #expect(server.refused.isEmpty)
    }

    @Test("A body that breaks while it is hashed ends the call with its error")
    func broken() async throws {
        struct Broken: Error {}
        let server = DigestServer { $0.qop = "auth-int" }
        let chain = try server.chain(stage())
        #expect(try await chain.send(.get("\(base)/a")).status == .ok)
        await #expect(throws: Broken.self) {
            try await chain.send(.post("\(base)/a", body: .replayable { throw Broken() }))
        }
    }

    private struct MeasuringReader: BodyReader {
        var inner: any BodyReader
        let largest: Locked<Int>

        nonisolated(nonsending) mutating func read() async throws -> Data? {
            guard let chunk = try await inner.read() else { return nil }
            largest.withLock { $0 = max($0, chunk.count) }
            return chunk
        }
    }
}

@Suite("The server's proof", .timeLimit(.minutes(10)))
struct ServerProofTests {
    @Test("A proof that is wrong is an error", arguments: [QualityOfProtection.auth])
    func wrong(qop: QualityOfProtection) async throws {
        let server = DigestServer {
            $0.qop = qop.rawValue
            $0.proof = .wrong
        }
        let error = await #expect(throws: AuthenticationError.self) {
            try await server.chain(stage()).send(.get("\(base)/a"))
        }
        guard case .serverNotProven? = error?.problem else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.exchange?.response?.status == .ok)
        #expect("\(try #require(error))".contains("rspauth"))
    }

    @Test("A proof of the content is verified at the end of the body", arguments: [true, false])
    func content(isRight: Bool) async throws {
        let server = DigestServer {
            $0.qop = "auth-int"
            $0.proof = isRight ? .right : .wrong
        }
        let response = try await server.chain(stage()).send(.get("\(base)/a"))
        #expect(response.serverProof == .verifiedWhileRead)
        if isRight {
            #expect(try await response.body.text() == "secret content")
        } else {
            await #expect(throws: AuthenticationError.self) { try await response.body.text() }
        }
    }

    @Test("Content that was changed on its way is not what the proof covers")
    func changed() async throws {
        let server = DigestServer {
            $0.qop = "auth-int"
            $0.proof = .right
        }
        let transport = InMemoryTransport { request in
            var response = try await server.handle(request)
            if response.status == .ok { response.body = "other content" }
            return response
        }
        let response = try await Chain(transport: transport) { stage() }.send(.get("\(base)/a"))
        await #expect(throws: AuthenticationError.self) { try await response.body.text() }
    }

    @Test("Where there is no content the proof is verified at once", arguments: [true, false])
    func noContent(isRight: Bool) async throws {
        let server = DigestServer {
            $0.qop = "auth-int"
            $0.proof = isRight ? .right : .wrong
            $0.status = .noContent
            $0.body = .empty
        }
        let chain = try server.chain(stage())
        if isRight {
            #expect(try await chain.send(.get("\(base)/a")).serverProof == .verified)
        } else {
            await #expect(throws: AuthenticationError.self) { try await chain.send(.get("\(base)/a")) }
        }
    }

    @Test(
        "The setting decides about proofs that are missing or wrong",
        arguments: [
            (ServerProofPolicy.ignored, DigestServer.Proof.wrong, true), (.ignored, .none, true),
            (.whenPresent, .none, true), (.whenPresent, .right, true), (.whenPresent, .wrong, false),
            (.required, .none, false), (.required, .right, true), (.required, .wrong, false),
        ]
    )
    func policies(policy: ServerProofPolicy, proof: DigestServer.Proof, passes: Bool) async throws {
        let server = DigestServer { $0.proof = proof }
        let chain = try server.chain(stage(proof: policy))
        if passes {
            let response = try await chain.send(.get("\(base)/a"))
            #expect(response.serverProof == (proof == .right ? .verified : .none))
        } else {
            await #expect(throws: AuthenticationError.self) { try await chain.send(.get("\(base)/a")) }
        }
    }

    @Test("A proof of content that the transport has decoded cannot be verified", arguments: [true, false])
    func decoded(isRequired: Bool) async throws {
        let server = DigestServer {
            $0.qop = "auth-int"
            $0.proof = .right
        }
        let transport = InMemoryTransport { request in
            var response = try await server.handle(request)
            response.options[OriginalContentFieldsFact.self] = [.contentEncoding: "gzip"]
            return response
        }
        let chain = try Chain(transport: transport) { stage(proof: isRequired ? .required : .whenPresent) }
        if isRequired {
            await #expect(throws: AuthenticationError.self) { try await chain.send(.get("\(base)/a")) }
        } else {
            let response = try await chain.send(.get("\(base)/a"))
            #expect(response.serverProof == .notVerifiable)
            #expect(try await response.body.text() == "secret content")
        }
    }

    @Test("A response that authenticated nobody needs no proof")
    func withoutCredentials() async throws {
        let chain = try Chain(transport: InMemoryTransport { _ in Response(.ok) }) { stage(proof: .required) }
        #expect(try await chain.send(.get("\(base)/a")).status == .ok)
    }
}
#endif
