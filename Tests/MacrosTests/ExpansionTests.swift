#if AllTests && Macros
import Foundation
import MacroExpansion
import SwiftParser
import SwiftSyntax
import TestSupport
import Testing

@Suite("What a declaration is expanded to", .timeLimit(.minutes(10)))
struct ExpansionTests {
    static func expand(_ source: String) throws -> [String] {
        let file = Parser.parse(source: source)
        let declaration = try #require(file.statements.first?.item.as(DeclSyntax.self)?.as(ProtocolDeclSyntax.self))
        let attribute = try #require(declaration.attributes.first)
        guard case .attribute(let service) = attribute else { return [] }
        let expansion = ServiceExpansion(of: service, on: declaration)
        #expect(expansion.mistakes.isEmpty, "\(expansion.mistakes.map(\.text))")
        return expansion.declarations
    }

    @Test("A path may begin with a slash, and is below the base with and without it", arguments: ["", "/"])
    func leadingSlash(slash: String) throws {
        let declarations = try Self.expand(
            """
            @Service(base: "https://api.example.com/v2") protocol UserService {
                @GET("\(slash)users/{id}") func user(id: Int) async throws -> User
            }
            """
        )
        #expect(declarations.joined().contains(#"var path: String { "https://api.example.com/v2/users/{id}" }"#))
    }

    @Test("A declaration becomes a client, request types and a mock, as a reader could have written them")
    func whole() throws {
        let declarations = try Self.expand(
            """
            @Service(base: "https://api.example.com/v2") public protocol UserService {
                @GET("users/{id}") func user(id: Int) async throws -> User
            }
            """
        )
        #expect(
            declarations.joined(separator: "\n\n") == """
                /// Sends the calls of ``UserService``.
                public struct UserServiceClient: UserService, Sendable {
                    /// The client that sends the calls.
                    public let client: Client

                    /// Sends the calls with a client.
                    public init(_ client: Client) {
                        self.client = client
                    }

                    /// Sends the calls through a chain.
                    public init(chain: some Transport) {
                        client = Client(over: chain)
                    }

                    /// The calls, not sent yet.
                    public var calls: Calls { Calls(client: client) }

                    public func user(id: Int) async throws -> User {
                        try await self.client.call(UserRequest(id: id))
                    }

                    /// Makes calls that are sent when their result is asked for.
                    public struct Calls: Sendable {
                        fileprivate let client: Client

                        public func user(id: Int) -> Call<UserRequest> {
                            self.client.makeCall(UserRequest(id: id))
                        }
                    }

                    /// The request of ``user(id:)``.
                    public struct UserRequest: TypedRequest {
                        public typealias Output = User
                        public var id: Int

                        public init(id: Int) {
                            self.id = id
                        }

                        public var path: String { "https://api.example.com/v2/users/{id}" }
                        public var pathParameters: URLParameters { ["id": id] }
                    }
                }

                /// Answers the calls of ``UserService`` as a test says, and counts them.
                public struct UserServiceMock: UserService, Sendable {
                    /// The methods, to be scripted and counted.
                    public struct Methods: Sendable {
                        public let user = MockMethod<Int, User>("UserService.user(id:)")
                    }

                    /// The methods, to be scripted and counted.
                    public let on = Methods()

                    public init() {}

                    public func user(id: Int) async throws -> User {
                        try await self.on.user.answer(id)
                    }
                }
                """
        )
    }

    /// An annotation, the method that it stands on, and a line of the expansion.
    static let rows: [(String, String, String)] = [
        ("@HEAD(\"a\")", "a()", "var method: HTTPRequest.Method { .head }"),
        ("@POST(\"a\")", "a()", "var method: HTTPRequest.Method { .post }"),
        ("@PUT(\"a\")", "a()", "var method: HTTPRequest.Method { .put }"),
        ("@PATCH(\"a\")", "a()", "var method: HTTPRequest.Method { .patch }"),
        ("@DELETE(\"a\")", "a()", "var method: HTTPRequest.Method { .delete }"),
        ("@OPTIONS(\"a\")", "a()", "var method: HTTPRequest.Method { .options }"),
        ("@QUERY(\"a\")", "a()", "var method: HTTPRequest.Method { .query }"),
        (
            "@GET(\"a/{x}\") @Path(\"x\", from: \"id\")", "a(id: Int)",
            "var pathParameters: URLParameters { [\"x\": id] }"
        ),
        (
            "@GET(\"a/{+x:3}{?y*}\")", "a(x: Int, y: [Int])",
            "var pathParameters: URLParameters { [\"x\": x, \"y\": y] }"
        ),
        ("@GET @Query(\"p\", \"q\")", "a(p: Int, q: Int?)", "var query: URLQuery { [\"p\": p, \"q\": q] }"),
        ("@GET @Query(\"p[]\", from: \"p\")", "a(p: [Int])", "var query: URLQuery { [\"p[]\": p] }"),
        (
            "@GET @Reserved(\"region\", \"zone\")", "a(region: String, zone: Int?)",
            "request = request.declare(reserved: \"zone\", zone)"
        ),
        (
            "@GET @Reserved(\"region\", from: \"r\")", "a(r: String)",
            "request = request.declare(reserved: \"region\", r)"
        ),
        ("@GET @Header(\"tenant\")", "a(tenant: String)", "fields.declare(\"tenant\", tenant)"),
        ("@GET @Header(\"X-Id\", from: \"id\")", "a(id: Int)", "fields.declare(\"X-Id\", id)"),
        (
            "@GET @Headers([\"A\": \"b \\\"{id}\\\" %%0%%\"])", "a(id: Int)",
            "fields.declare(\"A\", \"b \\\"\\(id)\\\" \\(id)\")"
        ),
        ("@POST @Field(\"n\", from: \"name\")", "a(name: String)", "case name = \"n\""),
        (
            "@POST @Field(\"name\") @FormURLEncoded", "a(name: String)",
            "request = request.encoding(by: .form)"
        ),
        ("@POST @Part(\"p\")", "a(p: Data)", "request = request.multipart(MultipartForm(p.parts(named: \"p\")))"),
        (
            "@POST @Part(\"photo\", \"tags\") @Part(\"title\", from: \"caption\")",
            "a(photo: URL, tags: [String], caption: String?)",
            "MultipartForm(photo.parts(named: \"photo\") + tags.parts(named: \"tags\") + caption.parts(named: \"title\")))"
        ),
        ("@POST @Body(\"user\")", "a(_ user: User)", "var body: HTTPBody { .value(user) }"),
        ("@POST @RawBody(\"bytes\")", "a(bytes: Data)", "var body: HTTPBody { .declared(bytes) }"),
        ("@GET @Progress(\"p\")", "a(p: ProgressHandler?)", "if let p { request = request.progress(p) }"),
        ("@GET @Progress(\"p\")", "a(p: @escaping ProgressHandler)", "public var p: ProgressHandler"),
        ("@GET @Progress(\"p\")", "a(p: @escaping ProgressHandler)", "init(p: @escaping ProgressHandler) {"),
        ("@GET @OData(\"q\")", "a(q: ODataQuery<Plant>)", "request = try request.odata(q)"),
        ("@GET @OData(\"q\")", "a(q: ODataQuery<Plant>?)", "if let q { request = try request.odata(q) }"),
        ("@GET @Change(\"c\")", "a(c: @escaping @Sendable (Request) -> Request)", "request = c(request)"),
        ("@GET @Query(\"p\") @Default(\"p\", 1)", "a(p: Int)", "func a(p: Int = 1) async throws {"),
        ("@GET @Query(\"p\")", "a(p: Int?)", "func a(p: Int? = nil) async throws {"),
        (
            "@GET @Statuses(only: 200, .codes(300..<400))", "a()",
            "request = request.statuses(only: [200, .codes(300..<400)])"
        ),
        ("@GET @Statuses(adding: 404, 410)", "a()", "request = request.statuses(adding: [404, 410])"),
        ("@GET @Serializer(.xml)", "a()", "request = request.serializer(.xml)"),
        ("@GET @Serializer(\"xml\")", "a()", "request = request.serializer(\"xml\")"),
        ("@GET @Serializer(false)", "a()", "request = request.serializer(false)"),
        ("@GET @KeyPath(\"a.b\")", "a()", "request = request.decoding(at: \"a.b\")"),
        ("@POST @RootKey(\"a\")", "a()", "request = request.encoding(under: \"a\")"),
        ("@GET @Gzip", "a()", "request = request.compression()"),
        ("@GET @Caching(.off)", "a()", "request = request.caching(.off)"),
        (
            "@GET @Caching(maxAge: .seconds(5), identifier: \"x-{id}\") @Query(\"id\")", "a(id: Int)",
            "request = request.caching(CacheSettings(lifetime: .exactly(.seconds(5)), identifier: \"x-\\(id)\"))"
        ),
        (
            "@GET @Caching(maxAge: .seconds(5)) @Header(\"X-Account\", from: \"account\")", "a(account: String)",
            "CacheSettings(lifetime: .exactly(.seconds(5)), identifier: \"\\([\"\\(account)\"])\"))"
        ),
        (
            "@GET @Caching(maxAge: .seconds(5), identifier: \"x-{id}\") @Header(\"id\", \"zone\")",
            "a(id: Int, zone: String?)",
            "identifier: \"x-\\(id)\\([zone.map { \"\\($0)\" }])\"))"
        ),
        (
            "@GET @Caching(maxAge: .seconds(5)) @Headers([\"X-Account\": \"{account} %%1%%\"])",
            "a(account: String, zone: Int)", "identifier: \"\\([\"\\(account)\", \"\\(zone)\"])\"))"
        ),
        (
            "@POST @Caching(maxAge: .seconds(5)) @Header(\"X-Account\", from: \"account\")", "a(account: String)",
            "CacheSettings(lifetime: .exactly(.seconds(5))))"
        ),
        (
            "@GET @Caching(maxAge: .seconds(5), offline: true)", "a()",
            "request = request.caching(CacheSettings(use: .storedOnFailure, lifetime: .exactly(.seconds(5))))"
        ),
        (
            "@GET @Caching(CacheSettings(use: .refresh))", "a()",
            "request = request.caching(CacheSettings(use: .refresh))"
        ),
        (
            "@POST @Caching(invalidating: .identifier(\"x\"), .all)", "a()",
            "request = request.caching(invalidating: .identifier(\"x\"), .all)"
        ),
        ("@GET @Authentication(by: \"user\")", "a()", "request = request.authentication(by: \"user\")"),
        ("@GET @Authentication(false)", "a()", "request = request.authentication(false)"),
        ("@GET @Timeout(.seconds(3))", "a()", "request = request.timeout(.seconds(3))"),
        ("@GET @Timeout(attempt: nil)", "a()", "request = request.timeout(attempt: nil)"),
        ("@GET @Retry(.never)", "a()", "request = request.retry(.never)"),
        (
            "@GET @Hedging(HedgingPolicy(attempts: 3))", "a()",
            "request = request.hedging(HedgingPolicy(attempts: 3))"
        ),
        ("@POST @Retry(idempotencyKey: true)", "a()", "request = request.retry(idempotencyKey: true)"),
        ("@GET @Coalescing(false)", "a()", "request = request.coalescing(false)"),
        ("@GET @RateLimit(weight: 5)", "a()", "request = request.rateLimit(weight: 5)"),
        ("@GET @Redirects(.never)", "a()", "request = request.redirects(.never)"),
        ("@GET @Cookies(.off)", "a()", "request = request.cookies(.off)"),
        ("@GET @ErrorHandlers(.oData)", "a()", "request = request.errorHandlers(.oData)"),
        (
            "@GET @ErrorHandlers(only: [.oData, .jsonAPI])", "a()",
            "request = request.errorHandlers(only: [.oData, .jsonAPI])"
        ),
        ("@GET @Logged(false)", "a()", "request = request.logging(false)"),
        (
            "@GET @Logged(detail: .bodies, component: \"shop\")", "a()",
            "request = request.logging(detail: .bodies, component: \"shop\")"
        ),
        ("@GET @Tags(\"a\", \"b\")", "a()", "request = request.callTags(\"a\", \"b\")"),
        ("@GET @URLBuiltBy(Builder())", "a()", "request = request.url(builtBy: Builder())"),
        ("@GET @Processing(by: Signer())", "a()", "request = request.processing(by: Signer())"),
        ("@GET @Option(Zone.self, \"n\")", "a()", "request.options[Zone.self] = \"n\""),
        ("@POST @Part(\"p\") @Multipart(boundary: \"b\")", "a(p: Data)", "named: \"p\"), boundary: \"b\"))"),
        ("@GET(\"a/%%0%%\")", "a(id: Int)", "var path: String { \"a/{id}\" }"),
        ("@GET @Modified({ $0.x() })", "a()", "request = ({ $0.x() } as @Sendable (Request) -> Request)(request)"),
    ]

    @Test("Each annotation has its line", arguments: rows)
    func annotation(annotations: String, method: String, line: String) throws {
        let text = try Self.expand("@Service public protocol S { \(annotations) func \(method) async throws }")[0]
        #expect(text.contains(line), "\(text)")
        #expect(!Parser.parse(source: text).hasError)
    }

    /// Annotations, what a method returns, and lines of the expansion.
    static let results: [(String, String, [String])] = [
        ("@GET", "User?", ["typealias Output = User?", "try await self.client.call(ARequest())"]),
        ("@GET", "()", ["func a() async throws {", "typealias Output = Void"]),
        (
            "@GET", "JSONValues<User>",
            ["typealias Output = JSONValues<User>", "var result: ResultKind<Output> { .jsonValues() }"]
        ),
        ("@GET @Serializer(.dates)", "JSONValues<User>", ["{ .jsonValues(serializer: .dates) }"]),
        ("@GET", "HTTPChain.ResourceRecord<User>", ["var result: ResultKind<Output> { .record() }"]),
        (
            "@GET @Paged(by: .linkHeader())", "PageSequence<[User]>",
            [
                "func a() async throws -> PageSequence<[User]> {", "self.calls.a().pages(by: .linkHeader())",
                "typealias Output = [User]",
            ]
        ),
        (
            "@GET @Paged(by: .nextURL { (page: UserPage) in page.next })", "PageSequence<UserPage>",
            [
                "self.calls.a().pages(by: .nextURL { (page: UserPage) in page.next })",
                "typealias Output = UserPage",
            ]
        ),
        ("@GET", "(User)", ["typealias Output = (User)"]),
        ("@GET", "Box<any User>", ["typealias Output = Box<any User>"]),
        (
            "@GET", "EventStream<User>",
            ["try self.calls.a().eventStream(of: User.self)", "typealias Output = Response"]
        ),
        (
            "@GET @EventOptions(.untilDone)", "EventStream<ServerSentEvent>",
            ["try self.calls.a().eventStream(options: .untilDone)"]
        ),
    ]

    @Test("A service's settings for decoding apply to the methods that can use them")
    func inheritedDecoding() throws {
        let text = try Self.expand(
            """
            @Service @KeyPath("data") @Serializer("xml") protocol S {
                @GET("a") func a() async throws -> Int
                @GET("b") func b() async throws -> TemporaryFile
                @POST("c") @Body("x") func c(x: Int) async throws -> HTTPBody
                @GET("d") func d() async throws -> EventStream<Int>
            }
            """
        )[0]
        let requests = text.components(separatedBy: "struct ")
        func lines(_ name: String) -> [Bool] {
            let request = requests.first { $0.hasPrefix(name) } ?? ""
            return [request.contains("decoding(at: \"data\")"), request.contains("serializer(\"xml\")")]
        }
        #expect(lines("ARequest") == [true, true] && lines("BRequest") == [false, false])
        #expect(lines("CRequest") == [false, true] && lines("DRequest") == [false, false])
    }

    @Test("Each result has its way", arguments: results)
    func result(annotations: String, returned: String, expected: [String]) throws {
        let text = try Self.expand("@Service protocol S { \(annotations) func a() async throws -> \(returned) }")[0]
        for line in expected { #expect(text.contains(line), "\(text)") }
        #expect(!Parser.parse(source: text).hasError)
    }

    @Test("What stands on the service comes before what stands on the method, which replaces what has its name")
    func inherited() throws {
        let client = try Self.expand(
            """
            @Service @Timeout(.seconds(9)) @Statuses(only: 200) @Tags("s") @Authentication(by: "a") @available(macOS 15, *)
            protocol S {
                @GET func a() async throws
                @GET @Timeout(nil) @Statuses(adding: 404) @Tags("m") @Authentication(false) func b() async throws
                @GET @Statuses(only: 204) func c() async throws
            }
            """
        )[0]
        let bodies = client.components(separatedBy: "func configure").dropFirst().map { body in
            body.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter {
                $0.hasPrefix("request")
            }
        }
        let accepting = "request = request.statuses(only: [200])"
        let tags = "request = request.callTags(\"s\")"
        let authenticated = "request = request.authentication(by: \"a\")"
        let timeout = "request = request.timeout(.seconds(9))"
        #expect(
            bodies == [
                [timeout, accepting, tags, authenticated],
                [
                    accepting, tags, "request = request.timeout(nil)", "request = request.statuses(adding: [404])",
                    "request = request.callTags(\"m\")", "request = request.authentication(false)",
                ],
                [timeout, tags, authenticated, "request = request.statuses(only: [204])"],
            ]
        )
    }

    @Test("A path with an address of its own does not stand behind the base")
    func absolutePath() throws {
        let client = try Self.expand(
            "@Service(base: \"https://a.example\") protocol S { @GET(\"https://b.example/c\") func c() async throws }"
        )[0]
        #expect(client.contains("var path: String { \"https://b.example/c\" }"))
    }

    @Test("The request type of a method does not hide a type that the declaration uses")
    func namesOfTypes() throws {
        let client = try Self.expand(
            """
            @Service protocol S {
                @POST("a") @Body("body") func create(_ body: CreateRequest) async throws
            }
            """
        )[0]
        #expect(client.contains("struct CreateCallRequest: TypedRequest") && client.contains("var body: HTTPBody"))
        #expect(client.contains("var bodyValue: CreateRequest") && !client.contains("struct CreateRequest"))
    }

    @Test("The expansion that the benchmarks measure is the one that is made")
    func measured() throws {
        let (text, declaration) = try Self.written("Benchmarks/Sources/Scenarios/DeclaredUserService.swift")
        let client = try Self.expand(declaration)[0]
        #expect(text.hasSuffix("\n\n\(client)\n"), "\(client)")
    }

    @Test("A whole service is expanded to the client and the mock that are compiled beside its declaration")
    func compiled() throws {
        let (text, declaration) = try Self.written("MacrosTests/UserServiceExpansion.swift")
        let whole = try Self.expand(declaration).joined(separator: "\n\n")
        #expect(text.hasSuffix("\n\n\(whole)\n#endif\n"), "\(whole)")
    }

    /// A source of the tests, and the declaration in its comment.
    private static func written(_ path: String) throws -> (text: String, declaration: String) {
        let tests = Repository.tests
        let text = try String(contentsOf: tests.appendingPathComponent(path), encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let declaration = lines.filter { $0.hasPrefix("//     ") || $0 == "//" }.map { $0.dropFirst("//     ".count) }
        return (text, declaration.joined(separator: "\n"))
    }

    @Test("Names of the library stay what they are where the declaration has the same for something of its own")
    func sharedNames() throws {
        let client = try Self.expand(
            """
            @Service protocol S {
                @POST @Field("id") func a(id: Int) async throws -> Calls<Client, Request>
            }
            """
        )[0]
        #expect(client.contains("let client: HTTPChainMacros.Client") && client.contains("-> Call<ARequest>"))
        #expect(client.contains("struct UnsentCalls: Sendable") && client.contains("struct Fields: Encodable"))
    }

    @Test("Methods of one name are told apart by their labels")
    func overloads() throws {
        let client = try Self.expand(
            """
            @Service protocol S {
                @GET("a/{id}") func plant(id: Int) async throws -> A
                @GET("b/{name}") func plant(name: String) async throws -> A
            }
            """
        )[0]
        #expect(client.contains("struct PlantIdRequest") && client.contains("struct PlantNameRequest"))
    }
}
#endif
