import HTTPChainCore
import HTTPChainHeaders
import HTTPChainSupport
import HTTPChainTesting
import HTTPTypes
import Testing

private let url = "https://api.example.com/plants"

/// What a stage makes of the fields of a request.
private func fields(_ stage: HeadersMiddleware, _ request: Request = .get(url)) async throws -> HTTPFields {
    let outcome = await StageHarness(stage).send(request)
    _ = try outcome.response()
    return try #require(outcome.requests.first).head.headerFields
}

private enum Tenant: RequestOption {
    static var defaultValue: String? { nil }
    static func isHarmless(_ value: Value) -> Bool { true }
}

@Suite("Shared header fields")
struct SharedFieldsTests {
    @Test("A dictionary sets defaults: the call's own fields win, unless the precedence is `override`")
    func dictionary() async throws {
        let call = Request.get(url, headers: [.accept: "*/*", .age: "1"])
        let stage = HeadersMiddleware([.accept: "application/json", .userAgent: "Garden/1.2"])
        #expect(try await fields(stage, call) == [.accept: "*/*", .age: "1", .userAgent: "Garden/1.2"])
        let override = HeadersMiddleware([.accept: "application/json", .userAgent: "Garden/1.2"], .override)
        #expect(
            try await fields(override, call) == [.accept: "application/json", .age: "1", .userAgent: "Garden/1.2"]
        )
    }

    @Test("Several values of a name go together, as a default and in the place of the call's")
    func severalValues() async throws {
        let call = Request.get(url, headers: [.via: "call"])
        let parts: KeyValuePairs<String, String> = ["Via": "a", "via": "b"]
        #expect(try await fields(HeadersMiddleware(parts), call)[values: .via] == ["call"])
        #expect(try await fields(HeadersMiddleware(parts))[values: .via] == ["a", "b"])
        #expect(try await fields(HeadersMiddleware(parts, .override), call)[values: .via] == ["a", "b"])
    }

    @Test("A template takes the call's parameters by name and by position")
    func templates() async throws {
        let stage = HeadersMiddleware([
            .set("X-Trace", template: "{app}-%%0%%/%%1%% 100%% {}"),
            .set("X-App", template: "{app}"),
        ])
        let call = Request.get(url, headers: [HTTPField.Name(constant: "X-App"): "own"])
            .headerParameters(["app": "garden"], ["42"]).headerParameters([:], ["é"])
        let result = try await fields(stage, call)
        #expect(result[try #require(HTTPField.Name("X-Trace"))] == "garden-42/é 100%% {}")
        #expect(result[try #require(HTTPField.Name("X-App"))] == "garden")
        for (call, parameter) in [
            (Request.get(url).headerParameters([:], ["1", "2"]), "app"),
            (Request.get(url).headerParameters(["app": "a"], ["1"]), "%%1%%"),
        ] {
            let outcome = await StageHarness(stage).send(call)
            let error = try #require(outcome.error as? HeadersError)
            #expect(error.problem == .missingParameter(name: "X-Trace", parameter: parameter))
        }
        let injected = Request.get(url).headerParameters(["app": "a\r\nX: b"], ["1", "2"])
        #expect(await StageHarness(stage).send(injected).error is HeadersError)
    }

    @Test("A parameter that no template has is refused; those of the call and of inner stages count")
    func unusedParameters() async throws {
        let recorder = Recorder()
        let inner = try Chain(transport: recorder) { HeadersMiddleware([.set("X-Inner", template: "{inner}")]) }
        let chain = try Chain(transport: inner) {
            HeadersMiddleware([.accept: "a/b"])
            HeadersMiddleware([.set("X-Id", template: "{id}/%%1%%")])
            HeadersMiddleware([.set("X-Next", template: "{next}")])
        }
        let call = Request.get(url).headerParameters(["id": "7", "next": "8", "inner": "9"], ["a", "b"])
        _ = try await chain.send(call)
        _ = try await chain.send(call.headerParameters(["own": "1"]).headers(.set("X-Own", template: "{own}")))
        #expect(recorder.requests.count == 2)
        for (call, parameter) in [
            (call.headerParameters(["tpyo": "hunter2"]), "tpyo"), (call.headerParameters([:], ["hunter2"]), "%%2%%"),
        ] {
            let error = await #expect(throws: HeadersError.self) { try await chain.send(call) }
            let templates = ["id", "inner", "next", "%%0%%", "%%1%%"]
            #expect(error?.problem == .unusedParameter(parameter, templates: templates))
            #expect(error?.exchange != nil && error?.description.contains("hunter2") == false)
        }
        #expect(recorder.requests.count == 2)
    }

    @Test("Names may be text, and a name given twice has both values in order")
    func textNames() async throws {
        let result = try await fields(HeadersMiddleware(["X-Part": "a", "x-part": "b", "X-Other": ""]))
        #expect(result[values: try #require(HTTPField.Name("X-Part"))] == ["a", "b"])
        #expect(result[try #require(HTTPField.Name("X-Other"))] == "")
    }

    @Test("Set leaves one value, append adds one, remove takes all, default fills a gap")
    func operations() async throws {
        var headers: HTTPFields = [.accept: "*/*", .from: "a", .age: "1"]
        headers[values: .via] = ["one", "two"]
        headers[values: .accept] = ["text/html", "text/plain"]
        let stage = HeadersMiddleware([
            .set(.accept, to: "application/json"),
            .append(.via, "three"),
            .remove(.age),
            .remove(.referer),
            .default(.from, to: "b"),
            .default(.acceptLanguage, to: "en"),
        ])
        let result = try await fields(stage, .get(url, headers: headers))
        #expect(result[values: .accept] == ["application/json"])
        #expect(result[values: .via] == ["one", "two", "three"])
        #expect(result[.age] == nil)
        #expect(result[.from] == "a")
        #expect(result[.acceptLanguage] == "en")
        #expect(result.count == 6)
    }

    @Test("Operations take effect in the order they are written")
    func order() async throws {
        let stage = HeadersMiddleware([.append(.via, "a"), .remove(.via), .append(.via, "b"), .default(.via, to: "c")])
        #expect(try await fields(stage)[values: .via] == ["b"])
        let other = HeadersMiddleware([.append(.via, "a"), .append(.via, "b"), .set(.via, to: "c")])
        #expect(try await fields(other)[values: .via] == ["c"])
    }

    @Test("Removing a field that occurs several times leaves the others in order")
    func removeRepeated() async throws {
        var headers = HTTPFields()
        for value in ["1", "2", "3"] {
            headers.append(HTTPField(name: .via, value: value))
            headers.append(HTTPField(name: .cookie, value: value))
        }
        #expect(
            try await fields(HeadersMiddleware([.remove("VIA")]), .get(url, headers: headers)).map(\.value) == [
                "1", "2", "3",
            ]
        )
        let set = try await fields(HeadersMiddleware([.set(.via, to: "4")]), .get(url, headers: headers))
        #expect(set.map(\.value) == ["4", "1", "2", "3"])
    }

    @Test("A stage without operations changes nothing")
    func empty() async throws {
        #expect(try await fields(HeadersMiddleware([]), .get(url, headers: [.age: "1"])) == [.age: "1"])
    }

    @Test("The response passes untouched")
    func response() async throws {
        let outcome = await StageHarness(HeadersMiddleware([.accept: "a"])).send(
            .get(url),
            answering: .status(404, headers: [.server: "s"], body: "no")
        )
        let response = try outcome.response()
        try await expectResponse(response, .notFound, body: "no")
        #expect(response.headers == [.server: "s"])
    }
}

@Suite("Values made for each call")
struct ComputedValuesTests {
    @Test("A closure sees the request and the call's parameters")
    func parameters() async throws {
        let stage = HeadersMiddleware([
            .set("X-Tenant") { $0.options[Tenant.self] },
            .append("Via") { request in
                await Task.yield()
                return "\(request.head.method) \(request.head.headerFields[.age] ?? "")"
            },
        ])
        var request = Request.get(url, headers: [.age: "1"])
        request.options[Tenant.self] = "garden"
        let result = try await fields(stage, request)
        #expect(result[try #require(HTTPField.Name("X-Tenant"))] == "garden")
        #expect(result[.via] == "GET 1")
    }

    @Test("A closure that gives nil leaves the field as it is")
    func absentValue() async throws {
        let stage = HeadersMiddleware([.set("From") { $0.options[Tenant.self] }])
        #expect(try await fields(stage, .get(url, headers: [.from: "a"])) == [.from: "a"])
    }

    @Test("A default is not made when the field is there")
    func lazyDefault() async throws {
        let count = Locked(0)
        let stage = HeadersMiddleware([
            .default("From") { _ in
                count.withLock { $0 += 1 }
                return "b"
            }
        ])
        #expect(try await fields(stage, .get(url, headers: [.from: "a"]))[.from] == "a")
        #expect(count.withLock { $0 } == 0)
        #expect(try await fields(stage)[.from] == "b")
    }

    @Test("What the closure throws is the cause of an error that names the field, and nothing is sent")
    func failure() async throws {
        struct NoToken: Error {}
        let outcome = await StageHarness(HeadersMiddleware([.set("From") { _ in throw NoToken() }])).send(.get(url))
        let error = try #require(outcome.error as? HeadersError)
        #expect(error.problem == .valueFailed(name: "From"))
        #expect(error.underlyingError is NoToken)
        #expect(error.exchange?.url == url)
        #expect(outcome.requests.isEmpty)
    }

    @Test("Cancellation in the closure is cancellation of the call", .timeLimit(.minutes(10)))
    func cancellation() async throws {
        let clock = VirtualClock()
        struct Interrupted: Error {}
        let stage = HeadersMiddleware([
            .set("From") { request in
                do {
                    try await request.environment.time.sleep(for: .seconds(1))
                } catch {
                    throw Interrupted()
                }
                return ""
            }
        ])
        await #expect(throws: CancellationError.self) {
            try await StageHarness(stage, clock: clock).drive(.get(url)) { run in
                try await clock.waitForSleepers()
                run.cancel()
                _ = try await run.response()
            }
        }
    }
}

@Suite("Header fields of one call")
struct CallHeadersTests {
    private let shared = HeadersMiddleware([.accept: "application/json", .via: "shared"])

    @Test("A call adds fields, replaces shared ones, adds to them and removes them")
    func override() async throws {
        let request = Request.get(url).headers(.set(.age, to: "1"), .append(.via, "call")).headers(.remove(.accept))
        let result = try await fields(shared, request)
        #expect(result[values: .via] == ["shared", "call"])
        #expect(result[.age] == "1")
        #expect(result[.accept] == nil)
    }

    @Test("Values of one call may be made when it is sent")
    func computed() async throws {
        let request = Request.get(url).headers(.set("Via") { "after \($0.head.headerFields[.via] ?? "")" })
        #expect(try await fields(shared, request)[.via] == "after shared")
    }

    @Test("With several stages in a chain, the call's operations take effect once and win")
    func severalStages() async throws {
        let server = Recorder()
        let chain = try Chain(transport: server) {
            HeadersMiddleware([.accept: "a", .from: "outer"])
            HeadersMiddleware([.set(.accept, to: "b"), .set(.via, to: "inner"), .set(.from, to: "inner")])
        }
        _ = try await chain.send(.get(url).headers(.append(.via, "call"), .remove(.accept)))
        let result = try #require(server.requests.first).head.headerFields
        #expect(result[values: .via] == ["call"])
        #expect(result[.accept] == nil)
        #expect(result[.from] == "inner")
    }

    @Test("A mistake in a call's field fails that call alone")
    func mistake() async throws {
        let outcome = await StageHarness(shared).send(.get(url).headers(.set("X-A", to: "a\r\nHost: evil")))
        #expect((outcome.error as? HeadersError)?.problem == .invalidValue(name: "X-A", byte: 0x0D, offset: 1))
        #expect(outcome.requests.isEmpty)
        #expect(try await fields(shared)[.via] == "shared")
    }

    @Test("The operations do not survive a hop to another origin, because they may hold secrets")
    func credentials() {
        var request = Request.get(url).headers(.set(.authorization, to: "x"))
        request.options.removeCredentials()
        #expect(!request.options.contains(HeadersOption.self))
    }
}

/// A transport that keeps what it was sent.
final class Recorder: Transport {
    let capabilities: TransportCapabilities = []
    private let seen = Locked<[Request]>([])
    var requests: [Request] { seen.withLock { $0 } }

    func send(_ request: consuming Request) async throws -> Response {
        let own = request
        _ = try (copy own).forWire()
        seen.withLock { $0.append(own) }
        return Response(.ok)
    }
}
