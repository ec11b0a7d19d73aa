#if AllTests
import Foundation
import HTTPChainAuth
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPTypes
import Testing

private func user(_ name: String, for origins: OriginSet = "https://api.example.com") -> BasicAuthMiddleware {
    BasicAuthMiddleware(user: name, password: "", for: origins, sending: .preemptively)
}

private func field(_ name: String) -> String {
    "Basic " + Data("\(name):".utf8).base64EncodedString()
}

private let routed = RoutedAuthMiddleware([
    AuthRoute(for: "https://api.example.com", with: user("all")),
    AuthRoute("admin", for: "https://api.example.com", under: "/admin", with: user("admin")),
    AuthRoute("deep", for: "https://api.example.com", under: "/admin/deep/", with: user("deep")),
    .unauthenticated(for: "https://api.example.com", under: "/health"),
    AuthRoute(under: "/admin", with: user("anywhere", for: "https://files.example.com")),
    AuthRoute(
        "files",
        for: "https://files.example.com",
        under: "/private",
        with: user("f", for: "https://files.example.com")
    ),
])

@Suite("Authentication by route")
struct RoutingTests {
    @Test(
        "A request is served by the most specific route",
        arguments: [
            ("https://api.example.com/", "all"), ("https://api.example.com/me?x=/admin", "all"),
            ("https://api.example.com/admin", "admin"), ("https://api.example.com/admin?x=1", "admin"),
            ("https://api.example.com/admin/users", "admin"), ("https://api.example.com/administration", "all"),
            ("https://api.example.com/admin/deep", "deep"), ("https://api.example.com/admin/deep/x", "deep"),
            ("https://api.example.com:443/admin", "admin"), ("https://api.example.com/health", nil),
            ("https://api.example.com/health/live", nil), ("https://api.example.com/healthy", "all"),
            ("https://files.example.com/admin", "anywhere"), ("https://files.example.com/private/x", "f"),
            ("https://files.example.com/", nil), ("https://evil.example/admin", nil),
            ("http://api.example.com/admin", nil), ("https://api.example.com:8443/", nil), ("/admin", nil),
        ] as [(String, String?)]
    )
    func route(url: String, name: String?) async {
        let outcome = await StageHarness(routed).send(.get(url))
        #expect(outcome.authorizations == [name.map(field)])
    }

    @Test("A request that names a route is served by it, wherever its path leads")
    func named() async {
        let request = Request.get("https://api.example.com/me").authentication(by: "admin")
        #expect(await StageHarness(routed).send(request).authorizations == [field("admin")])
    }

    @Test("A named route of another origin serves nothing, as after a redirect")
    func namedElsewhere() async throws {
        let request = Request.get("https://evil.example/admin").authentication(by: "admin")
        let outcome = await StageHarness(routed).send(request, answering: .challenge("Basic realm=x"))
        #expect(outcome.authorizations == [nil])
    }

    @Test("A route that there is not is an error that names those there are")
    func unknown() async throws {
        let outcome = await StageHarness(routed).send(
            .get("https://api.example.com/").authentication(by: "nobody"),
            answering: []
        )
        let error = try #require(outcome.error as? AuthenticationError)
        #expect(error.problem == .unknownRoute("nobody", known: ["admin", "deep", "files"]))
        #expect(error.stage == "RoutedAuthMiddleware")
    }

    @Test("A request that is to stay without credentials stays without, on every route")
    func unauthenticated() async {
        let request = Request.get("https://api.example.com/admin").authentication(false)
        #expect(await StageHarness(routed).send(request).authorizations == [nil])
    }

    @Test("Routes serve any stage, and its challenges too")
    func stages() async {
        let words = AuthenticationMiddleware([WordAuthenticator("Word", .token, words: ["1", "2"])])
        let stage = RoutedAuthMiddleware([AuthRoute(for: "https://api.example.com", with: words)])
        let outcome = await StageHarness(stage).send(.get(url), answering: .challenge("Word"), .challenge("Word"), .ok)
        #expect(outcome.authorizations == [nil, "Word 1", "Word 2"])
    }

    @Test("What is wrong with routes is found when the chain is built")
    func problems() throws {
        struct Serializer: Middleware {
            var phase: Phase { .decode }
            func intercept(_ request: consuming Request, next: Next) async throws -> Response {
                try await next(request)
            }
        }
        let rows: [([AuthRoute], String)] = [
            ([AuthRoute("a", with: user("x")), AuthRoute("a", with: user("y"))], "two routes called \"a\""),
            ([AuthRoute(for: "nowhere", with: user("x"))], "not an origin"),
            ([AuthRoute(with: user("x", for: "nowhere"))], "not an origin"),
            ([AuthRoute(with: Serializer())], "does not belong"),
        ]
        for (routes, text) in rows {
            let error = #expect(throws: ChainOrderError.self) {
                try Chain([RoutedAuthMiddleware(routes)], transport: InMemoryTransport())
            }
            #expect(error?.problems.count == 1 && error?.description.contains(text) == true, "\(text)")
        }
        _ = try Chain([routed], transport: InMemoryTransport())
    }

    @Test("The routes are explained")
    func explained() throws {
        let text = try Chain([routed], transport: InMemoryTransport()).explain()
        for expected in ["admin: https://api.example.com under /admin", "→ nothing", "under /health"] {
            #expect(text.contains(expected), "\(text)")
        }
    }
}
#endif
