import Foundation
import HTTPChain
import HTTPChainInMemory
import HTTPChainLogShipper
import HTTPChainTesting
import TestSupport
import Testing

// The code of the README, compiled and run. The last test below compares the two.

private struct User: Decodable, Equatable, Sendable {
    var id: Int
}

private struct NewUser: Encodable, Sendable {
    var name: String
}

/// Sends requests for a host that has moved to the new one.
struct MovedHostMiddleware: Middleware {
    let old: String
    let new: String

    // The place of the stage: a chain with the stage elsewhere is refused. Without this line, it is allowed anywhere.
    var phase: Phase { .build }

    func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        if request.head.authority == old { request.head.authority = new }
        return try await next(request)
    }
}

/// Sends a request again, once, if the connection was lost before the answer.
struct SecondTryMiddleware: Middleware {
    var phase: Phase { .retry }

    func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        guard request.method.isIdempotent, request.body.isReplayable else { return try await next(request) }
        do {
            return try await next(copy request)
        } catch let error as TransportError where error.kind == .connectionLost && error.sent != .answered {
            return try await next(request)
        }
    }
}

enum KeepsHost: RequestOption {
    static var defaultValue: Bool { false }
}

@Test("A request for the old host goes to the new one")
func movesTheHost() async throws {
    let stage = MovedHostMiddleware(old: "old.example.com", new: "new.example.com")
    let outcome = await StageHarness(stage).send(.get("https://old.example.com/a"), answering: .ok)
    #expect(outcome.requests.first?.url == "https://new.example.com/a")
}

@Test(arguments: StageConformance.Check.allCases)
func keepsTheRules(check: StageConformance.Check) async throws {
    try await StageConformance { MovedHostMiddleware(old: "a", new: "b") }.verify(check)
}

@Test("A second try is made with a copy of the request, where it is safe")
func triesAgain() async throws {
    let lost = StageHarness.Answer.failure(TransportError(.connectionLost, sent: .maybe, stage: "test"))
    let again = await StageHarness(SecondTryMiddleware()).send(.get("https://example.com/a"), answering: lost, .ok)
    #expect(try again.response().status == .ok)
    #expect(again.requests.map(\.url) == ["https://example.com/a", "https://example.com/a"])
    let once = await StageHarness(SecondTryMiddleware()).send(.post("https://example.com/a"), answering: lost, .ok)
    #expect(once.requests.count == 1)
}

@Test(arguments: StageConformance.Check.allCases)
func theSecondTryKeepsTheRules(check: StageConformance.Check) async throws {
    try await StageConformance(calls: .any, recoversFromErrors: true) { SecondTryMiddleware() }.verify(check)
}

@Suite("The README")
struct ReadmeTests {
    /// Stands in for URLSession, so that the README's chain can be run as it is written.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    private func URLSessionTransport() -> InMemoryTransport {
        InMemoryTransport { request in
            #expect(request.head.headerFields[.accept] == "application/json")
            let isPost = request.head.method == .post
            #expect(request.url == "https://api.example.com/v2/users\(isPost ? "" : "/42")")
            let body = try await request.body.text()
            #expect(body == (isPost ? #"{"name":"Ada"}"# : ""))
            return Response(.ok, headers: [.contentType: "application/json"], body: #"{"id":42}"#)
        }
    }

    @Test("The README shows a chain that works")
    func chain() async throws {
        let account = "ada"
        let token: Secret = "mF_9.B5f-4.1JqM"
        let chain = try Chain(transport: URLSessionTransport()) {
            // Its deadlines are not those of a busy machine.
            ClosureMiddleware("Virtual time") { request, next in
                request.environment = .virtual()
                return try await next(request)
            }
            ErrorHandlerMiddleware(.problemDetails)
            TimeoutMiddleware(.seconds(60))
            SerializerMiddleware(.json)
            StatusValidationMiddleware()
            URLBuilderMiddleware(base: "https://api.example.com/v2")
            HeadersMiddleware([.userAgent: "MyApp/1.0"])
            RedirectMiddleware()
            GzipMiddleware()
            CacheMiddleware(store: .memory(limit: .megabytes(50)), partition: .by { _ in account })
            RetryMiddleware()
            BearerAuthMiddleware(token: token, for: "https://api.example.com")
            AttemptTimeoutMiddleware(connect: .seconds(10))
            ClosureMiddleware("Timing", phase: .wire, keepsDeadlines: true) { request, next in
                let began = ContinuousClock.now
                defer { print("took", ContinuousClock.now - began) }
                return try await next(request)
            }
        }

        let user = try await chain.send(.get("users/{id}", path: ["id": 42]), as: User.self)
        let added = try await chain.send(.post("users", body: .value(NewUser(name: "Ada"))), as: User.self)
        // The value with its response: fields, cache status, hops.
        let page = try await chain.send(.get("users/{id}", path: ["id": 42]), decoding: User.self)
        print(page.value.id, page.status.code, page.headers[.contentType] ?? "", page.hops.count)
        #expect(page.value == User(id: 42))
        #expect(page.status == .ok)
        #expect(page.url == "https://api.example.com/v2/users/42")
        #expect(user == User(id: 42))
        #expect(added == User(id: 42))
    }

    @Test("The README begins with a chain that is explained")
    func preset() throws {
        let chain = try Chain.standard(base: "https://api.example.com/v2")
        print(chain)  // its stages, in order, and how each is set
        #expect("\(chain)".contains("RetryMiddleware") && "\(chain)".contains("https://api.example.com/v2"))
    }

    @Test("The README shows logging that works")
    func logging() async throws {
        let chain = try Chain.standard(base: "https://api.example.com/v2")
        let shipper = LogShipper(
            to: "https://logs.example.com/v1/logs",
            format: .otlp,
            resource: LogResource(serviceName: "MyApp"),
            over: URLSessionTransport()
        )
        let logged = try chain.inserting(RemoteLoggingMiddleware(shipper), before: TimeoutMiddleware.self)
        let result = try await shipper.shutdown()  // at the end of the program: what is left, and why
        #expect(logged.stages.count == chain.stages.count + 1 && result.isComplete)
    }

    @Test("The README shows an option that works")
    func option() {
        var request = Request.get("https://old.example.com/")
        request.options[KeepsHost.self] = true  // read in the stage as request.options[KeepsHost.self]
        #expect(request.options[KeepsHost.self])
    }

    @Test("The README shows no line of Swift that is not in this file")
    func sameCode() throws {
        let readme = try Repository.text("README.md")
        let here = Set(try String(contentsOfFile: #filePath, encoding: .utf8).split(separator: "\n").map(Self.trimmed))
        let blocks = readme.components(separatedBy: "```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
            .filter { !$0.contains(".package(") }
        #expect(blocks.count >= 4)
        for line in blocks.joined().split(separator: "\n").map(Self.trimmed) where !line.isEmpty {
            #expect(here.contains(line), "not compiled: \(line)")
        }
    }

    private static func trimmed(_ line: Substring) -> String {
        line.trimmingCharacters(in: .whitespaces)
    }
}
