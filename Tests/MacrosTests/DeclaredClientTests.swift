#if AllTests && Macros
import Foundation
import HTTPChainHAR
import HTTPChainInMemory
import HTTPChainMacros
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@Suite("A declared client", .heavy, .timeLimit(.minutes(10)))
struct DeclaredClientTests {
    private let transport = InMemoryTransport()

    private func plants() throws -> PlantServiceClient {
        PlantServiceClient(chain: try Self.chain(over: transport))
    }

    private static func chain(over transport: any Transport, also stages: [any Middleware] = []) throws -> Chain {
        let most: [any Middleware] = [
            SerializerMiddleware(.json, .form), StatusValidationMiddleware(),
            URLBuilderMiddleware(base: "https://elsewhere.example"),
            HeadersMiddleware(),
            MultipartMiddleware(), GzipMiddleware(),
        ]
        return try Chain(most + stages, transport: transport, options: .unchecked)
    }

    private func sent() throws -> RecordedRequest { try #require(transport.requests.last) }

    @Test("The path has its variables, behind the base")
    func path() async throws {
        transport.enqueue(try .json(Plant(id: 7, name: "Rose")))
        #expect(try await plants().plant(id: 7) == Plant(id: 7, name: "Rose"))
        #expect(try sent().description.hasPrefix("GET https://api.example.com/v2/plants/7"))
    }

    @Test("Parameters of the query have names and defaults, and nil is left out")
    func query() async throws {
        transport.enqueue(try .json([Plant]()), times: 2)
        _ = try await plants().search(name: "R & B")
        #expect(try sent().url == "https://api.example.com/v2/plants?name=R%20%26%20B&page=1")
        _ = try await plants().search(name: "x", page: 3, order: "name")
        #expect(try sent().url == "https://api.example.com/v2/plants?name=x&page=3&sort_by=name")
    }

    @Test("A body is encoded and compressed, with the header field of a parameter")
    func body() async throws {
        transport.enqueue(try .json(Plant(id: 1, name: "Oak")))
        let id = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
        _ = try await plants().create(Plant(id: 0, name: String(repeating: "Oak ", count: 500)), id: id)
        let request = try sent()
        let field = try #require(HTTPField.Name("X-Request-ID"))
        #expect(request.method == .post && request.headers[field] == id.uuidString)
        #expect(request.headers[.contentEncoding] == "gzip" && request.headers[.contentType] == "application/json")
        #expect(request.body.prefix(2) == Data([0x1F, 0x8B]))
    }

    @Test("A body goes as it is, beside constant header fields with parameters in them")
    func rawBody() async throws {
        transport.enqueue(.text("noted"))
        #expect(try await plants().note(id: 3, text: "água", zone: "8") == "noted")
        let request = try sent()
        #expect(request.url == "https://api.example.com/v2/plants/3/note" && request.method == .put)
        #expect(request.text == "água" && request.headers[.accept] == "text/plain")
        let field = try #require(HTTPField.Name("X-Zone"))
        #expect(request.headers[field] == "8/3")
    }

    @Test("Fields are a form, or an object under a key whose answer is read at a key path")
    func fields() async throws {
        transport.enqueue(.status(.noContent))
        try await plants().signIn(user: "ada", password: "a b&c")
        #expect(try sent().text == "user=ada&pass_word=a+b%26c")
        #expect(try sent().headers[.contentType]?.hasPrefix("application/x-www-form-urlencoded") == true)
        transport.enqueue(
            .text(#"{"data":{"plant":{"id":7,"name":"Yew"}}}"#, headers: [.contentType: "application/json"])
        )
        #expect(try await plants().rename(id: 7, to: "Yew").name == "Yew")
        #expect(try sent().text == #"{"plant":{"name":"Yew"}}"# && sent().method == .patch)
    }

    @Test("Parts are a multipart form, with a part for each element of an array, and progress is told")
    func parts() async throws {
        let chain = try Self.chain(over: transport).appending(ProgressMiddleware(.wire))
        transport.enqueue(.status(.created))
        let reports = Locked(0)
        try await PlantServiceClient(chain: chain)
            .upload(photo: Data("bytes".utf8), caption: "Sea", tags: ["a", "b"]) { _ in reports.withLock { $0 += 1 } }
        let request = try sent()
        #expect(request.headers[.contentType]?.hasPrefix("multipart/form-data; boundary=") == true)
        for name in ["photo", "tags", "title"] { #expect(request.text.contains("name=\"\(name)\"")) }
        #expect(request.text.split(separator: "name=\"tags\"").count == 3 && request.text.contains("bytes"))
        #expect(reports.withLock { $0 } > 0)
    }

    @Test("The progress of a declared call arrives on an actor, in order, before its value")
    func progressOnActor() async throws {
        let chain = try Self.chain(over: transport).appending(ProgressMiddleware(.wire))
        transport.enqueue(.text("noted"))
        let reports = Events<TransferProgress>()
        let calls = PlantServiceClient(chain: chain).calls
        let value = try await calls.note(id: 3, text: "água", zone: "8").withProgress { @MainActor progress in
            MainActor.assertIsolated()
            reports.add(progress)
        }
        #expect(value == "noted")
        let uploads = reports.all.prefix { $0.direction == .upload }
        let downloads = reports.all.dropFirst(uploads.count)
        #expect(downloads.allSatisfy { $0.direction == .download })
        for part in [uploads, downloads] {
            let sizes = part.map(\.completed)
            #expect(!sizes.isEmpty && sizes == sizes.sorted())
        }
        #expect(uploads.last?.completed == 5)
        #expect(downloads.last?.completed == 5 && downloads.last?.isLast == true)
    }

    @Test("Statuses are replaced, or added")
    func successCodes() async throws {
        transport.enqueue([
            .status(.notFound), .status(.created), .text("gone", status: .notFound), .text("gone", status: .gone),
        ])
        try await plants().delete(id: 1)
        await #expect(throws: StatusError.self) { try await plants().delete(id: 1) }
        #expect(try await plants().raw(1).status == .notFound)
        await #expect(throws: StatusError.self) { try await plants().raw(1) }
    }

    @Test("Options reach their stages: the cache's, the time, the retries, tags, logging, and one of the application")
    func options() async throws {
        transport.enqueue(.text("a,b", headers: [.contentType: "text/csv"]))
        let file = try await plants().export(year: 2026)
        #expect(try Data(contentsOf: file.url) == Data("a,b".utf8))
        let call = try plants().calls.export(year: 2026)
        let options = try call.request.makeRequest().options
        #expect(options[CacheOption.self].identifier == "export-2026")
        #expect(options[CacheOption.self].lifetime == .exactly(.seconds(3600)))
        #expect(options[CacheOption.self].use == .storedOnFailure)
        transport.enqueue(.status(.noContent))
        let changed = try plants().calls.zones { $0.callTags("changed") }.request.makeRequest()
        #expect(
            changed.options[Zone.self] == "north"
                && changed.options[CallRegistrationOption.self].tags == ["zones", "changed"]
        )
        #expect(try await plants().zones() == nil)
        #expect(try sent().options[Zone.self] == "north")
    }

    @Test("Parameters may have the names of a request's own properties, and a path may be empty")
    func names() async throws {
        transport.enqueue(.text("x"))
        #expect(try await plants().root(query: "q", path: "p") == Data("x".utf8))
        #expect(try sent().url == "https://api.example.com/v2?query=q&path=p")
    }

    @Test("A call that is not sent yet takes modifiers")
    func calls() async throws {
        transport.enqueue(try .json(Plant(id: 7, name: "Rose")))
        let call = try plants().calls.plant(id: 7).key("rose").header(.acceptLanguage, "de")
        #expect(try await call.value.id == 7)
        #expect(try sent().headers[.acceptLanguage] == "de")
    }

    @Test("The template of the path is known to the stages, not only the path")
    func template() async throws {
        transport.enqueue(try .json(Plant(id: 7, name: "Rose")))
        let record = Locked<CallRecord?>(nil)
        let observer = ClosureMiddleware("Observer") { request, next in
            let own = request.recordCall()
            record.withLock { $0 = own }
            return try await next(request)
        }
        let chain = try Self.chain(over: transport).inserting(observer, before: SerializerMiddleware.self)
        _ = try await PlantServiceClient(chain: chain).plant(id: 7)
        #expect(record.withLock { $0?.template } == "/v2/plants/{id}")
    }

    @Test("The same declaration works against a server, and against what was recorded of it")
    func recorded() async throws {
        let server = try await LoopbackServer.start { exchange in
            _ = try await exchange.readBody()
            let body = Data(#"{"id":7,"name":"\#(exchange.request.target)"}"#.utf8)
            try await exchange.reply(200, fields: [("Content-Type", "application/json")], body: body)
        }
        defer { Task { await server.stop() } }
        let recorder = HARRecorder()
        let stages = [RecordingMiddleware(recorder)]
        let local = try Self.chain(over: URLSessionTransport(), also: stages)
        struct Rebased: Middleware {
            let origin: String
            func intercept(_ request: consuming Request, next: Next) async throws -> Response {
                request.url = request.url.replacing("https://api.example.com", with: origin)
                return try await next(request)
            }
        }
        let chain = try local.appending(Rebased(origin: String(server.origin)))
        #expect(try await PlantServiceClient(chain: chain).plant(id: 7).name == "/v2/plants/7")
        await server.stop()
        let replay = ReplayTransport(try await recorder.archive())
        #expect(try await PlantServiceClient(chain: try Self.chain(over: replay)).plant(id: 7).name == "/v2/plants/7")
    }
}

@Suite("The mock of a declared client", .heavy, .timeLimit(.minutes(10)))
struct DeclaredMockTests {
    @Test("Each method answers as it was scripted, in order, and counts its calls with their parameters")
    func scripted() async throws {
        let mock = PlantServiceMock()
        let plants: any PlantService = mock
        mock.on.plant.returns(Plant(id: 7, name: "Rose"))
        mock.on.plant.fails(URLError(.timedOut))
        mock.on.plant.answers { Plant(id: $0, name: "any") }
        #expect(try await plants.plant(id: 7).name == "Rose")
        await #expect(throws: URLError.self) { try await plants.plant(id: 8) }
        #expect(try await plants.plant(id: 9).name == "any")
        #expect(mock.on.plant.calls == [7, 8, 9] && mock.on.plant.calls.count == 3)
        mock.on.search.answers { [Plant(id: $0.page, name: $0.name + ($0.order ?? ""))] }
        #expect(try await plants.search(name: "a", page: 2, order: "b") == [Plant(id: 2, name: "ab")])
        #expect(mock.on.search.calls.first?.name == "a")
        mock.on.delete.returns()
        try await plants.delete(id: 1)
    }

    @Test("A method that was not scripted fails, and says which it is")
    func unscripted() async throws {
        let mock = PlantServiceMock()
        let error = await #expect(throws: UnscriptedCallError.self) { try await mock.raw(1) }
        #expect(error?.method == "PlantService.raw(_:)")
        #expect(mock.on.raw.calls.count == 1)
    }
}
#endif
