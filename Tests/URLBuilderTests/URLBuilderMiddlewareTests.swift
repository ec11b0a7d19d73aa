import Foundation
import HTTPChainCore
import HTTPChainURLBuilder
import HTTPTypes
import Testing

private struct User: Codable, Equatable, Sendable {
    var id: Int
}

/// Keeps the requests that reach it, and answers with a user.
private struct Server: Transport {
    let seen = Locked<[Request]>([])
    var capabilities: TransportCapabilities { [] }

    func send(_ request: consuming Request) async throws -> Response {
        let request = request
        seen.withLock { $0.append(request) }
        return Response(.ok, body: #"{"id":42}"#)
    }

    var requests: [Request] { seen.withLock { $0 } }
}

@Suite("URLBuilderMiddleware")
struct URLBuilderMiddlewareTests {
    @Test("A chain warns of an inner builder whose base it ignores, also in a chain inside")
    func ignoredBase() throws {
        let (base, other) = ("https://api.example.com/v2", "https://b.example.com")
        let ignoring = try [
            Chain(transport: Server()) {
                URLBuilderMiddleware(base: base)
                URLBuilderMiddleware(base: other)
            },
            Chain(transport: Chain(transport: Server()) { URLBuilderMiddleware(base: other) }) {
                URLBuilderMiddleware(base: base)
            },
        ]
        for chain in ignoring {
            #expect(chain.warnings.count == 1)
            #expect(chain.warnings.first?.description.contains("no use for its base \"\(other)\"") == true)
        }
        let fine = try [
            URLBuilderMiddleware(base: base), URLBuilderMiddleware(base: other, leavesOrigin: .refused),
            URLBuilderMiddleware { _ in other },
        ].map { inner in
            try Chain(transport: Server()) {
                URLBuilderMiddleware(base: base)
                inner
            }
        }
        #expect(fine.allSatisfy { $0.warnings.isEmpty })
    }

    @Test("The stage completes the design page's example")
    func example() async throws {
        let server = Server()
        let chain = try Chain(transport: server) {
            URLBuilderMiddleware(base: "https://api.example.com/v2")
        }
        let user: User = try await chain.send(.get("users/{id}", path: ["id": 42]), as: User.self)
        #expect(user == User(id: 42))
        _ = try await chain.send(.get("search", query: ["q": "swift", "page": 2]))
        _ = try await chain.send(.get("users/{id}", path: ["id": 42], query: ["q": "x"]))
        #expect(
            server.requests.map(\.url) == [
                "https://api.example.com/v2/users/42", "https://api.example.com/v2/search?q=swift&page=2",
                "https://api.example.com/v2/users/42?q=x",
            ]
        )
    }

    @Test("The stage has conveniences for each method, and leaves method, header fields and body alone")
    func conveniences() async throws {
        let server = Server()
        let chain = try Chain(transport: server) { URLBuilderMiddleware(base: "http://h") }
        let requests: [Request] = [
            .get("{a}", path: ["a": 1]), .get("b", query: ["a": 1]), Request(.head, "{a}", path: ["a": 1]),
            Request(.head, "b", query: ["a": 1]),
            .delete("{a}", path: ["a": 1]), .delete("b", query: ["a": 1]), Request(.options, "{a}", path: ["a": 1]),
            Request(.options, "b", query: ["a": 1]),
            .post("{a}", path: ["a": 1], body: "x"), .post("b", query: ["a": 1], body: "x"),
            .put("{a}", path: ["a": 1], body: "x"),
            .put("b", query: ["a": 1], body: "x"), .patch("{a}", path: ["a": 1], headers: [.accept: "y"], body: "x"),
            .patch("b", query: ["a": 1]),
            Request(.get, "{a}", path: ["a": 1]), Request(.get, "b", query: ["a": 1]), .get("{a}"),
        ]
        for request in requests.dropLast() { _ = try await chain.send(request) }
        await #expect(throws: URLBuilderError.self) { try await chain.send(requests[requests.count - 1]) }
        let seen = server.requests
        #expect(seen.map(\.url) == (0..<8).flatMap { _ in ["http://h/1", "http://h/b?a=1"] })
        #expect(
            seen.map(\.head.method)
                == [.get, .head, .delete, .options, .post, .put, .patch, .get].flatMap { [$0, $0] }
        )
        #expect(seen[12].head.headerFields[.accept] == "y")
        #expect(seen[12].body.bytes == Data("x".utf8))
    }

    @Test("The stage adds arguments to any request, JSON ones too")
    func with() async throws {
        let server = Server()
        let chain = try Chain(transport: server) { URLBuilderMiddleware(base: "http://h") }
        let request = try Request.post("users/{id}/{part}", json: User(id: 1)).url(path: ["id": 7], query: ["a": 1])
            .url(path: ["part": "notes"], query: ["b": 2])
        _ = try await chain.send(request)
        #expect(server.requests.map(\.url) == ["http://h/users/7/notes?a=1&b=2"])
    }

    @Test("The stage keeps its arguments to itself: nothing inside sees them, in options, URL, fields or body")
    func reserved() async throws {
        let server = Server()
        let chain = try Chain(transport: server) { URLBuilderMiddleware(base: "http://h") }
        let request = Request.post("users/{id}", path: ["id": 1], body: "b")
            .url(reserved: ["region": "secret-a", "unused": "secret-b"])
        _ = try await chain.send(request)
        let seen = try #require(server.requests.first)
        #expect(seen.url == "http://h/users/1")
        #expect(!seen.options.contains(URLArgumentsOption.self))
        #expect(seen.options.names.isEmpty)
        #expect(!"\(seen)".contains("secret"))
        #expect(seen.head.headerFields.isEmpty)
    }

    @Test("The stage encodes Encodable queries, in the stage's style or the call's")
    func encodableQuery() async throws {
        struct Filter: Encodable, Sendable {
            var maxPrice = 3
            var tags = ["a", "b"]
        }
        let server = Server()
        let chain = try Chain(transport: server) {
            URLBuilderMiddleware(base: "http://h", encoder: ParameterEncoder(arrays: .commas, keys: .snakeCase))
        }
        _ = try await chain.send(.get("x", query: .encoding(Filter())))
        var request = Request.get("x{?on}", path: ["on": true], query: .encoding(Filter()))
        request.urlArguments.encoder = ParameterEncoder(booleans: .digits)
        _ = try await chain.send(request)
        #expect(
            server.requests.map(\.url) == [
                "http://h/x?max_price=3&tags=a,b", "http://h/x?on=1&maxPrice=3&tags=a&tags=b",
            ]
        )
    }

    @Test("The stage asks a builder of your own, which may use the standard one and the reserved parameters")
    func customBuilder() async throws {
        struct Regional: URLBuilding {
            func url(for call: URLBuildingCall) async throws -> String {
                guard case .string(let region)? = call.arguments.reserved["region"] else {
                    return try call.standardURL()
                }
                return try call.standardURL(base: "https://\(region).example.com/v2")
            }
        }
        let server = Server()
        let chain = try Chain(transport: server) {
            URLBuilderMiddleware(base: "https://example.com/v2", builder: Regional())
        }
        _ = try await chain.send(Request.get("users/{id}", path: ["id": 1]).url(reserved: ["region": "eu"]))
        _ = try await chain.send(.get("users/{id}", path: ["id": 1], query: ["q": "x"]))
        #expect(
            server.requests.map(\.url) == ["https://eu.example.com/v2/users/1", "https://example.com/v2/users/1?q=x"]
        )
        #expect(server.requests.allSatisfy { $0.options.names.isEmpty })
    }

    @Test("A custom builder sees reserved values of any type, and calls with such values are never equal")
    func reservedValues() async throws {
        struct Reports: URLBuilding {
            func url(for call: URLBuildingCall) async throws -> String {
                guard let days = call.arguments.reservedValues["days"] as? ClosedRange<Int> else {
                    return try call.standardURL()
                }
                return try call.standardURL(reference: "reports/\(days.lowerBound)-\(days.upperBound)")
            }
        }
        let server = Server()
        let chain = try Chain(transport: server) {
            URLBuilderMiddleware(base: "https://example.com/v2", builder: Reports())
        }
        let request = Request.get("reports").url(reserved: "days", 3...7)
        _ = try await chain.send(request)
        _ = try await chain.send(Request.get("reports").url(reserved: "days", "none").url(reserved: "days", 1...2))
        _ = try await chain.send(Request.get("reports").url(reserved: "other", 1...2))
        #expect(
            server.requests.map(\.url) == [
                "https://example.com/v2/reports/3-7", "https://example.com/v2/reports/1-2",
                "https://example.com/v2/reports",
            ]
        )
        #expect(server.requests.allSatisfy { $0.options.names.isEmpty })
        #expect(URLArgumentsOption.comparableText(of: request.urlArguments) == nil)
    }

    @Test("A custom builder may use variables that the URL doesn't have")
    func variablesOfBuilder() async throws {
        struct Tenants: URLBuilding {
            func url(for call: URLBuildingCall) async throws -> String {
                guard case .string(let tenant)? = call.arguments.path["tenant"] else { return try call.standardURL() }
                return try call.standardURL(base: "https://\(tenant).example.com")
            }
        }
        let server = Server()
        let chain = try Chain(transport: server) { URLBuilderMiddleware(builder: Tenants()) }
        _ = try await chain.send(.get("users/{id}", path: ["id": 1, "tenant": "acme"]))
        #expect(server.requests.map(\.url) == ["https://acme.example.com/users/1"])
    }

    @Test(
        "The stage refuses a value that no variable of the URL uses, and names it and the variables",
        arguments: [
            ("users", ["id"], "id", []), ("users{?page}", ["pgae"], "pgae", ["page"]),
            ("users/{id}{?page,size}", ["id", "pages", "size"], "pages", ["id", "page", "size"]),
            ("users/:id", ["id", "ID"], "ID", ["id"]), ("a/%%0%%", ["0", "1"], "1", ["0"]),
            ("https://other.example/a", ["id"], "id", []),
            ("https://{tenant}.example.com/", ["tenant", "id"], "id", ["tenant"]),
        ] as [(String, [String], String, [String])]
    )
    func unusedVariable(reference: String, given: [String], unused: String, template: [String]) async throws {
        let server = Server()
        let chain = try Chain(transport: server) { URLBuilderMiddleware(base: "http://h") }
        let error = try await #require(throws: URLBuilderError.self) {
            try await chain.send(.get(reference, path: URLParameters(given.map { ($0, "hunter2") })))
        }
        #expect(error.problem == .unusedVariable(unused, template: template))
        #expect(error.exchange != nil && !"\(error)".contains("hunter2"))
        #expect(server.requests.isEmpty)
    }

    @Test("The stage accepts nil for a variable that the URL has, and refuses it for another")
    func unusedNil() async throws {
        let server = Server()
        let chain = try Chain(transport: server) { URLBuilderMiddleware(base: "http://h") }
        _ = try await chain.send(.get("users{?page}", path: ["page": nil]))
        #expect(server.requests.map(\.url) == ["http://h/users"])
        await #expect(throws: URLBuilderError.self) { try await chain.send(.get("users{?page}", path: ["pgae": nil])) }
    }

    @Test("The stage asks a closure, joins what it gives with the base, and lets its errors through")
    func closure() async throws {
        struct Refused: Error {}
        let server = Server()
        let chain = try Chain(transport: server) {
            URLBuilderMiddleware(base: "http://h/v1") { call in
                if call.reference == "refused" { throw Refused() }
                if call.reference == "cancelled" { throw CancellationError() }
                return "\(call.method.rawValue.lowercased())/\(call.reference)/é"
            }
        }
        _ = try await chain.send(.get("x"))
        #expect(server.requests.map(\.url) == ["http://h/v1/get/x/%C3%A9"])
        await #expect(throws: Refused.self) { try await chain.send(.get("refused")) }
        await #expect(throws: CancellationError.self) { try await chain.send(.get("cancelled")) }
        let climbing = try await #require(throws: URLBuilderError.self) { try await chain.send(.get("../../..")) }
        guard case .climbsOut(_, nil) = climbing.problem else {
            Issue.record("\(climbing)")
            return
        }
        #expect(server.requests.count == 1)
    }

    @Test("The stage with a bad base makes a chain that is not built; outside one, it throws the same for each request")
    func badBase() async throws {
        let stage = URLBuilderMiddleware(base: "api.example.com")
        let server = Server()
        let refused = try #require(throws: ChainOrderError.self) { try Chain(transport: server) { stage } }
        #expect(refused.reason.contains("api.example.com"))
        #expect(refused.description.contains("https://api.example.com/v2"))
        let alone = try await #require(throws: URLBuilderError.self) {
            try await stage.intercept(.get("a"), next: Next(to: server))
        }
        #expect(alone.problem == .invalidBase("api.example.com", reason: "it has no scheme and host"))
        let unchecked = try Chain(transport: server, order: .unchecked) { stage }
        await #expect(throws: URLBuilderError.self) { try await unchecked.send(.get("a")) }
        #expect(server.requests.isEmpty)
    }

    @Test("The stage says which request failed, with secrets redacted")
    func errorExchange() async throws {
        let chain = try Chain(transport: Server()) { URLBuilderMiddleware(base: "http://h?token=hunter2") }
        let error = try await #require(throws: URLBuilderError.self) {
            try await chain.send(.get("users/{id}?api_key=hunter2", headers: [.authorization: "hunter2"]))
        }
        #expect(error.problem == .missingVariable("id"))
        #expect(error.stage == "URLBuilderMiddleware")
        #expect(error.exchange?.url == "users/{id}?api_key=<redacted>")
        #expect(!error.description.contains("hunter2"))
        #expect(!chain.explain().contains("hunter2"))
    }

    @Test("The stage explains itself")
    func explain() throws {
        let chain = try Chain(transport: Server()) {
            URLBuilderMiddleware(base: "https://api.example.com/v2") { $0.reference }
        }
        let text = chain.explain()
        #expect(
            text.contains(
                "base: https://api.example.com/v2; variables: {id}, :id, %%0%%; arrays: repeated; builder: closure"
            )
        )
        #expect(text.contains("build"))
    }

    @Test("The stage stands twice in a chain without harm: what the first built passes the second")
    func twice() async throws {
        let server = Server()
        let chain = try Chain(transport: server) {
            URLBuilderMiddleware(base: "https://outer.example/a")
            URLBuilderMiddleware(base: "https://inner.example/b")
        }
        _ = try await chain.send(.get(":id", path: ["id": "a:b"]))
        #expect(server.requests.map(\.url) == ["https://outer.example/a/a%3Ab"])
    }

    @Test("The stage leaves the asterisk of OPTIONS alone")
    func asterisk() async throws {
        let server = Server()
        var request = Request.options("https://h/")
        request.head.path = "*"
        _ = try await URLBuilderMiddleware(base: "http://h").intercept(request, next: Next(to: server))
        #expect(server.requests.first?.head.path == "*")
    }
}
