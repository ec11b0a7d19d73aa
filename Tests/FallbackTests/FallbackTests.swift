#if AllTests
import Foundation
import HTTPChainCache
import HTTPChainCore
import HTTPChainFallback
import HTTPChainTesting
import HTTPChainURLBuilder
import HTTPTypes
import TestSupport
import Testing

private let url = "https://api.example.com/plants"

@Suite("Fallbacks", .timeLimit(.minutes(10)))
struct FallbackTests {
    struct Refused: RefusalError {
        var stage: String { "test" }
        var reason: String { "refused" }
        var retryAfter: Duration? { nil }
    }

    struct Other: Error {}

    static func lost(_ sent: TransportError.Sent) -> TransportError {
        TransportError(.connectionLost, sent: sent, stage: "test")
    }

    static let rows: [(name: String, method: HTTPRequest.Method, answer: StageHarness.Answer, isAnswered: Bool)] = [
        ("200", .get, .ok, false), ("404", .get, .status(.notFound), false),
        ("503", .get, .status(.serviceUnavailable), true),
        ("503 to POST", .post, .status(.serviceUnavailable), false), ("501", .get, .status(.notImplemented), false),
        ("lost", .get, .failure(lost(.maybe)), true), ("lost POST", .post, .failure(lost(.maybe)), false),
        ("not sent", .get, .failure(lost(.nothing)), true), ("refused", .get, .failure(Refused()), true),
        ("POST that was not sent", .post, .failure(lost(.nothing)), false),
        ("refused POST", .post, .failure(Refused()), false),
        ("another error", .get, .failure(Other()), false), ("cancelled", .get, .failure(CancellationError()), false),
    ]

    @Test("Fallbacks respond only to failures that allow a response from another source", arguments: 0..<rows.count)
    func standard(index: Int) async {
        let row = Self.rows[index]
        let stage = FallbackMiddleware(.response(Response(.ok, body: "canned")))
        let outcome = await StageHarness(stage).send(Request(row.method, url), answering: row.answer)
        let response = try? outcome.response()
        #expect((response?.fallback != nil) == row.isAnswered, "\(row.name)")
        if row.isAnswered { #expect(response?.body.bytes.map { String(decoding: $0, as: UTF8.self) } == "canned") }
    }

    @Test("An error of a cancelled call is CancellationError")
    func cancelled() async {
        let chain = Task {
            let chain = try Chain(transport: ClosureTransport { _ in throw Refused() }) {
                FallbackMiddleware(.response(Response(.ok)))
            }
            withUnsafeCurrentTask { $0?.cancel() }
            return try await chain.send(.get(url))
        }
        await #expect(throws: CancellationError.self) { try await chain.value }
    }

    /// As status validation throws it.
    struct Invalid: HTTPChainError {
        let exchange: ExchangeSnapshot?
        var stage: String { "test" }
        var reason: String { "status" }
    }

    @Test("A status that a stage inside has made an error of counts as the status", arguments: [503, 404])
    func statusError(code: Int) async throws {
        let chain = try Chain(transport: ClosureTransport { _ in Response(HTTPResponse.Status(code: code)) }) {
            FallbackMiddleware(.response(Response(.ok, body: "canned")))
            ClosureMiddleware("Validation") { request, next in
                let sent = request.head
                let response = try await next(request)
                throw Invalid(exchange: ExchangeSnapshot(sent, response: response.head))
            }
        }
        if code == 503 {
            let response = try await chain.send(.get(url))
            #expect(response.status == .ok && response.fallback != nil)
        } else {
            await #expect(throws: Invalid.self) { try await chain.send(.get(url)) }
        }
    }

    @Test("Fallbacks are asked one after the other, and when none has an answer the failure stays")
    func combined() async throws {
        let asked = Events<String>()
        func fallback(_ name: String, _ result: Result<Response?, any Error>) -> Fallback {
            .perform(name) { _, _ in
                asked.add(name)
                return try result.get()
            }
        }
        let none = fallback("none", .success(nil)).or(fallback("broken", .failure(Other())))
        var outcome = await StageHarness(FallbackMiddleware(none)).send(.get(url), answering: .status(.badGateway))
        #expect(try outcome.response().status == .badGateway)
        #expect(try outcome.response().fallback == nil)
        outcome = await StageHarness(FallbackMiddleware(none)).send(.get(url), answering: .failure(Self.lost(.maybe)))
        #expect(outcome.error is TransportError)
        #expect(asked.all == ["none", "broken", "none", "broken"])
        let some = none.or(fallback("good", .success(Response(.accepted)))).or(
            fallback("late", .success(Response(.ok)))
        )
        outcome = await StageHarness(FallbackMiddleware(some)).send(.get(url), answering: .status(.badGateway))
        #expect(try outcome.response().status == .accepted)
        #expect(asked.all.last == "good")
    }

    @Test("Another chain gets the request as it was, unless its body was used up")
    func chain() async throws {
        let mirror = ClosureTransport { request in Response(.ok, body: HTTPBody("mirror of \(request.url)")) }
        let stage = FallbackMiddleware(.chain(mirror))
        var outcome = await StageHarness(stage).send(.get(url), answering: .status(.badGateway))
        #expect(try await outcome.response().body.text() == "mirror of \(url)")
        let upload = Request(.get, url, body: .chunks(["once"]))
        outcome = await StageHarness(stage).send(upload, answering: .status(.badGateway))
        #expect(try outcome.response().status == .badGateway)
    }

    /// Something that a response holds until its body has been read or dropped.
    private final class Held: Sendable {
        private let isReleased: Locked<Bool>

        init(_ isReleased: Locked<Bool>) { self.isReleased = isReleased }

        deinit { isReleased.withLock { $0 = true } }
    }

    private struct HoldingReader: BodyReader {
        var held: Held?
        var chunks: ArraySlice<String>
        /// The reader waits for this before the last chunk.
        var gate: Rendezvous?

        nonisolated(nonsending) mutating func read() async throws -> Data? {
            if chunks.count == 1 { try await gate?.wait() }
            guard let chunk = chunks.popFirst() else {
                held = nil
                return nil
            }
            return Data(chunk.utf8)
        }
    }

    /// A failure whose body holds something.
    private func failure(_ chunks: [String], _ isReleased: Locked<Bool>, gate: Rendezvous? = nil) -> any Transport {
        ClosureTransport { _ in
            let held = Held(isReleased)
            return Response(
                .serviceUnavailable,
                body: .once { HoldingReader(held: held, chunks: chunks[...], gate: gate) }
            )
        }
    }

    @Test("A fallback is called after the failed response has released its permit", arguments: [true, false])
    func permit(isAnswered: Bool) async throws {
        let isReleased = Locked(false)
        let fallback = Fallback.perform("mirror") { _, _ in
            #expect(isReleased.withLock { $0 })
            return isAnswered ? Response(.ok, body: "mirror") : nil
        }
        let chain = try Chain(transport: failure(["over", "loaded"], isReleased)) { FallbackMiddleware(fallback) }
        let response = try await chain.send(.get(url))
        #expect(try await response.body.text() == (isAnswered ? "mirror" : "overloaded"))
    }

    @Test(
        "A failed response's body that is long or slow can be read if the fallback has no response",
        arguments: [true, false]
    )
    func openBody(isSlow: Bool) async throws {
        let isReleased = Locked(false)
        let gate = Rendezvous()
        let fallback = Fallback.perform("mirror") { _, _ in
            #expect(!isReleased.withLock { $0 })
            gate.reach()
            return nil
        }
        let chunks = isSlow ? ["over", "loaded"] : Array(repeating: String(repeating: "x", count: 40_000), count: 3)
        let transport = failure(chunks, isReleased, gate: isSlow ? gate : nil)
        let clock = VirtualClock()
        let chain = try Chain(transport: transport, environment: .virtual(clock)) { FallbackMiddleware(fallback) }
        async let call = chain.send(.get(url))
        if isSlow {
            try await clock.waitForDeadline(.seconds(1))
            clock.advance(by: .seconds(1))
        }
        let response = try await call
        #expect(try await response.body.text() == chunks.joined())
        #expect(isReleased.withLock { $0 })
    }

    @Test("A fallback inside a URL builder cannot send requests to a chain with another base")
    func bases() throws {
        func chain(_ outer: URLBuilderMiddleware, _ inner: URLBuilderMiddleware, isOutside: Bool = false) throws {
            let mirror = try Chain(transport: ClosureTransport { _ in Response(.ok) }) { inner }
            let fallback = FallbackMiddleware(.response(Response(.ok)).or(.chain(mirror)))
            _ = try Chain(isOutside ? [fallback, outer] : [outer, fallback], transport: mirror.transport)
        }
        let builder = URLBuilderMiddleware(base: "https://api.example.com/v1")
        let mirror = URLBuilderMiddleware(base: "https://mirror.example.com/v1?key=hunter2")
        let error = #expect(throws: ChainOrderError.self) { try chain(builder, mirror) }
        #expect(error?.problems.map(\.stage) == ["FallbackMiddleware"])
        #expect(error?.reason.contains("https://mirror.example.com/v1") == true)
        #expect(error?.recoverySuggestion == "move FallbackMiddleware above URLBuilderMiddleware")
        try chain(builder, mirror, isOutside: true)
        try chain(builder, builder)
        let custom = URLBuilderMiddleware(base: "https://mirror.example.com") { call in call.reference }
        try chain(builder, custom)
    }

    @Test("What a fallback wrote is seen by a cache outside it, and not by one inside", arguments: [true, false])
    func writesBesideCache(isCacheOutside: Bool) async throws {
        let version = Locked(1)
        let server = ClosureTransport { request in
            if request.method == .put { version.withLock { $0 += 1 } }
            return Response(.ok, headers: [.cacheControl: "max-age=60"], body: HTTPBody("\(version.withLock { $0 })"))
        }
        let cache = CacheMiddleware(store: .memory(limit: .mebibytes(1)), partition: .shared)
        let fallback = FallbackMiddleware(.chain(server)) { request, failure in
            if case .failure(is any RefusalError) = failure { true } else { false }
        }
        let chain = try Chain(transport: server) {
            isCacheOutside ? [cache, fallback] : [fallback, cache]
            ClosureMiddleware { request, next in
                if request.method == .put { throw Refused() }
                return try await next(request)
            }
        }
        #expect(try await chain.send(.get(url)).body.text() == "1")
        #expect(try await chain.send(.put(url, body: "2")).fallback != nil)
        #expect(try await chain.send(.get(url)).body.text() == (isCacheOutside ? "2" : "1"))
    }

    @Test("The last answer is given to the same group alone, and only when it was read to its end and is not too large")
    func lastAnswer() async throws {
        let stage = FallbackMiddleware(.lastAnswer(by: .by("user") { $0.head.headerFields[.from] }, count: 2, upTo: 10))
        let harness = StageHarness(stage)
        func get(_ path: String, _ user: String?) -> Request {
            Request.get("https://api.example.com/\(path)", headers: user.map { [.from: $0] } ?? [:])
        }
        func answer(_ path: String, _ user: String?) async throws -> String? {
            let response = try await harness.send(get(path, user), answering: .status(.badGateway)).response()
            return response.fallback == nil ? nil : try await response.body.text()
        }
        let read = try await harness.send(get("a", "ada"), answering: .ok(.chunks(["12345", "67890"]))).response()
        #expect(try await answer("a", "ada") == nil)
        _ = try await read.body.collect()
        #expect(try await answer("a", "ada") == "1234567890")
        #expect(try await answer("a", "bob") == nil)
        #expect(try await answer("a", nil) == nil)
        #expect(try await answer("b", "ada") == nil)
        let large = try await harness.send(get("b", "ada"), answering: .ok(.chunks(["12345", "678901"]))).response()
        _ = try await large.body.collect()
        #expect(try await answer("b", "ada") == nil)
        _ = try await harness.send(get("c", "ada"), answering: .ok("short")).response()
        #expect(try await answer("c", "ada") == "short")
        _ = try await harness.send(get("d", "ada"), answering: .ok("more")).response()
        #expect(try await answer("a", "ada") == nil)
        #expect(try await answer("d", "ada") == "more")
    }

    @Test("A last answer does not say how caches handled the earlier call, and is received for none")
    func sourceOfLastAnswer() async throws {
        let harness = StageHarness(FallbackMiddleware(.lastAnswer(by: .all)))
        let fields: HTTPFields = [HTTPField.Name("Cache-Status")!: "cdn; hit", .eTag: "\"1\""]
        _ = await harness.send(.get(url), answering: .perform { _ in Response(.ok, headers: fields, body: "x") })
        let response = try await harness.send(.get(url), answering: .status(.badGateway)).response()
        #expect(response.fallback != nil)
        #expect(response.headers == [.eTag: "\"1\""])
        #expect(response.receivedHead == nil)
    }

    @Test("A cache outside does not store a last answer, which may be old")
    func lastAnswerInsideCache() async throws {
        let isDown = Locked(false)
        let calls = Locked(0)
        let server = ClosureTransport { _ in
            calls.withLock { $0 += 1 }
            if isDown.withLock({ $0 }) { return Response(.serviceUnavailable) }
            return Response(.ok, headers: [.cacheControl: "max-age=60"], body: "x")
        }
        let cache = CacheMiddleware(store: .memory(limit: .mebibytes(1)), partition: .shared)
        let chain = try Chain([cache, FallbackMiddleware(.lastAnswer(by: .all))], transport: server)
        _ = try await chain.send(.get(url)).body.collect()
        isDown.withLock { $0 = true }
        for _ in 0..<2 {
            let response = try await chain.send(.get(url, headers: [.cacheControl: "no-cache"]))
            #expect(response.fallback != nil)
            #expect(response.cacheStatus?.isStored == false)
        }
        #expect(calls.withLock { $0 } == 3)
    }

    /// A chain over a server that returns what it was asked for, until it fails.
    static func chain(
        failing isDown: Locked<Bool>,
        by group: RequestGroup = .all,
        @ChainBuilder outside: () -> [any Middleware] = { [] },
        @ChainBuilder inside: () -> [any Middleware] = { [] }
    ) throws -> Chain {
        let server = ClosureTransport { request in
            if isDown.withLock({ $0 }) { return Response(.serviceUnavailable) }
            let wanted = request.headers.filter { $0.name != .userAgent }.map { "\($0.name): \($0.value)" }
            return Response(.ok, body: HTTPBody(([request.url] + wanted.sorted()).joined(separator: "\n")))
        }
        return try Chain(transport: server) {
            outside()
            FallbackMiddleware(.lastAnswer(by: group))
            inside()
        }
    }

    static let calls: [(name: String, one: Request, other: Request, isSame: Bool)] = [
        ("one call twice", .get("users/{id}", path: ["id": 1]), .get("users/{id}", path: ["id": 1]), true),
        ("path variables", .get("users/{id}", path: ["id": 1]), .get("users/{id}", path: ["id": 2]), false),
        ("positions", .get("users/%%0%%", path: [1]), .get("users/%%0%%", path: [2]), false),
        ("colons", .get("users/:id", path: ["id": "a"]), .get("users/:id", path: ["id": "b"]), false),
        ("query arguments", .get("users", query: ["page": 1]), .get("users", query: ["page": 2]), false),
        ("with and without query", .get("users"), .get("users", query: ["page": 2]), false),
        ("raw queries", .get("users", query: .raw("a=1")), .get("users", query: .raw("a=2")), false),
        ("encoded values", .get("a", query: .encoding(["p": 1])), .get("a", query: .encoding(["p": 2])), false),
        (
            "an absolute URL with query arguments", .get("\(url)", query: ["page": 1]),
            .get("\(url)", query: ["page": 2]),
            false
        ),
        (
            "a host that is a variable", .get("https://{t}.example.com/", path: ["t": "a"]),
            .get("https://{t}.example.com/", path: ["t": "b"]), false
        ),
        (
            "canonically equal values", .get("u/{id}", path: ["id": "\u{e9}"]),
            .get("u/{id}", path: ["id": "e\u{301}"]),
            false
        ),
        (
            "Accept", .get("users", headers: [.accept: "application/json"]),
            .get("users", headers: [.accept: "text/csv"]),
            false
        ),
        ("Accept-Language", .get("users", headers: [.acceptLanguage: "de"]), .get("users"), false),
        ("Range", .get("users", headers: [.range: "bytes=0-1"]), .get("users"), false),
        (
            "Authorization", .get("users", headers: [.authorization: "a"]),
            .get("users", headers: [.authorization: "b"]),
            false
        ),
        ("If-None-Match", .get("users"), .get("users", headers: [.ifNoneMatch: "\"1\""]), true),
        ("Cache-Control", .get("users"), .get("users", headers: [.cacheControl: "no-cache"]), true),
        ("the body", Request(.get, "users", body: "a"), Request(.get, "users", body: "b"), false),
        ("the same body", Request(.get, "users", body: "a"), Request(.get, "users", body: "a"), true),
        ("a body and none", Request(.get, "users", body: "a"), .get("users"), false),
    ]

    @Test(
        "The last answer is that of the same complete request, inside the URL builder and outside",
        arguments: 0..<calls.count,
        [true, false]
    )
    func sameRequest(index: Int, isOutside: Bool) async throws {
        let call = Self.calls[index]
        let isDown = Locked(false)
        let builder = URLBuilderMiddleware(base: "https://api.example.com/v2")
        let chain = try Self.chain(failing: isDown) {
            if !isOutside { builder }
        } inside: {
            if isOutside { builder }
        }
        let first = try await chain.send(call.one).body.text()
        isDown.withLock { $0 = true }
        let second = try await chain.send(call.other)
        if call.isSame {
            #expect(try await second.body.text() == first, "\(call.name)")
        } else {
            #expect(second.status == .serviceUnavailable && second.fallback == nil, "\(call.name)")
        }
    }

    @Test("If another user logs in during a call, its response is not remembered, and no stored one is given to it")
    func switchedUser() async throws {
        let (user, next, isDown) = (Locked("ada"), Locked<String?>(nil), Locked(false))
        let server = ClosureTransport { _ in
            let sender = user.withLock { $0 }
            if let other = next.withLock({ $0 }) { user.withLock { $0 = other } }
            if isDown.withLock({ $0 }) { return Response(.serviceUnavailable) }
            return Response(.ok, body: HTTPBody("data of \(sender)"))
        }
        let chain = try Chain(transport: server) {
            FallbackMiddleware(.lastAnswer(by: .by("user") { _ in user.withLock { $0 } }))
        }
        next.withLock { $0 = "bob" }
        #expect(try await chain.send(.get(url)).body.text() == "data of ada")
        isDown.withLock { $0 = true }
        #expect(try await chain.send(.get(url)).fallback == nil)
        isDown.withLock { $0 = false }
        #expect(try await chain.send(.get(url)).body.text() == "data of bob")
        isDown.withLock { $0 = true }
        #expect(try await chain.send(.get(url)).body.text() == "data of bob")
        user.withLock { $0 = "ada" }
        #expect(try await chain.send(.get(url)).fallback == nil)
    }

    private enum Session: RequestOption {
        static var defaultValue: String? { nil }
        static var isCredential: Bool { true }
    }

    @Test(
        "Credentials in an option are separated by a group with a closure, and have no last response in another group"
    )
    func optionCredentials() async throws {
        func call(_ session: String?) -> Request {
            var request = Request.get(url)
            request.options[Session.self] = session
            return request
        }
        for (group, isShared) in [
            (RequestGroup.origin, false), (.all, false), (.by("session") { $0.options[Session.self] }, true),
        ] {
            let harness = StageHarness(FallbackMiddleware(.lastAnswer(by: group)))
            _ = try await harness.send(call("ada"), answering: .ok("data of ada")).response()
            let own = try await harness.send(call("ada"), answering: .status(.badGateway)).response()
            #expect((own.fallback != nil) == isShared)
            let other = try await harness.send(call("bob"), answering: .status(.badGateway)).response()
            #expect(other.fallback == nil)
        }
    }

    @Test("Each of several memories remembers: one of the user, else one of anybody")
    func severalMemories() async throws {
        let user = RequestGroup.by("user") { $0.head.headerFields[.from] }
        let fallback = Fallback.lastAnswer(by: user, count: 1).or(.lastAnswer(by: .all, count: 10))
        let harness = StageHarness(FallbackMiddleware(fallback))
        for path in ["a", "b"] {
            let request = Request.get("https://a.example/\(path)", headers: [.from: "ada"])
            _ = try await harness.send(request, answering: .ok(HTTPBody(path))).response()
        }
        for path in ["a", "b"] {
            let request = Request.get("https://a.example/\(path)", headers: [.from: "ada"])
            let answer = try await harness.send(request, answering: .status(.badGateway)).response()
            #expect(try await answer.body.text() == path)
        }
    }

    @Test("Without a URL builder that was reached, the values for it are part of the request")
    func valuesForBuilder() async throws {
        let harness = StageHarness(FallbackMiddleware(.lastAnswer(by: .all)))
        let calls: [Request] = [
            .get("users/{id}", path: ["id": 1]), .get("users/{id}", path: ["id": 2]), .get("users/{id}"),
            .get("users", query: ["id": 1]), .get("users", query: ["id": 2]), .get("users", query: ["id": "2"]),
            .get("users", query: .raw("id=1")), .get("users", query: .encoding(["id": 1])),
            .get("users", query: .encoding(["id": 2])), .get("users").url(reserved: ["region": "eu"]),
            .get("users").url(reserved: ["region": "us"]), .get("users"),
        ]
        for (number, call) in calls.enumerated() {
            let answer = try await harness.send(call, answering: .status(.badGateway)).response()
            #expect(answer.fallback == nil, "\(number)")
            _ = try await harness.send(call, answering: .ok(HTTPBody("\(number)"))).response()
        }
        for (number, call) in calls.enumerated() {
            let answer = try await harness.send(call, answering: .status(.badGateway)).response()
            #expect(try await answer.body.text() == "\(number)")
        }
    }

    @Test("A builder of one's own that chooses another server for the same reference gets no answer of the first one")
    func customBuilder() async throws {
        let (isDown, region) = (Locked(false), Locked("eu"))
        let chain = try Self.chain(failing: isDown, by: .origin) {
        } inside: {
            URLBuilderMiddleware(base: nil) { call in
                try call.standardURL(base: "https://\(region.withLock { $0 }).example.com")
            }
        }
        let european = try await chain.send(.get("users")).body.text()
        isDown.withLock { $0 = true }
        #expect(try await chain.send(.get("users")).body.text() == european)
        region.withLock { $0 = "us" }
        #expect(try await chain.send(.get("users")).status == .serviceUnavailable)
    }

    @Test("Fallbacks keep the rules of every stage", arguments: StageConformance.Check.allCases)
    func conforms(check: StageConformance.Check) async throws {
        let canned = Fallback.response(Response(.ok))
        try await StageConformance(recoversFromErrors: true) {
            FallbackMiddleware(canned) { _, _ in false }
        }.verify(check)
    }
}
#endif
