import Foundation
import HTTPChain
import HTTPChainTesting
import Testing

// The code of the README, compiled and run. The last test below compares the two.

private struct User: Decodable, Equatable, Sendable {
    var id: Int
}

private struct NewUser: Encodable, Sendable {
    var name: String
}

/// Asks for another host while the service has moved.
struct MovedHostMiddleware: Middleware {
    let old: String
    let new: String

    // Where it belongs. A chain that has it elsewhere does not build. nil: anywhere.
    var phase: Phase { .build }

    func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        if request.head.authority == old { request.head.authority = new }
        return try await next(request)
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

    @Test("shows a chain that works")
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
            AttemptTimeoutMiddleware(.seconds(10), idle: .seconds(5))
            ClosureMiddleware("Timing", phase: .wire) { request, next in
                let began = ContinuousClock.now
                defer { print("took", ContinuousClock.now - began) }
                return try await next(request)
            }
        }

        let user = try await chain.send(.get("users/{id}", path: ["id": 42]), as: User.self)
        let added = try await chain.send(.post("users", body: .value(NewUser(name: "Ada"))), as: User.self)
        #expect(user == User(id: 42))
        #expect(added == User(id: 42))
    }

    @Test("shows an option that works")
    func option() {
        var request = Request.get("https://old.example.com/")
        request.options[KeepsHost.self] = true  // read in the stage as request.options[KeepsHost.self]
        #expect(request.options[KeepsHost.self])
    }

    @Test("shows no line of Swift that is not in this file")
    func sameCode() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../..").standardizedFileURL
        let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
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
