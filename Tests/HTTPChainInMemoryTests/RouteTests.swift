import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPTypes
import Testing

@Suite("Routes", .timeLimit(.minutes(10)))
struct RouteTests {
    let transport = InMemoryTransport()

    @Test(
        "A pattern fits the URLs it describes",
        arguments: [
            ("/users", "https://example.com/users"), ("users", "https://example.com/users"),
            ("/", "https://example.com"), ("/", "https://example.com/?q=1"),
            ("/users/:id", "https://example.com/users/42?full=1"), ("/a/*/c", "https://example.com/a/b/c"),
            ("/files/*", "https://example.com/files"), ("/files/*", "https://example.com/files/"),
            ("/files/*", "https://example.com/files/a/b"), ("/img-*", "https://example.com/img-1/x.png"),
            ("*", "https://example.com/any/thing"), ("/a%20b", "https://example.com/a%20b"),
            ("/a b", "https://example.com/a%20b"), ("https://example.com/x", "https://EXAMPLE.com/x"),
            ("https://example.com/x", "https://example.com:443/x"), ("//example.com/x", "http://example.com/x"),
            ("//example.com/x", "http://example.com:8080/x"), ("//example.com:8080/x", "http://example.com:8080/x"),
            ("//example.com", "https://example.com/any/thing"), ("//*.example.com/x", "https://api.example.com/x"),
            ("//[::1]:8080/x", "http://[::1]:8080/x"), ("//[::1]/x", "http://[::1]:8080/x"),
            ("/s?page=2", "https://example.com/s?q=a&page=2"), ("/s?page", "https://example.com/s?page=9"),
            ("/s?a=1&b=x%20y", "https://example.com/s?b=x%20y&a=1"), ("/x#part", "https://example.com/x"),
        ]
    )
    func fits(pattern: String, url: String) async throws {
        transport.on(.get, pattern) { _ in Response(.ok) }
        #expect(try await transport.send(.get(url)).status == .ok)
    }

    @Test(
        "A pattern does not fit other URLs",
        arguments: [
            ("/users", "https://example.com/users/"), ("/users", "https://example.com/users/1"),
            ("/users", "https://example.com/Users"), ("/users/:id", "https://example.com/users/"),
            ("/users/:id", "https://example.com/users"), ("/users/:id", "https://example.com/users/1/x"),
            ("/files/*", "https://example.com/filesystem"), ("/img-*", "https://example.com/im"),
            ("https://example.com/x", "http://example.com/x"), ("//example.com/x", "https://example.org/x"),
            ("//example.com:8080/x", "http://example.com/x"), ("//*.example.com/x", "https://example.com/x"),
            ("//*.example.com/x", "https://badexample.com/x"), ("/s?page=2", "https://example.com/s?page=3"),
            ("/s?page", "https://example.com/s"), ("/caf\u{e9}", "https://example.com/cafe%CC%81"),
            ("/caf\u{e9}*", "https://example.com/cafe%CC%81/1"), ("/s?q=\u{e9}", "https://example.com/s?q=e%CC%81"),
        ]
    )
    func fitsNot(pattern: String, url: String) async throws {
        transport.on(.get, pattern) { _ in Response(.ok) }
        await #expect(throws: UnmatchedRequestError.self) { try await transport.send(.get(url)) }
    }

    @Test("The method decides, and nil stands for any")
    func method() async throws {
        transport.on(nil, "/x") { Response(.ok, body: HTTPBody("any " + $0.head.method.rawValue)) }
        transport.on(.put, "/x") { _ in Response(.ok, body: "put") }
        #expect(try await transport.send(.put(base + "/x")).body.text() == "put")
        #expect(try await transport.send(.delete(base + "/x")).body.text() == "any DELETE")
    }

    @Test("The closure gets the variables, decoded")
    func variables() async throws {
        let seen = Locked<[String: String]>([:])
        transport.on(.get, "/users/:id/files/*") { request in
            seen.withLock { $0 = request.routeVariables }
            return Response(.ok)
        }
        _ = try await transport.send(.get(base + "/users/a%2Fb/files/c/d.txt?x=1"))
        #expect(seen.withLock { $0 } == ["id": "a/b", "*": "c/d.txt"])
    }

    @Test("Of several routes that fit, the one added last answers")
    func precedence() async throws {
        transport.on(.get, "/users/:id") { _ in Response(.ok, body: "first") }
        transport.on(.get, "/users/1") { _ in Response(.ok, body: "second") }
        #expect(try await transport.send(.get(base + "/users/1")).body.text() == "second")
        #expect(try await transport.send(.get(base + "/users/2")).body.text() == "first")
    }

    @Test("A route with a count gives way once it is used up")
    func times() async throws {
        transport.on(.get, "/x") { _ in Response(.ok, body: "always") }
        transport.on(.get, "/x", times: 2) { _ in Response(.ok, body: "twice") }
        transport.on(.get, "/x", times: 0) { _ in Response(.ok, body: "never") }
        var texts: [String] = []
        for _ in 0..<3 { texts.append(try await transport.send(.get(base + "/x")).body.text()) }
        #expect(texts == ["twice", "twice", "always"])
    }

    @Test("A route answers with a reply, or with several in order")
    func replies() async throws {
        transport.on(.get, "/same", reply: .text("same"))
        transport.on(.get, "/each", replies: [.text("1"), .text("2")])
        transport.on(.get, "/none", replies: [])
        for _ in 0..<2 { #expect(try await transport.send(.get(base + "/same")).body.text() == "same") }
        #expect(try await transport.send(.get(base + "/each")).body.text() == "1")
        #expect(try await transport.send(.get(base + "/each")).body.text() == "2")
        await #expect(throws: UnmatchedRequestError.self) { try await transport.send(.get(base + "/each")) }
        await #expect(throws: UnmatchedRequestError.self) { try await transport.send(.get(base + "/none")) }
    }

    @Test("What a closure throws reaches the client as it is")
    func throwing() async throws {
        transport.on(.get, "/x") { _ in throw TestError(text: "handler") }
        await #expect(throws: TestError(text: "handler")) { try await transport.send(.get(base + "/x")) }
    }

    @Test("One closure can answer everything")
    func oneClosure() async throws {
        let transport = InMemoryTransport { request in
            let body = try await request.body.text()
            return Response(.ok, body: HTTPBody("\(request.head.method) \(request.url) \(body)"))
        }
        let response = try await transport.send(.post(base + "/a?b=c", body: "hi"))
        #expect(try await response.body.text() == "POST https://example.com/a?b=c hi")
        let asterisk = Request(
            head: HTTPRequest(method: .options, scheme: "https", authority: "example.com", path: "*")
        )
        #expect(try await transport.send(asterisk).status == .ok)
    }

    @Test("The capabilities are those given")
    func capabilities() {
        #expect(InMemoryTransport().capabilities == .inMemory)
        #expect(InMemoryTransport(capabilities: [.decodesContent]).capabilities == [.decodesContent])
        #expect(InMemoryTransport(capabilities: []) { _ in Response(.ok) }.capabilities == [])
    }
}

@Suite("Use and lack of answers", .timeLimit(.minutes(10)))
struct UnmatchedTests {
    let transport = InMemoryTransport()

    @Test("When nothing matches, the error lists the routes and what differs, nearest first")
    func nearMisses() async throws {
        transport.on(.get, "//other.org/orders/:id/items") { _ in Response(.ok) }
        transport.on(.get, "/users?page=2") { _ in Response(.ok) }
        transport.on(.post, "/users") { _ in Response(.ok) }
        transport.on(.get, "/users", times: 1) { _ in Response(.ok) }
        transport.on(.get, "/people") { _ in Response(.ok) }
        _ = try await transport.send(.get(base + "/users"))
        let error = try await failure { _ = try await transport.send(.get(base + "/users")) }
        let unmatched = try #require(error as? UnmatchedRequestError)
        #expect(unmatched.method == .get)
        #expect(unmatched.url == base + "/users")
        #expect(
            unmatched.nearMisses.map(\.route) == [
                "GET /users", "POST /users", "GET /users?page=2", "GET /people", "GET //other.org/orders/:id/items",
            ]
        )
        #expect(
            unmatched.nearMisses.map(\.differences) == [
                ["used up: it answered 1 of 1 times"],
                ["method is GET, the route expects POST"],
                ["query lacks page=2"],
                ["path has \"users\", the route expects \"people\""],
                [
                    "host is example.com, the route expects other.org",
                    "path has \"users\", the route expects \"orders\"",
                ],
            ]
        )
        #expect(
            unmatched.description == """
                InMemoryTransport: no route or reply for GET https://example.com/users; add a route with on(_:_:) or a \
                reply with enqueue(_:)
                  route, nearest first              what differs
                  GET /users                        used up: it answered 1 of 1 times
                  POST /users                       method is GET, the route expects POST
                  GET /users?page=2                 query lacks page=2
                  GET /people                       path has "users", the route expects "people"
                  GET //other.org/orders/:id/items  host is example.com, the route expects other.org; path has \
                "users", the route expects "orders"
                """
        )
        #expect(transport.requests.last?.error is UnmatchedRequestError)
    }

    @Test(
        "Every kind of difference in a path is named",
        arguments: [
            ("/a/b", "/a", "path ends, the route expects \"b\""),
            ("/a/:id", "/a/", "path has nothing, the route expects a value for :id"),
            ("/a/:id", "/a", "path ends, the route expects a value for :id"),
            ("/a", "/a/b/c", "path continues with \"/b/c\" after the end of the route"),
            ("/a/", "/a", "path ends, the route expects a slash at its end"),
            ("/a/x*", "/a/y/z", "path has \"y/z\", the route expects \"x*\""),
            ("http://example.com/a", "/a", "scheme is https, the route expects http"),
            ("//example.com:81/a", "/a", "host is example.com:443, the route expects example.com:81"),
        ]
    )
    func differences(pattern: String, path: String, text: String) async throws {
        transport.on(.get, pattern) { _ in Response(.ok) }
        let error = try await failure { _ = try await transport.send(.get(base + path)) }
        #expect((error as? UnmatchedRequestError)?.nearMisses.map(\.differences) == [[text]])
    }

    @Test("The error says when there are no routes and when the script is used up")
    func noRoutes() async throws {
        let none = try await failure { _ = try await transport.send(.get(base)) }
        #expect("\(none)".hasSuffix("with enqueue(_:); there are no routes"))
        transport.enqueue(.ok, times: 2)
        for _ in 0..<2 { _ = try await transport.send(.get(base)) }
        let used = try await failure { _ = try await transport.send(.get(base)) }
        #expect("\(used)".hasSuffix("; the 2 enqueued replies have been used; there are no routes"))
    }

    @Test("A long table is cut, and secrets are not shown")
    func longAndSecret() async throws {
        for index in 0..<30 { transport.on(.get, "/r\(index)?token=hunter2") { _ in Response(.ok) } }
        let error = try await failure { _ = try await transport.send(.get(base + "/x?token=hunter2")) }
        let unmatched = try #require(error as? UnmatchedRequestError)
        #expect(unmatched.nearMisses.count == 30)
        #expect(unmatched.description.hasSuffix("and 18 more"))
        #expect(!unmatched.description.contains("hunter2"))
        transport.on(.get, "/x?token=hunter2") { _ in Response(.ok) }
        let wrong = try await failure { _ = try await transport.send(.get(base + "/x")) }
        #expect(!"\(wrong)".contains("hunter2"))
    }

    @Test("All used is all used")
    func allUsed() async throws {
        try transport.assertAllUsed()
        transport.on(.get, "/optional") { _ in Response(.ok) }
        transport.on(.get, "/required", isRequired: true) { _ in Response(.ok) }
        transport.on(.get, "/twice", times: 2) { _ in Response(.ok) }
        transport.enqueue(.ok)
        for path in ["/", "/required", "/twice", "/twice"] { _ = try await transport.send(.get(base + path)) }
        try transport.assertAllUsed()
    }

    @Test("Replies and routes that were not used are listed")
    func unused() async throws {
        transport.on(.get, "/optional") { _ in Response(.ok) }
        transport.on(.get, "/required", isRequired: true) { _ in Response(.ok) }
        transport.on(nil, "/twice", times: 2) { _ in Response(.ok) }
        transport.enqueue(.ok)
        _ = try await transport.send(.get(base))
        _ = try await transport.send(.get(base + "/twice"))
        transport.enqueue(.text("hello").failing(.atEnd()))
        let error = try await failure { try transport.assertAllUsed() }
        let unused = try #require(error as? UnusedRepliesError)
        #expect(
            unused.unused == [
                "reply 2 of 2: 200 OK, 5 bytes, fails atEnd",
                "route GET /required: used 0 of 1 times",
                "route any method /twice: used 1 of 2 times",
            ]
        )
        #expect("\(unused)".contains("\n  route GET /required: used 0 of 1 times"))
    }

    @Test("A reset forgets everything")
    func reset() async throws {
        transport.on(.get, "/x", isRequired: true) { _ in Response(.ok) }
        transport.enqueue(.ok, times: 3)
        _ = try await transport.send(.get(base))
        transport.reset()
        try transport.assertAllUsed()
        #expect(transport.requests.isEmpty)
        #expect(transport.requestCount == 0)
        await #expect(throws: UnmatchedRequestError.self) { try await transport.send(.get(base + "/x")) }
    }
}
