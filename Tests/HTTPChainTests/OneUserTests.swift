#if AllTests
import Foundation
import HTTPChain
import HTTPChainPagination
import HTTPChainResumableUpload
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

private let origin: OriginSet = "https://a.example"
private let url = "https://a.example/posts"

/// Records who sends what, and signs another user in during the requests of Alice.
private final class Sent: Sendable {
    private let lines = Locked<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    /// Records a request, and returns its user.
    func add(_ request: Request) async throws -> String {
        let user =
            request.headers[.authorization]?.split(separator: " ").last.map(String.init)
            ?? request.headers[.cookie] ?? "nobody"
        let body = try await request.body.text()
        lines.withLock { $0.append(body.isEmpty ? user : "\(user): \(body)") }
        return user
    }
}

private func bearer(_ token: Secret = "alice") -> BearerAuthMiddleware {
    BearerAuthMiddleware(.asking { _, _ in throw CancellationError() }, for: origin, token: AccessToken(token))
}

/// A login that opens no session by itself.
private struct Login: SessionAuthenticator {
    func authenticate(replacing old: String?, in context: RefreshContext) async throws -> String {
        throw CancellationError()
    }

    func decorate(_ request: inout Request, with session: String) {
        request.headers[.authorization] = "Session \(session)"
    }
}

@Suite("A call is one user's", .timeLimit(.minutes(10)))
struct OneUserTests {
    /// Authentication by a stage whose user can be replaced.
    private enum Stage: CaseIterable {
        case bearer, session, route

        /// The stage, with Alice signed in, and what signs Bob in.
        func make() -> (stage: any Middleware, signIn: @Sendable (_ user: String) -> Void) {
            let tokens = HTTPChainTests.bearer()
            let sessions = SessionAuthMiddleware(Login(), for: origin, session: "alice")
            return switch self {
            case .bearer: (tokens, { tokens.replaceToken(with: AccessToken(Secret($0))) })
            case .session: (sessions, { sessions.replaceSession(with: $0) })
            case .route:
                (
                    RoutedAuthMiddleware([AuthRoute(with: tokens)]),
                    { tokens.replaceToken(with: AccessToken(Secret($0))) }
                )
            }
        }
    }

    @Test(
        "A 401 for a user who has been replaced is returned, and the next call is the new user's",
        arguments: Stage.allCases
    )
    private func rejection(by stage: Stage) async throws {
        let (sent, (auth, signIn)) = (Sent(), stage.make())
        let chain = try Chain(
            [auth],
            transport: ClosureTransport { request in
                guard try await sent.add(request) == "alice" else { return Response(.created) }
                signIn("bob")
                return Response(.unauthorized)
            }
        )
        let response = try await chain.send(.post(url, body: "a diary"))
        #expect(response.status == .unauthorized && response.authenticationRefusal == .changedUser)
        #expect(sent.all == ["alice: a diary"])
        #expect(try await chain.send(.post(url, body: "a poem")).status == .created)
        #expect(sent.all == ["alice: a diary", "bob: a poem"])
    }

    @Test("A retry is not sent as another user, whatever the policy says", arguments: Stage.allCases)
    private func retry(by stage: Stage) async throws {
        for asks in [false, true] {
            let (sent, (auth, signIn)) = (Sent(), stage.make())
            let policy = RetryPolicy(
                verdict: { candidate in
                    if asks, case .failure = candidate.result { .retry } else { .standard }
                }
            )
            let chain = try Chain(
                [RetryMiddleware(policy), auth],
                transport: ClosureTransport { request in
                    _ = try await sent.add(request)
                    signIn("bob")
                    return Response(.serviceUnavailable)
                },
                environment: .virtual(.automatic())
            )
            let error = await #expect(throws: UserChangedError.self) {
                try await chain.send(.post(url, body: "a diary").retry(idempotencyKey: true))
            }
            #expect(sent.all == ["alice: a diary"])
            #expect(error?.attempts == 2 && error?.isBeforeSending == false)
            #expect(error?.exchange?.url == url)
            #expect(error?.reason.contains("was replaced or removed during the call") == true)
        }
    }

    @Test("A redirect is not followed as another user")
    func redirect() async throws {
        let (sent, auth) = (Sent(), bearer())
        let chain = try Chain(
            transport: ClosureTransport { request in
                _ = try await sent.add(request)
                auth.replaceToken(with: AccessToken("bob"))
                return Response(.temporaryRedirect, headers: [.location: "/more"])
            }
        ) {
            RedirectMiddleware()
            auth
        }
        await #expect(throws: UserChangedError.self) { try await chain.send(.post(url, body: "a diary")) }
        #expect(sent.all == ["alice: a diary"])
    }

    @Test("A call that waits further out is not sent as a user who signs in meanwhile, and nothing was sent")
    func waiting() async throws {
        let (sent, auth) = (Sent(), bearer())
        let nested = try Chain(
            [auth],
            transport: ClosureTransport { request in
                _ = try await sent.add(request)
                return Response(.ok)
            }
        )
        let chain = try Chain(transport: nested) {
            ClosureMiddleware { request, next in
                if request.body.length != 0 { auth.replaceToken(with: AccessToken("bob")) }
                return try await next(request)
            }
        }
        let error = await #expect(throws: UserChangedError.self) {
            try await chain.send(.post(url, body: "a diary"))
        }
        #expect(error?.isBeforeSending == true && sent.all.isEmpty)
        #expect(try await chain.send(.get(url)).status == .ok)
        #expect(sent.all == ["bob"])
    }

    @Test("A call whose user signs out is not sent without a user")
    func signOut() async throws {
        let sent = Sent()
        let auth = BearerAuthMiddleware(token: "alice", for: origin)
        let chain = try Chain(
            transport: ClosureTransport { request in
                _ = try await sent.add(request)
                auth.replaceToken(with: nil)
                return Response(.serviceUnavailable)
            },
            environment: .virtual(.automatic())
        ) {
            RetryMiddleware()
            auth
        }
        await #expect(throws: UserChangedError.self) { try await chain.send(.get(url)) }
        #expect(sent.all == ["alice"])
    }

    @Test("A call that begins while nobody is signed in may be sent as the user who signs in")
    func signIn() async throws {
        let sent = Sent()
        let auth = BearerAuthMiddleware(token: "x", for: origin)
        auth.replaceToken(with: nil)
        let chain = try Chain(
            transport: ClosureTransport { request in
                guard try await sent.add(request) == "nobody" else { return Response(.ok) }
                auth.replaceToken(with: AccessToken("alice"))
                return Response(.serviceUnavailable)
            },
            environment: .virtual(.automatic())
        ) {
            RetryMiddleware()
            auth
        }
        #expect(try await chain.send(.get(url)).status == .ok)
        #expect(sent.all == ["nobody", "alice"])
    }

    @Test("A token that is refreshed during the call is used, by retries too")
    func refresh() async throws {
        let sent = Sent()
        let auth = BearerAuthMiddleware(.asking { _, _ in AccessToken("new") }, for: origin, token: AccessToken("old"))
        let chain = try Chain(
            transport: ClosureTransport { request in
                guard try await sent.add(request) == "new" else { return Response(.unauthorized) }
                return Response(sent.all.count < 4 ? .serviceUnavailable : .ok)
            },
            environment: .virtual(.automatic())
        ) {
            RetryMiddleware()
            auth
        }
        #expect(try await chain.send(.get(url)).status == .ok)
        #expect(sent.all == ["old", "new", "new", "new"])
    }

    @Test("A password is not sent in place of a token that was replaced")
    func weakerScheme() async throws {
        let sent = Sent()
        let tokens = BearerAuthenticator(
            .asking { _, _ in throw CancellationError() },
            for: origin,
            token: AccessToken("alice")
        )
        let basic = BasicAuthenticator(.fixed(user: "bob", password: "b", for: "https://a.example"))
        let chain = try Chain(
            transport: ClosureTransport { request in
                _ = try await sent.add(request)
                tokens.replaceToken(with: AccessToken("bob"))
                return Response(.unauthorized, headers: [.wwwAuthenticate: #"Basic realm="a""#])
            }
        ) { AuthenticationMiddleware([tokens, basic]) }
        let response = try await chain.send(.post(url, body: "a diary"))
        #expect(response.authenticationRefusal == .changedUser)
        #expect(sent.all == ["alice: a diary"])
    }

    @Test("A download that breaks is not resumed with another user's bytes")
    func download() async throws {
        let (sent, auth) = (Sent(), bearer())
        let chain = try Chain(
            transport: ClosureTransport { request in
                let user = try await sent.add(request)
                let text = user == "alice" ? "ALICE-ALICE-ALICE-AL" : "BOB-BOB-BOB-BOB-BOB-"
                guard request.headers[.range] == nil else {
                    return Response(
                        .partialContent,
                        headers: [.eTag: "\"v1\"", .contentRange: "bytes 7-19/20"],
                        body: HTTPBody(String(text.dropFirst(7)))
                    )
                }
                let broken = TransportError(.connectionLost, sent: .answered, stage: "test")
                let body = HTTPBody.once(length: 20) {
                    BreakingReader(rest: Data(text.utf8.prefix(7)), error: broken) {
                        auth.replaceToken(with: AccessToken("bob"))
                    }
                }
                return Response(.ok, headers: [.eTag: "\"v1\"", .acceptRanges: "bytes"], body: body)
            },
            environment: .virtual(.automatic())
        ) {
            RetryMiddleware()
            auth
        }
        let body = try await chain.send(.get(url)).body
        var bytes = Data()
        let error = await #expect(throws: TransportError.self) {
            for try await chunk in body { bytes += chunk }
        }
        #expect(String(decoding: bytes, as: UTF8.self) == "ALICE-A")
        #expect(error?.kind == .connectionLost && sent.all == ["alice"])
    }

    @Test("The jar that was chosen first serves the redirects and retries of a call")
    func jars() async throws {
        let sent = Sent()
        let jars = ["alice": CookieJar(), "bob": CookieJar()]
        for (user, jar) in jars { try await jar.set([Cookie("sid", Secret(user), domain: "a.example")]) }
        let user = Locked<String?>("alice")
        let chain = try Chain(
            transport: ClosureTransport { request in
                _ = try await sent.add(request)
                user.withLock { $0 = "bob" }
                switch sent.all.count {
                case 1: return Response(.temporaryRedirect, headers: [.location: "/more"])
                case 2: return Response(.serviceUnavailable)
                default: return Response(.ok, headers: [.setCookie: "cart=full"])
                }
            },
            environment: .virtual(.automatic())
        ) {
            RedirectMiddleware()
            CookieMiddleware { _ in user.withLock { $0 }.flatMap { jars[$0] } }
            RetryMiddleware()
        }
        _ = try await chain.send(.put(url, body: "a diary"))
        #expect(sent.all == Array(repeating: "sid=alice: a diary", count: 3))
        #expect(await jars["bob"]?.cookies().map(\.name) == ["sid"])
        #expect(await jars["alice"]?.cookies().map(\.name).sorted() == ["cart", "sid"])
        _ = try await chain.send(.get(url))
        #expect(sent.all.last == "sid=bob")
    }

    @Test("A stream of events is not reopened as another user, whatever the policy says", arguments: [false, true])
    func events(asks: Bool) async throws {
        let (sent, auth) = (Sent(), bearer())
        let chain = try Chain(
            transport: ClosureTransport { request in
                let user = try await sent.add(request)
                if sent.all.count > 1 { auth.replaceToken(with: AccessToken("bob")) }
                return Response(
                    .ok,
                    headers: [.contentType: "text/event-stream"],
                    body: HTTPBody("id: \(sent.all.count)\ndata: for \(user)\n\n")
                )
            },
            environment: .virtual(.automatic())
        ) { auth }
        let policy = ReconnectionPolicy(verdict: { _ in asks ? .reconnect : .standard })
        let options = EventStreamOptions(reconnection: policy)
        var data: [String] = []
        await #expect(throws: UserChangedError.self) {
            for try await event in chain.events(.get(url), options: options) { data.append(event.data) }
        }
        #expect(data == ["for alice", "for alice"] && sent.all == ["alice", "alice"])
    }

    @Test("A list is not continued with the pages of another user")
    func pages() async throws {
        let (sent, auth) = (Sent(), bearer())
        let chain = try Chain(
            transport: ClosureTransport { request in
                _ = try await sent.add(request)
                let count = sent.all.count
                var page = Response(.ok, headers: [.webLink: #"<?page=\#(count + 1)>; rel="next""#], body: "[\(count)]")
                page.request = request.head
                return page
            }
        ) {
            SerializerMiddleware(.json)
            auth
        }
        let pages = chain.pages(of: [Int].self, from: .get(url), by: .linkHeader())
        var items: [Int] = []
        await #expect(throws: UserChangedError.self) {
            for try await page in pages {
                items += page.value
                if items.count == 2 { auth.replaceToken(with: AccessToken("bob")) }
            }
        }
        #expect(items == [1, 2] && sent.all == ["alice", "alice"])
        // Another iteration is another call.
        var iterator = pages.makeAsyncIterator()
        #expect(try await iterator.next()?.value == [3])
        #expect(sent.all.last == "bob")
    }

    @Test("An upload in parts is not continued as another user, and stays for its own")
    func upload() async throws {
        let (sent, auth) = (Sent(), bearer())
        let store = MemoryUploadStore()
        let chain = try Chain(
            transport: ClosureTransport { request in
                _ = try await sent.add(request)
                guard request.method == .patch else {
                    return Response(.created, headers: [.location: "/files/1"])
                }
                auth.replaceToken(with: AccessToken("bob"))
                return Response(.noContent, headers: [.uploadOffset: "2"])
            }
        ) {
            ResumableUploadMiddleware(
                .tus,
                store: store,
                partition: .by { _ in "alice" },
                options: ResumableUploadOptions(partSize: 2)
            )
            auth
        }
        await #expect(throws: UserChangedError.self) {
            try await chain.send(.post(url, body: "diary").resumableUpload())
        }
        #expect(sent.all == ["alice", "alice: di"] && store.count == 1)
    }

    @Test("A call that joined another's transfer is sent on its own when that one's user has changed")
    func coalescing() async throws {
        let (sent, auth) = (Sent(), bearer())
        let (isSent, mayAnswer) = (Rendezvous(), Rendezvous())
        let chain = try Chain(
            transport: ClosureTransport { request in
                guard try await sent.add(request) == "alice" else { return Response(.ok) }
                isSent.reach()
                try await mayAnswer.wait()
                return Response(.serviceUnavailable)
            },
            environment: .virtual(.automatic())
        ) {
            CoalescingMiddleware(partition: .shared)
            RetryMiddleware()
            auth
        }
        let transfers = try #require(chain.stages.first as? CoalescingMiddleware).transfers
        let first = Task { try await chain.send(.get(url)).status }
        try await isSent.wait()
        auth.replaceToken(with: AccessToken("bob"))
        let second = Task { try await chain.send(.get(url)).status }
        try await until("both calls to wait") { transfers.waiterCount == 2 }
        mayAnswer.reach()
        await #expect(throws: UserChangedError.self) { try await first.value }
        #expect(try await second.value == .ok)
        #expect(sent.all == ["alice", "bob"])
    }

    @Test("A hedge is not sent as another user, and leaves the first attempt its time")
    func hedging() async throws {
        let (sent, auth) = (Sent(), bearer())
        let chain = try Chain(
            transport: ClosureTransport { request in
                _ = try await sent.add(request)
                auth.replaceToken(with: AccessToken("bob"))
                try await request.environment.time.sleep(for: .seconds(10))
                return Response(.ok)
            },
            environment: .virtual(.automatic())
        ) {
            HedgingMiddleware(HedgingPolicy(after: .fixed(.milliseconds(100))))
            auth
        }
        #expect(try await chain.send(.get(url)).status == .ok)
        #expect(sent.all == ["alice"])
    }

    @Test("Only the calls of a chain that adds an identity have one")
    func plainChain() async throws {
        let identities = Locked<[Bool]>([])
        let transport = ClosureTransport { request in
            let has = request.callIdentity != nil
            identities.withLock { $0.append(has) }
            return Response(.ok)
        }
        let inner = try Chain(transport: transport) { bearer() }
        let plain: [any Middleware] = [CookieMiddleware(), RetryMiddleware(), RoutedAuthMiddleware([])]
        for chain in [
            try Chain(plain, transport: transport), try Chain([RetryMiddleware()], transport: inner),
            try Chain([FallbackMiddleware(.chain(inner))], transport: transport),
        ] { _ = try await chain.send(.get(url)) }
        #expect(identities.withLock { $0 } == [false, true, true])
    }
}

private struct BreakingReader: BodyReader {
    var rest: Data?
    let error: TransportError
    let atEnd: @Sendable () -> Void

    init(rest: Data, error: TransportError, atEnd: @escaping @Sendable () -> Void) {
        self.rest = rest
        self.error = error
        self.atEnd = atEnd
    }

    nonisolated(nonsending) mutating func read() async throws -> Data? {
        if let rest = rest.take() { return rest }
        atEnd()
        throw error
    }
}

extension HTTPField.Name {
    fileprivate static let uploadOffset = Self(constant: "Upload-Offset")
    fileprivate static let link = Self(constant: "Link")
}
#endif
