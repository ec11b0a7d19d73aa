#if AllTests
import Foundation
import HTTPChain
import HTTPChainRoutes
import TestSupport
import Testing

@Suite("A table of routes", .timeLimit(.minutes(10)))
struct RouteTableTests {
    static let file = """
        {
          "service": { "protocol": "https", "host": "api.example.com", "path": "/v2" },
          "environments": {
            "test": { "protocol": "http", "host": "localhost", "port": 8080 }
          },
          "routes": {
            "doc": { "path": "documents/{uniqueId}", "cacheTTL": 3600, "extended": { "depth": [1, 2.5, null] } },
            "list": { "path": "stuff/list", "cacheTTL": 0.5, "cacheIgnoresQuery": true },
            "add": {
              "method": "PUT", "path": "stuff/:thingId", "serialization": "json", "contentType": "application/json",
              "headers": { "Accept-Encoding": "gzip" }, "mapper": "json", "requestRootKeyPath": "thing",
              "responseRootKeyPath": "data.thing", "gzip": true, "invalidates": ["list", "doc"], "progress": true,
              "preventsUserInteraction": true, "authenticator": "user"
            },
            "image": { "path": "https://cdn.example.com/{+name}", "saveAsFile": true }
          }
        }
        """

    private func table(_ json: String, environment: String? = nil, overrides: [String: String] = [:]) throws
        -> RouteTable
    {
        try RouteTable(json: Data(json.utf8), environment: environment, overrides: overrides)
    }

    /// What is wrong with a file, each as a line.
    private func mistakes(_ json: String, environment: String? = nil, overrides: [String: String] = [:]) -> [String] {
        do {
            _ = try table(json, environment: environment, overrides: overrides)
            return []
        } catch {
            return (error as? RouteTableError)?.mistakes.map(\.description) ?? ["\(error)"]
        }
    }

    @Test("All properties are read, and keys that are not known are kept")
    func reads() throws {
        let table = try table(Self.file)
        #expect(table.names == ["add", "doc", "image", "list"] && table.warnings.isEmpty)
        #expect(table.base?.description == "https://api.example.com/v2")
        let add = try table.route("add")
        #expect(add.method == .put && add.path == "stuff/:thingId" && add.serialization == .json && add.gzip)
        #expect(add.headers[.acceptEncoding] == "gzip" && add.mapper == "json" && add.authenticator == "user")
        #expect(add.requestRootKeyPath == "thing" && add.responseRootKeyPath == "data.thing" && add.progress)
        #expect(add.invalidates == ["list", "doc"] && add.preventsUserInteraction)
        let doc = try table.route("doc")
        #expect(doc.method == .get && doc.serialization == .query && doc.cacheTTL == .seconds(3600))
        #expect(doc["extended"]?["depth"]?[1]?.number == 2.5 && doc["extended"]?["depth"]?[2] == .null)
        #expect(doc["path"]?.string == "documents/{uniqueId}" && doc["missing"] == nil)
        #expect(try table.route("image").saveAsFile)
        let list = try table.route("list")
        #expect(list.cacheTTL == .milliseconds(500) && list.cacheIgnoresQuery)
        #expect(throws: RouteError.self) { try table.route("nothing") }
    }

    @Test("An environment says where the service is, key by key, and what is given at the call stands over it")
    func environments() throws {
        #expect(try table(Self.file, environment: "test").base?.description == "http://localhost:8080/v2")
        let overrides = ["host": "127.0.0.1", "port": "1234", "path": ""]
        let local = try table(Self.file, environment: "test", overrides: overrides)
        #expect(local.base?.description == "http://127.0.0.1:1234")
        #expect(mistakes(Self.file, environment: "live").count == 1)
        #expect(mistakes(Self.file, environment: "live")[0].contains("the environments are test"))
        #expect(mistakes(Self.file, overrides: ["port": "x", "hots": "y"]).count == 2)
        #expect(mistakes(Self.file, overrides: ["host": "a/b"])[0].contains("not a host"))
    }

    @Test("Every mistake is told at once, with its path, line and column")
    func allMistakes() throws {
        let wrong = """
            {
              "service": { "protocol": "ftp", "host": "a b", "port": 70000 },
              "routes": {
                "doc": { "method": "get", "path": "documents/{uniqueId", },
                "add": {
                  "path": 7,
                  "serialization": "xml",
                  "invalidates": ["nothing", 3],
                  "headers": { "bad name": "x", "A": "b\\n" }
                },
                "none": { "cacheTTL": "long", "gzip": "yes" },
                "doc": { "path": "x" }
              }
            }
            """
        let found = mistakes(wrong)
        for expected in [
            "2:28: service.protocol", "2:43: service.host", "2:58: service.port", "4:24: routes.doc.method",
            "4:60: routes.doc: the comma", "6:15: routes.add.path: a number",
            "7:24: routes.add.serialization", "8:23: routes.add.invalidates.0: there is no route",
            "8:34: routes.add.invalidates.1: a number", "9:20: routes.add.headers.bad name",
            "9:42: routes.add.headers.A",
            "11:5: routes.none: the key \"path\"", "11:27: routes.none.cacheTTL", "11:43: routes.none.gzip",
            "12:5: routes.doc: there are two members",
        ] {
            #expect(found.contains { $0.hasPrefix(expected) }, "\(expected) is not among \(found)")
        }
        #expect(found.count == 15, "\(found.joined(separator: "\n"))")
    }

    @Test("A path that no URL can be built of is told before a call is made")
    func paths() throws {
        func problem(_ path: String, base: String = #""service": {"host": "a.example"},"#) -> [String] {
            mistakes("{\(base)\"routes\":{\"r\":{\"path\":\"\(path)\"}}}")
        }
        for path in ["documents/{id", "a}b", "x{|y}", "ftp://example.com/x", "https:///x", #"a\nb"#] {
            #expect(problem(path).count == 1, "\(path)")
        }
        for path in ["", "/", "a/{id}{?q*}", "https://x.example/{id}", "a/:id/%%0%%", "redirect?to=http://x"] {
            #expect(problem(path).isEmpty, "\(path)")
        }
        #expect(problem("", base: "").count == 1)
        #expect(problem(String(repeating: "{a}", count: 3_000)).count == 1)
    }

    @Test("What is no JSON is a mistake with its place, and what can be understood behind it is looked at too")
    func syntax() throws {
        for (json, expected) in [
            ("", "1:1: the file ends"), ("{", "1:2: the file ends"), ("[]", "1:1: an array instead"),
            ("{\"routes\":{}} x", "1:15: there is text after"), ("{\"routes\":{},}", "1:13: the comma"),
            ("{'routes':{}}", "1:2: the name"), ("{\"routes\" {}}", "1:11: routes: a colon"),
            ("{\"routes\":{\"a\":{\"path\":\"x\ny\"}}}", "1:26: routes.a.path: a string"),
            ("{\"routes\":\"\\q\"}", "1:13: routes: the string has an escape"),
            ("{\"routes\":\"\\ud800\"}", "1:13: routes: the string has an escape"),
            ("{\"routes\":01}", "1:13: routes: \"01\""), ("{\"routes\":1.}", "1:13: routes: \"1.\""),
            ("{\"routes\":{\"a\":tru}}", "1:16: routes.a: a value"), ("{}", "1:1: there are no routes"),
            ("{\"é\": \"ü\", \"routes\": 3}", "1:22: routes: a number"),
            (String(repeating: "[", count: 100), "1:65: "),
        ] {
            #expect(mistakes(json).first?.hasPrefix(expected) == true, "\(json): \(mistakes(json))")
        }
        #expect(mistakes("{\"routes\":{\"a\":{\"path\":\"x\"} \"b\":{\"path\":7}}}").count == 2)
        #expect(
            try table(
                "{\"routes\":{\"a\":{\"path\":\"\\u00e9\\ud83d\\ude00\\/\"}},\"service\":{\"host\":\"a.example\"}}"
            )
            .route("a").path == "é😀/"
        )
        #expect(throws: RouteTableError.self) { try RouteTable(json: Data([0xFF, 0xFE])) }
        #expect(throws: RouteTableError.self) { try RouteTable(json: Data(repeating: 0x20, count: 5 << 20)) }
        let mark = Data([0xEF, 0xBB, 0xBF]) + Data("{\"routes\":{}}".utf8)
        #expect(try RouteTable(json: mark).names.isEmpty)
        // A file in one line of thousands of values is read once.
        let many = (0..<5_000).map { "\"r\($0)\":{\"path\":\"x\",\"n\":[\($0)]}" }.joined(separator: ",")
        #expect(try table("{\"service\":{\"host\":\"a.example\"},\"routes\":{\(many)}}").names.count == 5_000)
    }

    @Test(
        "A key of WebApiClient's files is a mistake that names the key here",
        arguments: [
            ("serializationName", "serialization"), ("requestHeaders", "headers"), ("dataMapper", "mapper"),
            ("dataMapperRequestRootKeyPath", "requestRootKeyPath"),
            ("dataMapperResponseRootKeyPath", "responseRootKeyPath"), ("saveAsResource", "saveAsFile"),
            ("cacheIgnoreQueryParameters", "cacheIgnoresQuery"), ("invalidatesCachedRouteNames", "invalidates"),
            ("preventUserInteraction", "preventsUserInteraction"),
        ]
    )
    func formerKeys(former: String, key: String) {
        let found = mistakes("{\n\"routes\":{\"a\":{\"path\":\"https://a.example/x\",\n\"\(former)\":true}}}")
        #expect(found == ["3:1: routes.a.\(former): \"\(former)\" is called \"\(key)\" here; rename it"])
    }

    @Test("A file of WebApiClient as a whole is refused with the names of its parts here")
    func formerFile() {
        let found = mistakes(
            """
            {
              "App_webservice_protocol": "https", "App_webservice_host": "a.example", "App_webservice_port": 443,
              "webservice": { "api": { "login": { "method": "POST", "path": "user/login" } } }
            }
            """
        )
        let names = [
            ("App_webservice_protocol", "service.protocol"), ("App_webservice_host", "service.host"),
            ("App_webservice_port", "service.port"), ("webservice.api", "routes"),
        ]
        for (former, name) in names {
            let text = "\"\(former)\" is called \"\(name)\" here; rename it"
            #expect(found.contains { $0.hasSuffix(text) }, "\(found)")
        }
    }

    @Test("A key that is nearly one that is known is warned of, and kept")
    func warnings() throws {
        let table = try table(
            #"{"service":{"host":"a.example","prot":1},"x":1,"routes":{"a":{"path":"x","header":{},"retries":3}}}"#
        )
        #expect(table.warnings.map(\.path).sorted() == ["routes.a.header", "service.prot", "x"])
        #expect(table.warnings.first { $0.path == "routes.a.header" }?.text.contains("headers") == true)
        #expect(try table.route("a")["retries"]?.integer == 3)
    }

    @Test("A key that has no effect is a mistake, and one that has an effect on some calls is warned of")
    func withoutEffect() throws {
        #expect {
            try table(
                """
                {"routes":{
                  "rooted": {"path":"https://a.example/", "requestRootKeyPath":"data"},
                  "file": {"path":"https://a.example/", "saveAsFile":true, "mapper":"m"}
                }}
                """
            )
        } throws: { error in
            let found = (error as? RouteTableError)?.mistakes.map(\.description) ?? []
            let expected = [
                "2:64: routes.rooted.requestRootKeyPath: it has no effect with the serialization query",
                "3:69: routes.file.mapper: it has no content to encode",
            ]
            return found.count == 2 && zip(found, expected).allSatisfy { $0.hasPrefix($1) }
        }
        let file = try table(
            """
            {"service":{"host":"a.example"},"routes":{
              "query": {"method":"POST", "path":"a", "serialization":"query", "contentType":"text/csv", "gzip":true},
              "form": {"method":"POST", "path":"a", "serialization":"form", "requestRootKeyPath":"data"},
              "file": {"method":"POST", "path":"a", "saveAsFile":true, "mapper":"m"}
            }}
            """
        )
        #expect(file.warnings.map(\.path) == ["routes.query.contentType", "routes.query.gzip"])
        #expect(file.warnings.allSatisfy { $0.line == 2 && $0.text.contains("only on the data of a call") })
        var route = Route("query", .post, "a")
        route.serialization = .query
        route.gzip = true
        let code = try RouteTable([route])
        #expect(code.warnings.map(\.path) == ["routes.query.gzip"] && code.warnings.first?.line == nil)
        route.name = "other"
        let more = try file.registering([route])
        #expect(more.warnings.map(\.path) == ["routes.query.contentType", "routes.query.gzip", "routes.other.gzip"])
    }

    @Test("Settings for the cache are warned of if responses to the method are never stored")
    func neverStored() throws {
        let table = try table(
            """
            {"service":{"host":"a.example"},"routes":{
              "put": {"method":"PUT", "path":"a", "cacheTTL":60},
              "delete": {"method":"DELETE", "path":"a", "cacheTTL":60, "cacheIgnoresQuery":true},
              "post": {"method":"POST", "path":"a", "cacheIgnoresQuery":true},
              "query": {"method":"POST", "path":"a", "cacheTTL":60, "cacheIgnoresQuery":true},
              "get": {"path":"a", "cacheTTL":60}, "head": {"method":"HEAD", "path":"a", "cacheIgnoresQuery":true}
            }}
            """
        )
        let expected = [
            "routes.delete.cacheIgnoresQuery", "routes.delete.cacheTTL", "routes.post.cacheIgnoresQuery",
            "routes.put.cacheTTL",
        ]
        #expect(table.warnings.map(\.path).sorted() == expected)
        #expect(table.warnings.allSatisfy { $0.line != nil && $0.text.contains("are not stored") })
    }

    @Test("A route says what it does with cookies, or which it sends")
    func cookies() throws {
        let table = try table(
            """
            { "service": { "host": "a.example" }, "routes": {
              "off": { "path": "x", "cookies": "off" }, "on": { "path": "x", "cookies": "on" },
              "send": { "path": "x", "cookies": "sendOnly" }, "joined": { "path": "x", "cookies": "joined" },
              "own": { "path": "x", "cookies": { "language": "hunter2", "empty": "" } }, "silent": { "path": "x" }
            } }
            """
        )
        let uses: [String: CookieUse?] = [
            "off": .off, "on": .on, "send": .sendOnly, "joined": .joined, "own": nil, "silent": nil,
        ]
        for (name, use) in uses { #expect(try table.route(name).cookieUse == use, "\(name)") }
        let own = try table.route("own")
        #expect(own.cookies == [CallCookie("language", "hunter2"), CallCookie("empty", "")])
        #expect(own["cookies"]?["language"]?.string == "<secret>")
        #expect(!"\(own)".contains("hunter2"))
        #expect(try table.route("send")["cookies"]?.string == "sendOnly")
        #expect(try table.route("silent")["cookies"] == nil)
        #expect(table.warnings.isEmpty)
    }

    @Test("What is wrong with the cookies of a route is told with its place, and without their values")
    func cookieMistakes() {
        let many = (0..<151).map { "\"c\($0)\":\"hunter2\"" }.joined(separator: ",")
        let found = mistakes(
            """
            { "service": { "host": "a.example" }, "routes": {
              "a": { "path": "x", "cookies": "none" },
              "b": { "path": "x", "cookies": ["off"] },
              "c": { "path": "x", "cookies": { "a;b": "hunter2", "ok": "hunter2",
                "x": "hunter2; y=1", "n": 3 } },
              "d": { "path": "x", "cookies": { \(many) } }
            } }
            """
        )
        #expect(
            found == [
                "2:34: routes.a.cookies: \"none\" is not a use of cookies; use one of on, off, sendOnly, joined",
                "3:34: routes.b.cookies: an array instead of a use of cookies, or an object of cookies by name",
                "4:36: routes.c.cookies.a;b: a cookie cannot have this name or value; "
                    + "remove \"=\", \";\" and control characters",
                "5:5: routes.c.cookies.x: a cookie cannot have this name or value; "
                    + "remove \"=\", \";\" and control characters",
                "5:31: routes.c.cookies.n: a number instead of a string",
                "6:34: routes.d.cookies: there are more than 150 cookies",
            ]
        )
        var route = Route("a", "x")
        route.cookies = [CallCookie("a=b", "hunter2"), CallCookie("fine", "1")]
        route.cookieUse = .off
        #expect {
            try RouteTable([route], base: ServiceAddress(host: "a.example"))
        } throws: { error in
            (error as? RouteTableError)?.mistakes.map(\.path) == ["routes.a.cookies.a=b", "routes.a.cookies"]
                && !"\(error)".contains("hunter2")
        }
    }

    @Test("A table in code is checked as one from a file is")
    func code() throws {
        var add = Route("add", .post, "stuff")
        add.invalidates = ["list"]
        add.cacheTTL = .seconds(-1)
        add.contentType = "nonsense"
        do {
            _ = try RouteTable([add, Route("doc", "documents/{"), Route("doc", "x")], base: ServiceAddress(host: ""))
            Issue.record("the table is wrong")
        } catch {
            let expected = [
                "service.host", "routes.doc", "routes.add.contentType", "routes.add.cacheTTL",
                "routes.add.invalidates.0",
                "routes.doc.path",
            ]
            #expect(error.mistakes.map(\.path) == expected)
            #expect("\(error)".contains("there are 6 mistakes") && error.mistakes.allSatisfy { $0.line == nil })
        }
        let table = try RouteTable(
            [Route("list", "stuff")],
            base: ServiceAddress(scheme: "http", host: "[::1]", port: 80)
        )
        #expect(table.base?.description == "http://[::1]:80")
        #expect(Route("a", .post, "").serialization == .json && Route("a", "").serialization == .query)
    }

    @Test("A file is read from where it is")
    func load() async throws {
        let scratch = try ScratchDirectory.created()
        let file = scratch.url.appendingPathComponent("routes.json")
        try Data(Self.file.utf8).write(to: file)
        #expect(try await RouteTable.load(file, environment: "test").routes.count == 4)
        await #expect(throws: BodyError.self) {
            try await RouteTable.load(scratch.url.appendingPathComponent("no.json"))
        }
    }
}
#endif
