#if AllTests
import HTTPChain
import HTTPChainClient
import HTTPChainInMemory
import HTTPChainSigning
import HTTPTypes
import TestSupport
import Testing

/// Users of one program, and calls with other credentials than their user's.
@Suite("Users are strangers to each other")
struct StrangersTests {
    private static let url = "https://api.example.com/me"

    /// Answers with the credentials that it got, unless it is down.
    private final class Server: Transport {
        private static let fields =
            [HTTPField.Name.authorization, .cookie] + ["X-Account"].compactMap { HTTPField.Name($0) }
        let isDown = Locked(false)
        var capabilities: TransportCapabilities { [] }

        func send(_ request: consuming Request) async throws -> Response {
            if isDown.withLock({ $0 }) { return Response(.serviceUnavailable) }
            let sent = Self.fields.compactMap { request.headers[$0] }
            return Response(
                .ok,
                headers: [.cacheControl: "max-age=100"],
                body: HTTPBody(sent.isEmpty ? "nobody" : sent.joined(separator: ", "))
            )
        }
    }

    private static func bearer(_ token: String) -> BearerAuthMiddleware {
        BearerAuthMiddleware(token: Secret(token), for: url)
    }

    private static let routes = RoutedAuthMiddleware([
        AuthRoute("admin", for: url, under: "/admin", with: bearer("admin")), AuthRoute(for: url, with: bearer("ada")),
    ])

    private static let memory = FallbackMiddleware(.lastAnswer(by: .by("user") { _ in "ada" }))

    typealias Change = @Sendable (Request) -> Request

    private struct Pair: Sendable {
        let stage: any Middleware
        let one: Change
        let other: Change
    }

    private static let pairs = [
        Pair(
            stage: HeadersMiddleware(),
            one: { $0.headers(.set("X-Account", to: "1")) },
            other: { $0.headers(.set("X-Account", to: "2")) }
        ),
        Pair(stage: CookieMiddleware(), one: { $0.cookies(["sid": "1"]) }, other: { $0.cookies(["sid": "2"]) }),
        Pair(stage: routes, one: { $0.authentication(by: "admin") }, other: { $0 }),
        Pair(stage: routes, one: { $0.authentication(by: "admin") }, other: { $0.authentication(false) }),
    ]

    @Test("A last answer is given only to a call with the same options", arguments: 0..<pairs.count)
    func lastAnswer(index: Int) async throws {
        let pair = Self.pairs[index]
        let server = Server()
        let chain = try Chain([Self.memory, pair.stage], transport: server)
        let first = try await chain.send(pair.one(.get(Self.url))).body.text()
        server.isDown.withLock { $0 = true }
        #expect(try await chain.send(pair.other(.get(Self.url))).status == .serviceUnavailable)
        #expect(try await chain.send(pair.one(.get(Self.url))).body.text() == first)
    }

    @Test("A call with other credentials than its user's gets and leaves nothing in the user's cache")
    func chosenCredentials() async throws {
        let chain = try Chain(transport: Server()) {
            CacheMiddleware(store: .memory(limit: .mebibytes(1)), partition: .by { _ in "ada" })
            Self.routes
        }
        let calls: [(Request, String)] = [
            (.get(Self.url).authentication(by: "admin"), "Bearer admin"), (.get(Self.url), "Bearer ada"),
            (.get(Self.url).authentication(false), "nobody"),
            (.get(Self.url).authentication(by: "admin"), "Bearer admin"),
            (.get(Self.url), "Bearer ada"), (.get(Self.url).authentication(false), "nobody"),
        ]
        for (request, body) in calls { #expect(try await chain.send(request).body.text() == body) }
    }

    @Test("Around a stage that signs, a stage that shares responses needs to know whose they are")
    func signer() throws {
        let signing = SigningMiddleware(.closure("by hand") { _, _ in }, for: Self.url)
        let sharing: [(UserPartition) -> any Middleware] = [
            { CacheMiddleware(store: .memory(limit: .mebibytes(1)), partition: $0) },
            { CoalescingMiddleware(partition: $0) },
        ]
        for stage in sharing {
            let error = #expect(throws: ChainOrderError.self) {
                try Chain([stage(.none), signing], transport: Server())
            }
            #expect(error?.problems.first?.problem.contains("is outside SigningMiddleware") == true)
            _ = try Chain([stage(.by { _ in "ada" }), signing], transport: Server())
            _ = try Chain([stage(.shared), signing], transport: Server())
        }
    }

    @Test("A memory of last answers around a user's credentials is divided by a closure")
    func memoryAroundCredentials() throws {
        for stage in [Self.bearer("x"), SigningMiddleware(.closure("by hand") { _, _ in }, for: Self.url)]
            as [any Middleware]
        {
            for group in [RequestGroup.origin, .all] {
                let error = #expect(throws: ChainOrderError.self) {
                    try Chain([FallbackMiddleware(.lastAnswer(by: group)), stage], transport: Server())
                }
                #expect(error?.problems.first?.problem.contains("cannot tell whose answers it remembers") == true)
            }
            _ = try Chain([Self.memory, stage], transport: Server())
        }
        _ = try Chain([FallbackMiddleware(.lastAnswer(by: .origin))], transport: Server())
    }

    private struct Me: StoredRequest {
        typealias Output = String
        var storageIdentifier: String? { "me" }
        var path: String { StrangersTests.url }
    }

    @Test("A store of replies that can't tell the users of a chain apart keeps none")
    func replies() async throws {
        for partition in [UserPartition.none, .byCredentials, .shared, .by { _ in "ada" }] {
            let chain = try Chain(transport: Server()) { Self.bearer("ada") }
            let replies = ReplyStore(.memory(limit: .mebibytes(1)), partition: partition)
            let client = Client(over: chain, replies: replies)
            #expect(try await client.call(Me()) == "Bearer ada")
            if partition.seesUsers || partition.isShared {
                #expect(try await client.storedReply(for: Me())?.value == "Bearer ada")
            } else {
                let error = await #expect(throws: ReplyStoreError.self) { try await client.storedReply(for: Me()) }
                #expect(error?.problem == .undivided(stage: "BearerAuthMiddleware"))
            }
        }
    }
}
#endif
