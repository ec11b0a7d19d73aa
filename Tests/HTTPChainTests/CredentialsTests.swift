import HTTPChain
import HTTPChainAuthDigest
import Testing

/// Whatever a redirect or a challenge says, credentials stay with the origin that they are for.
@Suite("Credentials in a whole chain")
struct CredentialsTests {
    private static let home = "https://api.example.com"

    private enum Kind: String, CaseIterable {
        case basicAhead, basicWhenAsked, digest, bearer, byHand

        var stage: any Middleware {
            switch self {
            case .basicAhead: BasicAuthMiddleware(user: "ada", password: "hunter2", for: [home], sending: .ahead)
            case .basicWhenAsked: BasicAuthMiddleware(user: "ada", password: "hunter2", for: [home])
            case .digest: DigestAuthMiddleware(user: "ada", password: "hunter2", for: [home])
            case .bearer: BearerAuthMiddleware(token: "hunter2", for: [home])
            case .byHand: ClosureMiddleware("Nothing", phase: .authenticate) { try await $1($0) }
            }
        }
    }

    /// Where a request ends up that began at home.
    private static let destinations = [
        "https://evil.example.net/in", "http://api.example.com/in", "https://api.example.com:8443/in",
        "https://api.example.com.evil.example.net/in", "//evil.example.net/in",
        "https://api.example.com@evil.example.net/",
    ]

    private static let challenges = [
        #"Basic realm="home""#, #"Digest realm="home", nonce="n", qop="auth", algorithm=SHA-256"#,
        #"Bearer realm="home", error="invalid_token""#,
    ]

    /// Answers at home with challenges, then with a redirect; elsewhere with the same challenges and another realm.
    private func send(_ kind: Kind, redirectedTo destination: String) async throws -> [RecordedRequest] {
        let transport = InMemoryTransport { request in
            let isAnswered = request.head.headerFields.contains(.authorization)
            guard request.origin == Origin(Self.home), isAnswered else {
                var response = Response(.unauthorized)
                for challenge in Self.challenges {
                    response.headers.append(HTTPField(name: .wwwAuthenticate, value: challenge))
                }
                return response
            }
            return Response(.temporaryRedirect, headers: [.location: destination])
        }
        let stage = kind.stage
        let chain = try Chain(transport: transport) {
            RedirectMiddleware()
            RetryMiddleware()
            stage
        }
        var request = Request.get("\(Self.home)/a", headers: [.cookie: "session=hunter2"])
        if kind == .byHand { request.head.headerFields[.authorization] = "Bearer hunter2" }
        let response = try await chain.send(request)
        #expect(response.status == .unauthorized)
        return transport.requests
    }

    @Test(
        "None leaves for another origin, another scheme or another port",
        arguments: Kind.allCases,
        destinations
    )
    private func stays(kind: Kind, destination: String) async throws {
        let requests = try await send(kind, redirectedTo: destination)
        let atHome = requests.filter { Origin($0.url) == Origin(Self.home) }
        let elsewhere = requests.filter { Origin($0.url) != Origin(Self.home) }
        #expect(atHome.contains { $0.head.headerFields.contains(.authorization) }, "it was used at home")
        #expect(!elsewhere.isEmpty)
        for request in elsewhere {
            #expect(!request.head.headerFields.contains(.authorization), "\(kind) to \(request.url)")
            #expect(!request.head.headerFields.contains(.cookie))
            #expect(!"\(request.url)".contains("hunter2"))
        }
    }

    @Test("A challenge for another realm is answered once, and the refusal is the caller's", arguments: Kind.allCases)
    private func changedRealm(kind: Kind) async throws {
        let transport = InMemoryTransport { request in
            let realm = request.head.headerFields.contains(.authorization) ? "other" : "home"
            var response = Response(.unauthorized)
            response.headers.append(HTTPField(name: .wwwAuthenticate, value: "Basic realm=\"\(realm)\""))
            return response
        }
        let stage = kind.stage
        let chain = try Chain(transport: transport) { stage }
        let response = try await chain.send(.get("\(Self.home)/a"))
        #expect(response.status == .unauthorized)
        #expect(transport.requests.count <= 4)
    }
}
