import HTTPChainCore
import HTTPChainTesting
import HTTPChainURLBuilder
import HTTPTypes
import TestSupport
import Testing

@Suite("A base that holds")
struct LeavesOriginTests {
    private static let home = "https://api.example.com"

    private static let disguises = [
        "//other.example/x", "//other.example", "///other.example/x", "\\\\other.example/x", "/\\other.example/x",
        "\\/other.example/x", "https:other.example/x", "https:/other.example/x", "http:///other.example/x",
        "/\t/other.example/x", "/\n/other.example/x", " //other.example/x", "\u{1}//other.example",
        "h\nttps://other.example/x",
        "//api.example.com@other.example/x", "//api.example.com:443@other.example/x", "//api.example.com:444/x",
        "//api.example.com.other.example/x", "//API.example.com%2Eother.example/x",
        "//api.example.com\\@other.example/x",
        "https://other.example/x", "HTTPS://other.example/x", "http://api.example.com/x", "//[::1]/x",
        "https://{name}.example/x", "//{name}.example", "//other.example?x", "//other.example#x",
        "https://api.example.com:1/",
        "/.//other.example/x", ".//other.example/x", "//", "https://", "//bücher.example/x", "/%2F/other.example",
        "//other.example/{+name}", "javascript://other.example/x", "https:////other.example/x",
        "//\u{301}other.example/x",
    ]

    /// A request whose variable, if it has one, has a value.
    private static func get(_ reference: String, name: String) -> Request {
        var request = Request.get(reference)
        request.urlArguments = URLArguments(path: ["name": name]).used(in: reference)
        return request
    }

    private func origins(of references: [String], _ request: (String) -> Request) async throws -> [Origin?] {
        var seen: [Origin?] = []
        for base in [Self.home, "\(Self.home)/", "\(Self.home)/v2?key=1"] {
            let stage = URLBuilderMiddleware(base: base, leavesOrigin: .refused)
            for reference in references {
                let outcome = await StageHarness(stage).send(request(reference))
                if let sent = outcome.requests.first {
                    // Read again as a whole: what counts is the URL that a server or a proxy sees.
                    #expect(sent.origin == Origin(sent.url), "\(reference.debugDescription)")
                    seen.append(sent.origin)
                } else {
                    #expect(outcome.error is URLBuilderError, "\(reference.debugDescription)")
                }
            }
        }
        return seen
    }

    @Test("No reference leaves it, whatever it looks like")
    func noReferenceLeaves() async throws {
        let seen = try await origins(of: Self.disguises) { Self.get($0, name: "other") }
        #expect(!seen.isEmpty && seen.allSatisfy { $0 == Origin(Self.home) })
        let heads = try await origins(of: Self.disguises) {
            Request(head: HTTPRequest(method: .get, scheme: nil, authority: nil, path: $0))
        }
        #expect(!heads.isEmpty && heads.allSatisfy { $0 == Origin(Self.home) })
    }

    @Test("No reference of random pieces leaves it", .seeded)
    func randomReferences() async throws {
        let numbers = Seed.numbers()
        let pieces = [
            "/", "/", "\\", "https:", "http:", "other.example", "api.example.com", "@", ":", "\t", "\n", " ", "{name}",
            "?", "#",
            "..", ".", "%2F", "%5C", "443", "\u{301}", "\u{200D}", "x", "//", "{+name}", ":name",
        ]
        let references = (0..<2_000).map { _ in
            (0..<1 + numbers.index(below: 7)).map { _ in pieces[numbers.index(below: pieces.count)] }.joined()
        }
        let seen = try await origins(of: references) { Self.get($0, name: "//other.example") }
        #expect(seen.count > 1_000 && seen.allSatisfy { $0 == Origin(Self.home) })
    }

    @Test("URLs of the base's own origin pass")
    func ownOrigin() async throws {
        let own = [
            "plants", "/plants", "//api.example.com/plants", "https://api.example.com/plants",
            "https://API.EXAMPLE.COM:443/plants", "//api.example.com:443", "",
        ]
        let seen = try await origins(of: own) { .get($0) }
        #expect(seen.count == 3 * own.count && seen.allSatisfy { $0 == Origin(Self.home) })
    }

    @Test("The error names both origins and says what to do, and shows no password")
    func error() async throws {
        let stage = URLBuilderMiddleware(base: Self.home, leavesOrigin: .refused)
        let outcome = await StageHarness(stage).send(.get("//bob:hunter2@other.example/x"))
        let error = try #require(outcome.error as? URLBuilderError)
        #expect(error.reason == "the URL is on another origin, https://other.example, than the base, \(Self.home)")
        #expect(error.recoverySuggestion?.contains("url(leavesOrigin: .allowed)") == true)
        #expect(!"\(error)".contains("hunter2"))
        let options = Request(
            head: HTTPRequest(method: .options, scheme: "https", authority: "other.example", path: "*")
        )
        #expect(await StageHarness(stage).send(options).error is URLBuilderError)
    }

    @Test("A call may leave it, and so may a builder of the application's own")
    func permission() async throws {
        let stage = URLBuilderMiddleware(base: Self.home, leavesOrigin: .refused)
        let url = "https://other.example/x"
        let requests = [Request.get(url).url(leavesOrigin: .allowed), .get("x").url(builtBy: Elsewhere())]
        for request in requests {
            #expect(await StageHarness(stage).send(request).requests.map(\.url) == [url])
        }
        #expect("\(stage.summary)".contains("refused"))
    }

    @Test("A call may refuse to leave it, over a stage that allows it")
    func ownRefusal() async throws {
        let request = Request.get("https://other.example/x").url(leavesOrigin: .refused)
        #expect(await StageHarness(URLBuilderMiddleware(base: Self.home)).send(request).error is URLBuilderError)
    }

    @Test("Without being told, a base lets URLs with a host pass")
    func allowed() throws {
        let builder = try URLBuilder(base: Self.home)
        #expect(try builder.url("//other.example/x") == "https://other.example/x")
        #expect(throws: URLBuilderError.self) {
            try URLBuilder(base: Self.home, leavesOrigin: .refused).url("//other.example/x")
        }
    }

    private struct Elsewhere: URLBuilding {
        func url(for call: URLBuildingCall) async throws -> String { "https://other.example/\(call.reference)" }
    }
}
