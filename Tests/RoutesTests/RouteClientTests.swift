#if AllTests
import Foundation
import HTTPChain
import HTTPChainClient
import HTTPChainInMemory
import HTTPChainRoutes
import HTTPChainTesting
import TestSupport
import Testing

@Suite("Calls of routes", .heavy, .timeLimit(.minutes(10)))
struct RouteClientTests {
    struct Document: Codable, Hashable, Sendable {
        var id: Int
        var title: String
    }

    /// What the service was sent.
    struct Sent: Sendable {
        var method: String
        /// Where it came to: the origin, which is another for an absolute path in memory.
        var origin: String
        var target: String
        var headers: HTTPFields
        var body: Data
        var route: Route
        var text: String { String(decoding: body, as: UTF8.self) }
    }

    /// A service that remembers what it was sent, in memory and over loopback.
    enum Way: String, CaseIterable, CustomTestStringConvertible {
        case memory, loopback

        var testDescription: String { rawValue }

        static func answer(_ target: String) -> (type: String, body: String) {
            let path = target.prefix { $0 != "?" }
            switch path {
            case "/v2/documents/123", "/v2/wrapped":
                let document = #"{"id":123,"title":"Roses"}"#
                return ("application/json", path == "/v2/wrapped" ? #"{"data":{"item":\#(document)}}"# : document)
            case "/v2/reversed":
                return ("application/x-reversed", String(#"{"id":9,"title":"Ferns"}"#.reversed()))
            case "/v2/text": return ("text/plain; charset=utf-8", "Grüße")
            case "/v2/bytes": return ("application/octet-stream", "\u{1}\u{2}")
            case "/v2/empty": return ("text/plain", "")
            default: return ("application/json", #"{"ok":true}"#)
            }
        }

        func withRoutes(
            _ json: String = RouteClientTests.file,
            _ body: (RouteClient, Events<Sent>) async throws -> Void
        ) async throws {
            let sent = Events<Sent>()
            switch self {
            case .memory:
                let transport = ClosureTransport { request in
                    let bytes = try await request.body.collect(upTo: .mebibytes(1))
                    let target = request.head.path ?? ""
                    sent.add(
                        Sent(
                            method: request.method.rawValue,
                            origin: String(request.url.dropLast(target.count)),
                            target: target,
                            headers: request.headers,
                            body: bytes,
                            route: request.route
                        )
                    )
                    let answer = Self.answer(target)
                    var response = Response(
                        .ok,
                        headers: [.contentType: answer.type],
                        body: HTTPBody(Data(answer.body.utf8))
                    )
                    response.request = request.head
                    return response
                }
                let overrides = ["protocol": "http", "host": "api.example.com"]
                let json = json.replacing("ORIGIN", with: "http://other.example.com")
                try await body(try Self.client(json, over: transport, overrides), sent)
            case .loopback:
                let server = try await LoopbackServer.start { exchange in
                    let bytes = try await exchange.readBody()
                    var headers = HTTPFields()
                    for name in ["Content-Type", "Content-Encoding", "Authorization", "X-Trace", "Content-Length"] {
                        guard let field = HTTPField.Name(name), let value = exchange.request.values(name).first else {
                            continue
                        }
                        headers[field] = value
                    }
                    sent.add(
                        Sent(
                            method: exchange.request.method,
                            origin: "http://" + (exchange.request.values("Host").first ?? ""),
                            target: exchange.request.target,
                            headers: headers,
                            body: bytes,
                            route: .none
                        )
                    )
                    let answer = Self.answer(exchange.request.target)
                    try await exchange.reply(200, fields: [("Content-Type", answer.type)], body: Data(answer.body.utf8))
                }
                let port = server.origin.split(separator: ":").last.map(String.init) ?? ""
                let overrides = ["protocol": "http", "host": "127.0.0.1", "port": port]
                // Another name of the same place, and so another origin.
                let json = json.replacing("ORIGIN", with: "http://localhost:\(port)")
                try await body(try Self.client(json, over: URLSessionTransport(), overrides), sent)
                await server.stop()
            }
        }

        static func client(
            _ json: String,
            over transport: some Transport,
            _ overrides: [String: String]
        ) throws -> RouteClient {
            let table = try RouteTable(json: Data(json.utf8), overrides: overrides)
            let chain = try Chain(transport: transport) {
                ProgressMiddleware()
                SerializerMiddleware([.json, .form, RouteClientTests.reversed])
                StatusValidationMiddleware()
                MultipartMiddleware()
                GzipMiddleware()
                CacheMiddleware(store: .memory(limit: .mebibytes(1)), partition: .shared)
            }
            return RouteClient(table, over: chain)
        }
    }

    /// Writes JSON from its end, and reads it so.
    static let reversed = DataMapper("reversed", contentType: "application/x-reversed") { value in
        Data(try JSONEncoder().encode(value).reversed())
    } decode: { data, type in
        try JSONDecoder().decode(type, from: Data(data.reversed()))
    }

    static let file = """
        {
          "service": { "host": "api.example.com", "path": "/v2" },
          "routes": {
            "doc": { "path": "documents/{uniqueId}", "headers": { "X-Trace": "on" }, "extended": "special" },
            "search": { "path": "/search", "responseRootKeyPath": "ok" },
            "save": { "method": "PUT", "path": "documents/:id", "requestRootKeyPath": "document", "gzip": true },
            "login": { "method": "POST", "path": "user/login", "serialization": "form" },
            "upload": { "method": "POST", "path": "upload", "serialization": "form" },
            "raw": { "method": "POST", "path": "upload/{name}", "serialization": "none" },
            "image": { "path": "bytes", "saveAsFile": true },
            "wrapped": { "path": "wrapped", "responseRootKeyPath": "data.item", "mapper": "JSON" },
            "reversed": { "method": "POST", "path": "reversed", "mapper": "reversed" },
            "typed": { "method": "POST", "path": "typed", "contentType": "application/vnd.rose+json" },
            "sheet": { "method": "POST", "path": "sheet", "serialization": "none", "contentType": "text/csv" },
            "elsewhere": { "path": "ORIGIN/v1/{thing}" },
            "album": { "path": "bytes", "progress": true },
            "text": { "path": "text" }, "bytes": { "path": "bytes" }, "empty": { "path": "empty" },
            "list": { "path": "list", "cacheTTL": 3600 },
            "signed": { "path": "signed", "cacheTTL": 3600, "cacheIgnoresQuery": true },
            "query": { "method": "POST", "path": "query", "cacheTTL": 3600 },
            "add": { "method": "POST", "path": "add", "invalidates": ["list", "query"] }
          }
        }
        """

    @Test("A route is called by its name, with its variables and header fields", arguments: Way.allCases)
    func byName(way: Way) async throws {
        try await way.withRoutes { client, sent in
            let reply = try await client.request("doc", variables: ["uniqueId": 123])
            #expect(reply.json?["title"]?.string == "Roses" && reply.status == .ok)
            let document = try await client.request("doc", as: Document.self, variables: ["uniqueId": 123])
            #expect(document == Document(id: 123, title: "Roses"))
            let first = try #require(sent.all.first)
            #expect(first.method == "GET" && first.target == "/v2/documents/123")
            #expect(first.headers[try #require(HTTPField.Name("X-Trace"))] == "on")
            if way == .memory { #expect(first.route["extended"]?.string == "special" && first.route.name == "doc") }
        }
    }

    @Test("Variables go into the values of a route's header fields, by name and by position")
    func headerVariables() async throws {
        let table = try RouteTable(
            json: Data(
                #"""
                {"routes":{"doc":{"path":"https://a.example/{id}","headers":{
                  "X-Doc":"doc {id}", "X-First":"%%0%%", "X-JSON":"{\"a\":1} 100%% {}", "X-Plain":"on"}}}}
                """#.utf8
            )
        )
        let transport = InMemoryTransport { _ in Response(.noContent) }
        let client = RouteClient(table, over: try Chain(transport: transport) {})
        _ = try await client.request("doc", variables: ["id": 5, "0": "a/b"])
        let sent = try #require(transport.requests.first)
        let found = Dictionary(sent.headers.map { ($0.name.rawName, $0.value) }) { $1 }
        #expect(found["X-Doc"] == "doc 5" && found["X-First"] == "a/b" && found["X-Plain"] == "on")
        #expect(found["X-JSON"] == #"{"a":1} 100%% {}"#)
        await #expect(throws: HeadersError.self) { try await client.request("doc", variables: ["id": 5]) }
        let error = await #expect(throws: RouteError.self) {
            try await client.request("doc", variables: ["id": "x\u{7F}y", "0": 1])
        }
        #expect(error?.problem == .invalidField(route: "doc", field: "X-Doc"))
        #expect(transport.requests.count == 1)
    }

    private struct GetDocument: TypedRequest {
        typealias Output = Void
        var path: String { "{id}/{0}" }
        var pathParameters: URLParameters { ["id": 5, "0": "a/b"] }
    }

    @Test("A stage's header templates find the path's variables of routes and of typed calls", arguments: 0..<3)
    func stageHeaderVariables(way: Int) async throws {
        let transport = InMemoryTransport { _ in Response(.noContent) }
        let chain = try Chain(transport: transport) {
            URLBuilderMiddleware(base: "https://a.example")
            HeadersMiddleware([
                .set("X-Doc", template: "doc {id}"),
                .set("X-First", template: "%%0%%"),
                .set("X-Name", template: "{name}"),
            ])
        }
        if way == 2 {
            try await Client(over: chain).call(GetDocument()).with { $0.headerParameters(["name": "n"]) }.value
        } else {
            let path = "\(way == 0 ? "https://a.example/" : ""){id}/{0}"
            let client = RouteClient(try RouteTable([Route("doc", path)]), over: chain)
            let call = try client.call("doc", variables: ["id": 5, "0": "a/b"])
            _ = try await call.with { $0.headerParameters(["name": "n"]) }.value
        }
        let sent = try #require(transport.requests.first)
        #expect(sent.url == "https://a.example/5/a%2Fb")
        let found = Dictionary(sent.headers.map { ($0.name.rawName, $0.value) }) { $1 }
        #expect(found["X-Doc"] == "doc 5" && found["X-First"] == "a/b" && found["X-Name"] == "n")
    }

    @Test("A variable that neither the path nor a header field of a route has is refused")
    func unusedVariables() async throws {
        let table = try RouteTable(
            json: Data(
                #"""
                {"routes":{"doc":{"path":"docs{?page}","headers":{"X-Account":"{account}"}},"all":{"path":"all"},
                  "far":{"path":"https://a.example/all"}}}
                """#.utf8
            )
        )
        let transport = InMemoryTransport { _ in Response(.noContent) }
        let chain = try Chain(transport: transport) { URLBuilderMiddleware(base: "https://a.example") }
        let client = RouteClient(table, over: chain)
        for (name, variables, unused) in [
            ("doc", ["pgae": 2, "account": "ada"], "pgae"), ("all", ["id": 2], "id"), ("far", ["id": 2], "id"),
        ] as [(String, URLParameters, String)] {
            let error = await #expect(throws: URLBuilderError.self) {
                try await client.request(name, variables: variables)
            }
            guard case .unusedVariable(unused, _)? = error?.problem else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
        #expect(transport.requests.isEmpty)
        try await client.request("doc", variables: ["page": 2, "account": "ada"])
        #expect(transport.requests.map(\.url) == ["https://a.example/docs?page=2"])
    }

    @Test("A route's cookies go with each call of it, and those of the jar as the route says")
    func cookies() async throws {
        let sent = Events<String?>()
        let transport = ClosureTransport { request in
            sent.add(request.headers[.cookie])
            return Response(.ok, headers: [.setCookie: "sid=1; Path=/", .contentType: "text/plain"], body: "ok")
        }
        let jar = CookieJar()
        let chain = try Chain(transport: transport) {
            SerializerMiddleware(.json)
            CookieMiddleware(jar)
        }
        let json = """
            { "service": { "host": "a.example" }, "routes": {
              "off": { "path": "x", "cookies": "off" }, "search": { "path": "x", "cookies": { "language": "de" } },
              "own": { "path": "x", "headers": { "Cookie": "a=b" } },
              "joined": { "path": "x", "headers": { "Cookie": "a=b" }, "cookies": "joined" }
            } }
            """
        let file = RouteClient(try RouteTable(json: Data(json.utf8)), over: chain)
        try await file.request("off")
        #expect(jar.count == 0)
        for name in ["search", "search", "off", "own", "joined"] { try await file.request(name) }
        #expect(sent.all == [nil, "language=de", "language=de; sid=1", nil, "a=b", "a=b; sid=1"])

        try await jar.removeAll()
        var route = Route("code", "x")
        route.cookies = [CallCookie("language", "fr")]
        route.cookieUse = .sendOnly
        let code = RouteClient(try RouteTable([route], base: ServiceAddress(host: "a.example")), over: chain)
        try await code.request("code")
        #expect(sent.all.last == "language=fr")
        #expect(jar.count == 0)
    }

    @Test("Parameters go into the query, the body as JSON, or a form, as the route says", arguments: Way.allCases)
    func serializations(way: Way) async throws {
        try await way.withRoutes { client, sent in
            #expect(try await client.request("search", parameters: ["q": "a b", "page": 2]).json == true)
            let document = Document(id: 7, title: String(repeating: "Rose ", count: 400))
            _ = try await client.call("save", as: JSONValue.self, variables: ["id": 7], parameters: document).value
            try await client.request("login", parameters: ["user": "ada", "password": "ä&b"])
            let all = sent.all
            #expect(all[0].target == "/v2/search?page=2&q=a%20b" || all[0].target == "/v2/search?q=a%20b&page=2")
            #expect(all[1].method == "PUT" && all[1].headers[.contentEncoding] == "gzip")
            #expect(all[1].headers[.contentType] == "application/json")
            #expect(all[2].headers[.contentType]?.hasPrefix("application/x-www-form-urlencoded") == true)
            #expect(Set(all[2].text.split(separator: "&")) == ["user=ada", "password=%C3%A4%26b"])
        }
    }

    @Test("Values are put under the keys of the request, and taken from those of the response", arguments: Way.allCases)
    func keyPaths(way: Way) async throws {
        let json = Self.file.replacingOccurrences(of: #", "gzip": true"#, with: "")
        try await way.withRoutes(json) { client, sent in
            try await client.request("save", variables: ["id": 7], parameters: ["title": "Fern"])
            #expect(sent.all.last?.text == #"{"document":{"title":"Fern"}}"#)
            let document = try await client.request("wrapped", as: Document.self)
            #expect(document.title == "Roses")
            #expect(try await client.request("wrapped").json?["id"]?.integer == 123)
        }
    }

    @Test("A mapper writes what is sent and reads what comes, in its own format", arguments: Way.allCases)
    func mappers(way: Way) async throws {
        try await way.withRoutes { client, sent in
            let document = Document(id: 3, title: "Oaks")
            let reply = try await client.request("reversed", as: Document.self, parameters: document)
            #expect(reply == Document(id: 9, title: "Ferns"))
            let first = try #require(sent.all.first)
            #expect(try JSONDecoder().decode(Document.self, from: Data(first.body.reversed())) == document)
            #expect(first.text.hasPrefix("}") && first.headers[.contentType] == "application/x-reversed")
            let json = try await client.request("reversed", parameters: ["id": 3]).json
            #expect(json?["title"]?.string == "Ferns" && sent.all.last?.text == "}3:\"di\"{")
        }
    }

    @Test("Keys that values stand under apply to what a mapper of JSON makes, and no other mapper has them")
    func mappersUnderKeys() async throws {
        let people = DataMapper("people", contentType: "application/json") { value, call in
            Data(#"{"route":"\#(call.options.route.name)"}"#.utf8)
        } decode: { data, type, _ in
            try JSONDecoder().decode(type, from: data)
        }
        let keys = #""requestRootKeyPath": "user", "responseRootKeyPath": "data.user""#
        let json = """
            { "service": { "host": "a.example" }, "routes": {
              "register": { "method": "POST", "path": "x", "mapper": "people", \(keys) },
              "other": { "method": "POST", "path": "x", "mapper": "reversed", \(keys) }
            } }
            """
        let transport = InMemoryTransport { _ in
            let body: HTTPBody = #"{"data":{"user":{"id":1,"title":"Joe"}}}"#
            return Response(.ok, headers: [.contentType: "application/json"], body: body)
        }
        let chain = try Chain(transport: transport) { SerializerMiddleware(.json, people, Self.reversed) }
        let client = RouteClient(try RouteTable(json: Data(json.utf8)), over: chain)
        let user = try await client.request("register", as: Document.self, parameters: ["title": "Joe"])
        #expect(user == Document(id: 1, title: "Joe"))
        #expect(transport.requests.map(\.body) == [Data(#"{"user":{"route":"register"}}"#.utf8)])
        await #expect(throws: SerializerError.self) {
            try await client.request("other", as: Document.self, parameters: ["title": "Joe"])
        }
    }

    @Test("The content type of a route is what is sent, with parameters and with data", arguments: Way.allCases)
    func contentTypes(way: Way) async throws {
        try await way.withRoutes { client, sent in
            try await client.request("typed", parameters: ["title": "Fern"])
            try await client.request("sheet", data: [.data("", Data("a,b".utf8), fileName: "a.txt")])
            #expect(sent.all.map { $0.headers[.contentType] } == ["application/vnd.rose+json", "text/csv"])
            #expect(sent.all.map(\.text) == [#"{"title":"Fern"}"#, "a,b"])
        }
    }

    @Test("An absolute path goes there, beside others that go to the address of the table", arguments: Way.allCases)
    func absolute(way: Way) async throws {
        try await way.withRoutes { client, sent in
            try await client.request("elsewhere", variables: ["thing": "a b"], parameters: ["page": 2])
            try await client.request("doc", variables: ["uniqueId": 123])
            #expect(sent.all.map(\.target) == ["/v1/a%20b?page=2", "/v2/documents/123"])
            #expect(Set(sent.all.map(\.origin)).count == 2)
            #expect(sent.all[0].origin.hasPrefix(way == .memory ? "http://other.example.com" : "http://localhost:"))
        }
    }

    @Test("The progress of all calls comes with the name of each call's route", arguments: Way.allCases)
    func progress(way: Way) async throws {
        try await way.withRoutes { routes, _ in
            let events = routes.client.events()
            async let first = routes.request("album")
            async let second = routes.request("doc", variables: ["uniqueId": 123])
            _ = try await (first, second)
            var reports: [String: [TransferProgress]] = [:]
            var shown: Set<String> = []
            var ends = 0
            for await event in events {
                let route = try #require((event.request as? any RoutedRequest)?.route)
                if case .progress(let progress) = event.change {
                    reports[route.name, default: []].append(progress)
                    if route.progress { shown.insert(route.name) }
                }
                ends += event.change.isEnd ? 1 : 0
                if ends == 2 { break }
            }
            #expect(Set(reports.keys) == ["album", "doc"] && shown == ["album"])
            for (name, size) in [("album", 2), ("doc", 26)] {
                let last = try #require(reports[name]?.last { $0.direction == .download })
                #expect(last.completed == Int64(size) && last.fraction == 1 && last.isLast)
            }
        }
    }

    @Test("The progress of a route's call arrives on an actor, in order, before its reply", arguments: Way.allCases)
    func progressOnActor(way: Way) async throws {
        try await way.withRoutes { routes, _ in
            let reports = Events<TransferProgress>()
            let call = try routes.call("raw", variables: ["name": "x"], data: [.data("", Data("bytes".utf8))])
            let reply = try await call.withProgress { @MainActor progress in
                MainActor.assertIsolated()
                reports.add(progress)
            }
            #expect(reply.json?["ok"]?.bool == true)
            let uploads = reports.all.prefix { $0.direction == .upload }
            let downloads = reports.all.dropFirst(uploads.count)
            #expect(downloads.allSatisfy { $0.direction == .download })
            for part in [uploads, downloads] {
                let sizes = part.map(\.completed)
                #expect(!sizes.isEmpty && sizes == sizes.sorted())
            }
            #expect(uploads.last?.completed == 5)
            #expect(downloads.last?.completed == 11 && downloads.last?.isLast == true)
        }
    }

    @Test("A form with data is a multipart upload with the parameters as parts", arguments: Way.allCases)
    func multipart(way: Way) async throws {
        try await way.withRoutes { client, sent in
            let scratch = try ScratchDirectory.created()
            let file = scratch.url.appendingPathComponent("rose.txt")
            try Data("petals".utf8).write(to: file)
            try await client.request(
                "upload",
                parameters: ["title": "A=B & ü", "size": ["w": 3]],
                data: [.file("image", file), .data("thumbnail", Data("tiny".utf8), fileName: "t.png")]
            )
            let upload = try #require(sent.all.last)
            let parts = try MultipartParts(HTTPBody(upload.body), contentType: upload.headers[.contentType])
            var found: [String: String] = [:]
            for try await part in parts {
                found["\(part.name ?? "")/\(part.fileName ?? "")"] = try await part.body.text()
            }
            #expect(
                found == ["title/": "A=B & ü", "size[w]/": "3", "image/rose.txt": "petals", "thumbnail/t.png": "tiny"]
            )
            // Without a form, data is the content as it is.
            try await client.request("raw", variables: ["name": "rose.txt"], data: [.file("", file)])
            #expect(sent.all.last?.text == "petals" && sent.all.last?.target == "/v2/upload/rose.txt")
            #expect(sent.all.last?.headers[.contentType] == "text/plain")
        }
    }

    @Test("Of several data none is dropped: they are parts of a form, or an error")
    func severalData() async throws {
        try await Way.memory.withRoutes { client, sent in
            let data: [MultipartPart] = [.data("a", Data("A".utf8)), .data("b", Data("B".utf8))]
            let error = await #expect(throws: RouteError.self) {
                try await client.request("raw", variables: ["name": "x"], data: data)
            }
            #expect(error?.problem == .severalData(route: "raw", serialization: "none"))
            await #expect(throws: RouteError.self) { try await client.request("reversed", data: data) }
            #expect(sent.all.isEmpty)
            try await client.request("upload", data: data)
            #expect(sent.all.count == 1)
        }
    }

    @Test("The parameters of a form are under the route's keys, with data and without")
    func rootedForm() async throws {
        let json = Self.file.replacingOccurrences(
            of: #""path": "upload", "serialization": "form""#,
            with: #""path": "upload", "serialization": "form", "requestRootKeyPath": "data""#
        )
        try await Way.memory.withRoutes(json) { client, sent in
            try await client.request("upload", parameters: ["a": 1])
            #expect(sent.all.last?.text == "data%5Ba%5D=1")
            try await client.request("upload", parameters: ["a": 1], data: [.data("file", Data("A".utf8))])
            let upload = try #require(sent.all.last)
            var names: [String?] = []
            for try await part in try MultipartParts(
                HTTPBody(upload.body),
                contentType: upload.headers[.contentType]
            ) {
                names.append(part.name)
                _ = try await part.body.text()
            }
            #expect(names == ["data[a]", "file"])
        }
    }

    @Test("A route that saves a file encodes its content with its mapper, and sends none without parameters")
    func savedWithMapper() async throws {
        let json = Self.file.replacingOccurrences(
            of: #""image": { "path": "bytes","#,
            with: #""image": { "path": "bytes", "method": "POST", "mapper": "reversed","#
        )
        try await Way.memory.withRoutes(json) { client, sent in
            let reply = try await client.request("image", parameters: ["a": 1])
            #expect(reply.file != nil)
            #expect(sent.all.last?.text == String(#"{"a":1}"#.reversed()))
            let plain = try await client.request("image")
            #expect(plain.file != nil)
        }
    }

    @Test("A reply is JSON, text, data, nothing, or a file that can be moved", arguments: Way.allCases)
    func replies(way: Way) async throws {
        try await way.withRoutes { client, _ in
            #expect(try await client.request("text").text == "Grüße")
            guard case .data(let data) = try await client.request("bytes").content else {
                Issue.record("it is no data")
                return
            }
            #expect(data == Data([1, 2]))
            guard case .none = try await client.request("empty").content else {
                Issue.record("it is not empty")
                return
            }
            let file = try #require(try await client.request("image").file)
            #expect(try Data(contentsOf: file.url) == Data([1, 2]))
        }
    }

    @Test(
        "Replies are fresh as long as the route says, and a route makes those of others invalid",
        arguments: Way.allCases
    )
    func caching(way: Way) async throws {
        try await way.withRoutes { client, sent in
            func asks(_ name: String, _ parameters: JSONValue? = nil) async throws -> Bool {
                let before = sent.all.count
                try await client.request(name, parameters: parameters)
                return sent.all.count > before
            }
            var asked: [Bool] = []
            for (name, parameters) in [
                ("list", ["page": 1]), ("list", ["page": 1]), ("list", ["page": 2]),
                ("signed", ["key": 1]), ("signed", ["key": 2]),
                ("query", ["q": 1]), ("query", ["q": 1]), ("query", ["q": 2]), ("query", ["q": 2]),
                ("add", nil), ("list", ["page": 1]), ("query", ["q": 1]), ("signed", ["key": 3]),
            ] as [(String, JSONValue?)] {
                asked.append(try await asks(name, parameters))
            }
            #expect(
                asked == [
                    true, false, true, true, false, true, false, true, false, true, true, true, false,
                ]
            )
        }
    }

    @Test("A stored reply is given only to calls with the same variables in their header fields")
    func cachingByHeader() async throws {
        let name = try #require(HTTPField.Name("X-Account"))
        let transport = InMemoryTransport { request in
            Response(.ok, headers: [.contentType: "text/plain"], body: HTTPBody("of \(request.headers[name] ?? "-")"))
        }
        let client = try Way.client(
            """
            { "service": { "host": "a.example" }, "routes": {
              "balance": { "path": "x", "headers": { "X-Account": "{account}", "X-Plain": "on" }, "cacheTTL": 60 },
              "query": { "path": "x", "method": "POST", "headers": { "X-Account": "{account}" }, "cacheTTL": 60 },
              "pay": { "path": "y", "method": "POST", "invalidates": ["balance"] }
            } }
            """,
            over: transport,
            [:]
        )
        for _ in 0..<2 {
            for account in ["ada", "bob"] {
                #expect(try await client.request("balance", variables: ["account": account]).text == "of \(account)")
                let reply = try await client.request("query", variables: ["account": account], parameters: ["q": 1])
                #expect(reply.text == "of \(account)")
            }
        }
        #expect(transport.requests.count == 4)
        try await client.request("pay")
        for account in ["ada", "bob"] { try await client.request("balance", variables: ["account": account]) }
        #expect(transport.requests.count == 7)
    }

    @Test("A route invalidates the responses of another one that are stored by the rules of HTTP")
    func invalidationWithoutLifetime() async throws {
        let transport = InMemoryTransport { _ in Response(.ok, headers: [.cacheControl: "max-age=3600"]) }
        let client = try Way.client(
            """
            { "service": { "host": "a.example" }, "routes": {
              "list": { "path": "list" }, "other": { "path": "other" },
              "add": { "method": "POST", "path": "add", "invalidates": ["list"] }
            } }
            """,
            over: transport,
            [:]
        )
        for name in ["list", "other", "list", "other", "add", "list", "other"] { try await client.request(name) }
        #expect(transport.requests.map { $0.url.suffix(5) } == ["/list", "other", "e/add", "/list"])
    }

    @Test("A program without async waits for a route, with a limit", arguments: Way.allCases)
    func waits(way: Way) async throws {
        try await way.withRoutes { client, _ in
            let title = try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global().async {
                    continuation.resume(
                        with: Result {
                            try client.call("doc", variables: ["uniqueId": 123]).wait(atMost: .seconds(60)).json?[
                                "title"
                            ]?.string
                        }
                    )
                }
            }
            #expect(title == "Roses")
        }
    }

    @Test("What a route cannot send is refused with a word on what to do")
    func refusals() async throws {
        try await Way.memory.withRoutes { client, sent in
            let part = MultipartPart.data("a", Data("b".utf8))
            func reason(_ body: () async throws -> Void) async -> String {
                do {
                    try await body()
                    return "none"
                } catch { return "\(error)" }
            }
            #expect(await reason { try await client.request("nothing") }.contains("add, album, bytes, doc"))
            #expect(
                await reason { try await client.request("raw", variables: ["name": 1], parameters: ["a": 1]) }
                    .contains("sends no parameters")
            )
            #expect(
                await reason { try await client.request("add", parameters: ["a": 1], data: [part]) }.contains(
                    "one of them"
                )
            )
            #expect(
                await reason { try await client.request("doc", variables: ["uniqueId": 1], data: [part]) }.contains(
                    "GET sends none"
                )
            )
            #expect(await reason { try await client.request("search", parameters: [1, 2]) }.contains("not an object"))
            #expect(
                await reason { try await client.request("upload", parameters: "x", data: [part]) }.contains(
                    "not an object"
                )
            )
            #expect(await reason { try await client.request("doc") }.contains("uniqueId"))
            #expect(sent.all.isEmpty)
        }
    }

    @Test("An authenticator is chosen by its name, and none by none")
    func authenticators() async throws {
        let json = """
            { "routes": {
                "mine": { "path": "https://api.example.com/mine", "authenticator": "user" },
                "open": { "path": "https://api.example.com/open", "authenticator": "none" }
            } }
            """
        let sent = Events<(String, String?)>()
        let chain = try Chain(
            transport: ClosureTransport { request in
                sent.add((request.head.path ?? "", request.headers[.authorization]))
                return Response(.ok)
            }
        ) {
            RoutedAuthMiddleware([
                AuthRoute(
                    "user",
                    with: BasicAuthMiddleware(
                        .fixed(user: "ada", password: "secret", for: "https://api.example.com"),
                        sending: .preemptively
                    )
                )
            ])
        }
        let client = RouteClient(try RouteTable(json: Data(json.utf8)), over: chain)
        try await client.request("mine")
        try await client.request("open")
        #expect(sent.all.last?.0 == "/open" && sent.all.last?.1 == nil)
        #expect(sent.all.first?.1?.hasPrefix("Basic ") == true)
    }

    @Test("A route that is registered later is called by all copies, replaces one of its name, and is checked")
    func registered() async throws {
        let sent = Events<String>()
        let transport = ClosureTransport { request in
            sent.add(request.url)
            return Response(.ok)
        }
        let base = ServiceAddress(host: "api.example.com")
        let routes = RouteClient(
            try RouteTable([Route("old", "old"), Route("list", "things")], base: base),
            over: try Chain(transport: transport)
        )
        let copy = routes
        await #expect(throws: RouteError.self) { try await copy.request("news") }
        let earlier = try routes.call("old")
        try routes.register(Route("news", "news/{day}"), Route("old", "new"))
        #expect(copy.table.names == ["list", "news", "old"])
        try await copy.request("news", variables: ["day": "today"])
        try await copy.request("old")
        _ = try await earlier.value
        let urls = sent.all.map { $0.split(separator: "/").suffix(2).joined(separator: "/") }
        #expect(urls == ["news/today", "api.example.com/new", "api.example.com/old"])
        #expect(throws: RouteTableError.self) { try routes.register(Route("bad", "a/{"), Route("good", "b")) }
        #expect(throws: RouteTableError.self) { try routes.register(Route("twice", "a"), Route("twice", "b")) }
        #expect(copy.table.names == ["list", "news", "old"])
    }

    @Test("A table without an address leaves it to the chain, and events tell the route")
    func events() async throws {
        let chain = try Chain(transport: ClosureTransport { Response(.ok, body: HTTPBody(Data("\($0.url)".utf8))) }) {
            ProgressMiddleware()
            URLBuilderMiddleware(base: "https://chain.example.com/v1")
        }
        var route = Route("get", "things/{id}")
        route.preventsUserInteraction = true
        let routes = RouteClient(try RouteTable([route]), over: chain)
        let events = routes.client.events()
        guard case .data(let url) = try await routes.request("get", variables: ["id": "a/b"]).content else {
            Issue.record("it is no data")
            return
        }
        #expect(String(decoding: url, as: UTF8.self) == "https://chain.example.com/v1/things/a%2Fb")
        var names: Set<String> = []
        for await event in events {
            let route = (event.request as? any RoutedRequest)?.route
            if route?.preventsUserInteraction == true { names.insert(route?.name ?? "") }
            if event.change.isEnd { break }
        }
        #expect(names == ["get"])
    }
}
#endif
