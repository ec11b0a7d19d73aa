import Foundation
import HTTPChainCore
import HTTPTypes
import TestSupport
import Testing

@Suite("A chain")
struct ChainTests {
    @Test("A chain passes the request in order, outermost first, and the response in reverse")
    func order() async throws {
        let log = Locked<[String]>([])
        let chain = try Chain(transport: ClosureTransport()) {
            Marker("a", log: log)
            Marker("b", log: log)
        }
        #expect(try await chain.send(.get("http://h/")).status == .ok)
        #expect(log.withLock { $0 } == ["a >", "b >", "< b", "< a"])
    }

    @Test("A chain with no stages is its transport")
    func empty() async throws {
        let chain = try Chain(transport: ClosureTransport { _ in Response(.noContent) })
        #expect(try await chain.send(.get("http://h/")).status == .noContent)
        #expect(chain.capabilities == [.streamsUploads, .backpressure, .keepsRepeatedFields])
    }

    @Test("A chain is built from if, if let, else, switch, for and arrays", arguments: [true, false])
    func builder(flag: Bool) throws {
        let optional: Marker? = flag ? Marker("optional") : nil
        let chain = try Chain(transport: ClosureTransport()) {
            if flag { Marker("if") }
            if let optional { optional }
            if flag { Marker("then") } else { Marker("else") }
            switch flag {
            case true: Marker("true")
            case false: Marker("false")
            }
            for index in 1...2 { Marker("for \(index)") }
            [Marker("array"), ClosureMiddleware("closure") { try await $1($0) }] as [any Middleware]
        }
        let expected =
            flag
            ? ["if", "optional", "then", "true", "for 1", "for 2", "array", "closure"]
            : ["else", "false", "for 1", "for 2", "array", "closure"]
        #expect(chain.stages.map(\.summary.name) == expected)
    }

    @Test("The stages inside one that runs on an actor don't run on the actor")
    func actors() async throws {
        let actors = Locked<[String?]>([])
        let chain = try Chain(transport: ClosureTransport()) {
            ActorNote(actors: actors)
            MainActorStage()
            ActorNote(actors: actors)
            ActorStage()
            ActorNote(actors: actors)
        }
        #expect(try await onMainActor { try await chain.send(.get("http://h/")) }.status == .ok)
        #expect(actors.withLock { $0 } == [nil, nil, nil])
        // Called alone, it runs where its caller is.
        let stage = ActorNote(actors: actors)
        let inner = Next(to: ClosureTransport())
        _ = try await onMainActor { try await stage.intercept(.get("http://h/"), next: inner) }
        #expect(actors.withLock { $0.last } == "MainActor")
    }

    @MainActor
    private func onMainActor(_ send: @MainActor () async throws -> Response) async throws -> Response {
        MainActor.assertIsolated()
        return try await send()
    }

    @Test("A chain lets a closure change the request and the response")
    func closure() async throws {
        let chain = try Chain(transport: ClosureTransport { Response(.ok, headers: $0.head.headerFields) }) {
            ClosureMiddleware { request, next in
                request.head.headerFields[.accept] = "text/plain"
                var response = try await next(request)
                response.headers[.server] = "closure"
                return response
            }
        }
        let response = try await chain.send(.get("http://h/"))
        #expect(response.headers[.accept] == "text/plain")
        #expect(response.headers[.server] == "closure")
    }

    @Test("A chain lets a closure that consumes the request change it, and repeat a copy of it")
    func consumingClosure() async throws {
        let seen = Locked<[String?]>([])
        let transport = ClosureTransport { request in
            seen.withLock { $0.append(request.headers[.accept]) }
            return Response(.ok, headers: request.headers)
        }
        let chain = try Chain(transport: transport) {
            ClosureMiddleware.consuming("Accept", phase: .build, keepsDeadlines: true) {
                (request: consuming Request, next: Next) in
                request.headers[.accept] = "text/plain"
                await next.drained(copy request)
                request.headers[.accept] = "text/html"
                var response = try await next(request)
                response.headers[.server] = "closure"
                return response
            }
        }
        let response = try await chain.send(.get("http://h/"))
        #expect(seen.withLock { $0 } == ["text/plain", "text/html"])
        #expect(response.headers[.server] == "closure")
        let stage = try #require(chain.stages.first as? any DeadlineKeepingMiddleware)
        #expect(stage.summary.name == "Accept")
        #expect(stage.phase == .build)
        #expect(stage.keepsDeadlines)
        #expect(!ClosureMiddleware.consuming { try await $1($0) }.keepsDeadlines)
    }

    @Test("A chain may be answered by a stage that never calls next")
    func shortCircuit() async throws {
        let chain = try Chain(transport: ClosureTransport { _ in throw Boom() }) {
            ClosureMiddleware { _, _ in Response(.ok, body: "from the stage") }
        }
        #expect(try await chain.send(.get("http://h/")).body.text() == "from the stage")
    }

    @Test("A chain lets a stage call next twice with a body that can be sent twice")
    func twice() async throws {
        let seen = Locked<[String]>([])
        let chain = try Chain(
            transport: ClosureTransport { request in
                let text = try await request.body.text()
                seen.withLock { $0.append(text) }
                return Response(.ok)
            }
        ) {
            ClosureMiddleware { request, next in
                await next.drained(request)
                return try await next(request)
            }
        }
        _ = try await chain.send(.post("http://h/", body: "again"))
        #expect(seen.withLock { $0 } == ["again", "again"])
    }

    @Test("A chain tells a stage that sends a one-shot body twice so, instead of sending an empty one")
    func twiceOneShot() async throws {
        let chain = try Chain(
            transport: ClosureTransport { Response(.ok, body: HTTPBody(try await $0.body.collect())) }
        ) {
            ClosureMiddleware { request, next in
                await next.drained(request)
                return try await next(request)
            }
        }
        await #expect(throws: BodyError(.alreadyRead)) {
            try await chain.send(.post("http://h/", body: once("a")))
        }
    }

    @Test("A chain hands the error of its transport through unchanged")
    func failure() async throws {
        let chain = try Chain(transport: ClosureTransport { _ in throw Boom() }) {
            Marker("a")
        }
        await #expect(throws: Boom()) { try await chain.send(.get("http://h/")) }
    }

    @Test("A chain hands on the failure of a body halfway to its reader")
    func failureHalfway() async throws {
        let chain = try Chain(
            transport: ClosureTransport { _ in
                Response(.ok, body: .chunks(["first"], failing: Boom()))
            }
        ) {
            Marker("a")
        }
        var iterator = try await chain.send(.get("http://h/")).body.makeAsyncIterator()
        #expect(try await iterator.next() == Data("first".utf8))
        await #expect(throws: Boom()) { try await iterator.next() }
    }

    @Test("A chain is a transport, so chains nest, and offers what its stages and transport do")
    func nesting() async throws {
        struct Follower: ChainAwareMiddleware {
            func capabilities(over inner: TransportCapabilities) -> TransportCapabilities {
                inner.union(.followsRedirects)
            }
            func intercept(_ request: consuming Request, next: Next) async throws -> Response {
                try await next(request)
            }
        }
        let log = Locked<[String]>([])
        let inner = try Chain(transport: ClosureTransport()) {
            Follower()
            Marker("inner", log: log)
        }
        let outer = try Chain(transport: inner) { Marker("outer", log: log) }
        _ = try await outer.send(.get("http://h/"))
        #expect(log.withLock { $0 } == ["outer >", "inner >", "< inner", "< outer"])
        #expect(outer.capabilities.contains(.followsRedirects))
    }

    @Test("A chain gives its environment to requests that bring none")
    func environment() async throws {
        struct Noon: TimeSource {
            var elapsed: Duration { .zero }
            let date: Date
            func sleep(for duration: Duration) async throws {}
        }
        let chain = try Chain(
            transport: ClosureTransport { request in
                Response(.ok, body: HTTPBody("\(request.environment.time.date.timeIntervalSince1970)"))
            },
            environment: ChainEnvironment(time: Noon(date: Date(timeIntervalSince1970: 12)))
        )
        #expect(try await chain.send(.get("http://h/")).body.text() == "12.0")
        var request = Request.get("http://h/")
        request.environment.time = Noon(date: Date(timeIntervalSince1970: 24))
        #expect(try await chain.send(request).body.text() == "24.0")
    }

    @Test("A chain serves a thousand calls at a time without mixing them up", .timeLimit(.minutes(10)))
    func concurrency() async throws {
        let chain = try Chain(transport: ClosureTransport { Response(.ok, body: HTTPBody($0.url)) }) {
            for index in 0..<8 { Marker("\(index)") }
        }
        let wrong = try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<1000 {
                group.addTask {
                    let url = "http://h/\(index)"
                    return try await chain.send(.get(url)).body.text() != url
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(wrong == 0)
    }

    @Test("A chain decodes to a type: what a serializer stage left, or else JSON")
    func decoding() async throws {
        struct User: Codable, Equatable, Sendable {
            var name: String
        }
        let json = ClosureTransport { request in
            #expect(request.options[ExpectedTypeNote.self] is User.Type)
            return Response(.ok, body: #"{"name":"Ada"}"#)
        }
        #expect(try await Chain(transport: json).send(.get("http://h/"), as: User.self) == User(name: "Ada"))
        let chain = try Chain(transport: json) {
            ClosureMiddleware { request, next in
                var response = try await next(request)
                response.options[DecodedValueFact.self] = User(name: "Grace")
                return response
            }
        }
        #expect(try await chain.send(.get("http://h/"), as: User.self) == User(name: "Grace"))
    }

    @Test(
        "A chain says what it could not decode: the type, the place, and what was there",
        arguments: [
            (#"{"items":[{"price":1},{"price":"x"}]}"#, "at items[1].price"),
            (#"{"items":[{}]}"#, "at items[0].price: there is no such key"),
            (#"{"items":null}"#, "at items"),
            ("<html>", "begins: <html>"),
            ("", "there is no content"),
        ]
    )
    func decodingFailure(json: String, expected: String) async throws {
        struct Item: Decodable { var price: Int }
        struct Cart: Decodable { var items: [Item] }
        let response = Response(.ok, headers: [.contentType: "application/json"], body: HTTPBody(json))
        let error = await #expect(throws: DecodingFailure.self) { try await response.decode(Cart.self) }
        #expect(error?.description.contains("not a value of type Cart") == true)
        #expect(error?.description.contains(expected) == true, "\(String(describing: error))")
        #expect(json.isEmpty || error?.underlyingError is DecodingError)
    }

    @Test("A chain surfaces cancellation as CancellationError", .timeLimit(.minutes(10)))
    func cancellation() async throws {
        let (started, signal) = AsyncStream.makeStream(of: Void.self)
        let chain = try Chain(
            transport: ClosureTransport { request in
                signal.yield()
                try await request.environment.time.sleep(for: .seconds(3600))
                return Response(.ok)
            }
        ) {
            Marker("a")
        }
        let call = Task { try await chain.send(.get("http://h/")) }
        for await _ in started { break }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
    }
}

extension Next {
    /// Sends the request and gives the response up.
    fileprivate func drained(_ request: Request) async {
        _ = await (try? self(request))?.body.drain()
    }
}

/// Notes the actor on which it runs.
private struct ActorNote: Middleware {
    let actors: Locked<[String?]>

    nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        let actor: (any Actor)? = #isolation
        actors.withLock { $0.append(actor.map { "\(type(of: $0))" }) }
        return try await next(request)
    }
}

private struct MainActorStage: Middleware {
    @MainActor
    func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        MainActor.assertIsolated()
        let response = try await next(request)
        MainActor.assertIsolated()
        return response
    }
}

private actor ActorStage: Middleware {
    func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        let response = try await next(request)
        preconditionIsolated()
        return response
    }
}
