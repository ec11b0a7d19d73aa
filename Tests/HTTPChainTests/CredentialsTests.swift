import Foundation
import HTTPChain
import HTTPChainAuthDigest
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import Testing

/// Whatever a redirect or a challenge says, credentials stay with the origin that they are for.
@Suite("Credentials in a whole chain", .timeLimit(.minutes(10)))
struct CredentialsTests {
    private static let home = "https://api.example.com"
    private static let secret = "hunter2"

    /// A way to send the secret.
    private enum Kind: String, CaseIterable {
        case preemptiveBasic, challengedBasic, digest, bearer, byHand, session, ownProvider, ownAuthenticator, body
        /// A token and a password in one stage.
        case several

        var stage: any Middleware {
            let home = CredentialsTests.home
            return switch self {
            case .preemptiveBasic:
                BasicAuthMiddleware(user: "ada", password: "hunter2", for: [home], sending: .preemptively)
            case .challengedBasic: BasicAuthMiddleware(user: "ada", password: "hunter2", for: [home])
            case .digest: DigestAuthMiddleware(user: "ada", password: "hunter2", for: [home])
            case .bearer: BearerAuthMiddleware(token: "hunter2", for: [home])
            case .several:
                AuthenticationMiddleware([
                    BearerAuthenticator(token: "hunter2", for: [home]),
                    BasicAuthenticator(.fixed(user: "ada", password: "hunter2", for: [home])),
                ])
            case .session: SessionAuthMiddleware(FieldSession(), for: [home])
            case .ownProvider: BasicAuthMiddleware(RealmProvider(origins: [home]))
            case .ownAuthenticator: AuthenticationMiddleware([WordAuthenticator(origins: [home])])
            case .byHand, .body: ClosureMiddleware("Nothing", phase: .authenticate) { try await $1($0) }
            }
        }

        var request: Request {
            var request = Request.get("\(home)/a", headers: [.cookie: "session=hunter2"])
            if self == .byHand { request.head.headerFields[.authorization] = "Bearer hunter2" }
            if self == .body { request = .post("\(home)/a", body: "refresh_token=hunter2") }
            return request
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
        #"Bearer realm="home", error="invalid_token""#, #"Word realm="home""#,
    ]

    /// Answers at home with challenges, then with a redirect; elsewhere with the same challenges and the same realm.
    private func send(
        _ kind: Kind,
        redirectedTo destination: String,
        _ policy: RedirectPolicy
    ) async throws -> [RecordedRequest] {
        let transport = InMemoryTransport { request in
            let isAnswered = Self.holdsCredentials(request.head) || kind == .body
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
            RedirectMiddleware(policy)
            RetryMiddleware()
            stage
        }
        do {
            #expect(try await chain.send(kind.request).status == .unauthorized)
        } catch let error as RedirectError {
            let isRefused = error.problem == .downgrade && policy.description == RedirectPolicy.standard.description
            #expect(isRefused || kind == .body, "\(error)")
        }
        return transport.requests
    }

    private static func holdsCredentials(_ head: HTTPRequest) -> Bool {
        head.headerFields.contains(.authorization) || head.headerFields.contains(.session)
    }

    /// Whether the secret is in the request, as it is or as Basic writes it.
    private static func shows(_ request: RecordedRequest) -> Bool {
        var texts = request.headers.map(\.value) + [request.url]
        texts.append(request.text)
        return texts.contains { $0.contains(secret) || $0.contains(Data("ada:\(secret)".utf8).base64EncodedString()) }
    }

    @Test(
        "None leaves for another origin, another scheme or another port, whatever is followed",
        arguments: Kind.allCases,
        destinations
    )
    private func stays(kind: Kind, destination: String) async throws {
        for policy in [RedirectPolicy.standard, .standard.allowing(.downgrade)] {
            let requests = try await send(kind, redirectedTo: destination, policy)
            let atHome = requests.filter { Origin($0.url) == Origin(Self.home) }
            let elsewhere = requests.filter { Origin($0.url) != Origin(Self.home) }
            #expect(
                atHome.contains { Self.holdsCredentials($0.head) || kind == .body },
                "it was used at home"
            )
            let isFollowed = kind != .body && (!destination.hasPrefix("http:") || policy.description.contains("http"))
            #expect(elsewhere.isEmpty == !isFollowed)
            for request in elsewhere {
                #expect(!Self.holdsCredentials(request.head), "\(kind) to \(request.url)")
                #expect(!request.head.headerFields.contains(.cookie))
                #expect(!Self.shows(request), "\(kind) to \(request.url)")
            }
        }
    }

    @Test("A server that asks for another realm once it has the credential gets no other", arguments: Kind.allCases)
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
        // Once without a credential where the stage waits to be asked, and once with it; a session is begun anew once,
        // and a password follows a token that the server does not know.
        #expect(
            transport.requests.count == ([.challengedBasic, .ownProvider, .session, .several].contains(kind) ? 2 : 1)
        )
    }

    /// What a token is asked for with; each holds the secret.
    private enum Grant: CaseIterable {
        case clientCredentials, refreshToken, codeAndVerifier

        func provider(at endpoint: TokenEndpoint) -> any AccessTokenProvider {
            switch self {
            case .clientCredentials: .clientCredentials(at: endpoint)
            case .refreshToken: .refreshToken(at: endpoint)
            case .codeAndVerifier:
                .asking { _, context in
                    try await endpoint.token(
                        grantType: "authorization_code",
                        parameters: ["code": "hunter2", "code_verifier": "hunter2"],
                        in: context
                    )
                }
            }
        }
    }

    @Test(
        "A token request is not redirected, over whatever chain it goes, and no secret of it leaves the endpoint",
        arguments: destinations,
        [301, 302, 303, 307, 308]
    )
    private func tokenEndpoint(destination: String, code: Int) async throws {
        for grant in Grant.allCases { try await tokenEndpoint(grant, destination, code) }
    }

    private func tokenEndpoint(_ grant: Grant, _ destination: String, _ code: Int) async throws {
        let transport = InMemoryTransport { request in
            request.head.path == "/token"
                ? Response(.init(code: code), headers: [.location: destination]) : Response(.ok)
        }
        // The chain that carries the token requests follows all there is to follow.
        let carrier = try Chain(transport: transport) {
            RedirectMiddleware(.standard.allowing(.downgrade, .bodyToOtherOrigins))
        }
        let endpoint = TokenEndpoint(
            "\(Self.home)/token",
            client: OAuthClient(id: "garden", secret: "hunter2"),
            over: carrier
        )
        let provider = grant.provider(at: endpoint)
        let chain = try Chain(transport: transport) {
            BearerAuthMiddleware(
                provider,
                for: [Self.home],
                token: AccessToken("old", expiration: .distantPast, refreshToken: "hunter2")
            )
        }
        let error = await #expect(throws: AuthenticationError.self) { try await chain.send(.get("\(Self.home)/a")) }
        #expect((error?.underlyingError as? OAuthError)?.problem == .redirected(code))
        #expect(transport.requests.map(\.url) == ["\(Self.home)/token"])
    }

    @Test("A network error at the token endpoint is retried, for a POST, too, of which nothing was sent yet")
    func networkAtTokenEndpoint() async throws {
        let isDown = Locked(true)
        let transport = InMemoryTransport { request in
            guard request.head.path == "/token" else { return Response(.ok) }
            if isDown.withLock({ isDown in
                defer { isDown = false }
                return isDown
            }) {
                throw TransportError(.connectionLost, sent: .maybe, stage: "test")
            }
            return Response(.ok, body: HTTPBody(#"{"access_token": "new", "token_type": "Bearer"}"#))
        }
        let endpoint = TokenEndpoint("\(Self.home)/token", client: OAuthClient(id: "garden", secret: "hunter2"))
        let chain = try Chain(transport: transport, environment: .virtual(VirtualClock(isAutomatic: true))) {
            RetryMiddleware()
            BearerAuthMiddleware(.clientCredentials(at: endpoint), for: [Self.home])
        }
        #expect(try await chain.send(.post("\(Self.home)/a", body: "x")).status == .ok)
        #expect(transport.requests.map(\.head.path) == ["/token", "/token", "/a"])
    }
}

extension HTTPField.Name {
    // swift-format-ignore: NeverForceUnwrap
    fileprivate static let session = HTTPField.Name("X-Session")!
}

/// A session in a field of its own, which only the stage keeps at home.
private struct FieldSession: SessionAuthenticator {
    func authenticate(replacing old: Secret?, in context: RefreshContext) async throws -> Secret { "hunter2" }

    func decorate(_ request: inout Request, with session: Secret) {
        request.head.headerFields[.session] = session.revealed
    }
}

/// Gives the password to whoever names the realm, whatever the origin.
private struct RealmProvider: CredentialProvider {
    let origins: OriginSet

    func credential(for space: ProtectionSpace, rejected: Credential?) -> Credential? {
        space.realm == "home" && rejected == nil ? Credential(user: "ada", password: "hunter2") : nil
    }
}

/// Gives the secret to whoever asks, whatever the origin.
private struct WordAuthenticator: Authenticator {
    let scheme = "Word"
    let strength = AuthenticationStrength.token
    let origins: OriginSet

    func answer(
        _ challenge: Challenge,
        to request: inout Request,
        in context: inout AuthenticationContext
    ) -> AuthenticationAnswer {
        guard !request.head.headerFields.contains(.authorization) else {
            return .declined(.rejected(context.space(scheme, realm: challenge.realm)))
        }
        request.setCredentials("Word hunter2", in: context)
        return .answered
    }
}
