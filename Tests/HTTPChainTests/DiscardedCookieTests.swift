import Foundation
import HTTPChain
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainResumableUpload
import HTTPChainSigning
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

@Suite("Cookies of responses that the cookie stage does not see", .timeLimit(.minutes(10)))
struct DiscardedCookieTests {
    private let url = "https://a.example/files"

    /// The requests' cookies, in order.
    private func sent(_ transport: InMemoryTransport) -> [String] {
        transport.requests.map { $0.headers[values: .cookie].joined(separator: "; ") }
    }

    private func kept(_ jar: CookieJar) async -> [String] {
        await jar.cookies(at: VirtualClock().date).map { "\($0.name)=\($0.value.revealed)" }.sorted()
    }

    private func chain(
        _ transport: InMemoryTransport,
        _ jar: CookieJar,
        clock: VirtualClock = VirtualClock(isAutomatic: true),
        use: CookieUse = .on,
        _ stages: any Middleware...
    ) async throws -> Chain {
        try await jar.set([Cookie("route", "old", domain: "a.example")], at: clock.date)
        return try Chain([CookieMiddleware(jar, use: use)] + stages, transport: transport, environment: .virtual(clock))
    }

    @Test("The parts of an upload are sent with the cookies of the responses before them")
    func upload() async throws {
        let transport = InMemoryTransport()
        let offset = HTTPField.Name(constant: "Upload-Offset")
        transport.on(.post, "/files") { _ in
            var headers: HTTPFields = [.tusResumable: "1.0.0", .location: "/files/1"]
            headers[values: .setCookie] = ["route=node7", "upload=1; Path=/files/1"]
            return Response(.created, headers: headers)
        }
        transport.on(.patch, "/files/1") { request in
            let start = request.headers[offset].flatMap { Int($0) } ?? 0
            return Response(
                .noContent,
                headers: [.tusResumable: "1.0.0", offset: "\(start + 5)", .setCookie: "part\(start)=1; Path=/"]
            )
        }
        let jar = CookieJar()
        let options = ResumableUploadOptions(partSize: 5)
        let chain = try await chain(transport, jar, ResumableUploadMiddleware(.tus, options: options))
        let response = try await chain.send(.post(url, body: "0123456789").resumableUpload())
        #expect(response.upload?.isComplete == true)
        #expect(sent(transport) == ["route=old", "upload=1; route=node7", "upload=1; route=node7; part0=1"])
        #expect(await kept(jar) == ["part0=1", "part5=1", "route=node7", "upload=1"])
    }

    @Test("A call's own cookies are not sent with an upload's parts to another origin")
    func foreignUpload() async throws {
        let transport = InMemoryTransport()
        let offset = HTTPField.Name(constant: "Upload-Offset")
        transport.on(.post, "https://a.example/files") { _ in
            Response(
                .created,
                headers: [.tusResumable: "1.0.0", .location: "https://b.example/1", .setCookie: "route=node7"]
            )
        }
        transport.on(.patch, "https://b.example/1") { _ in
            Response(.noContent, headers: [.tusResumable: "1.0.0", offset: "10"])
        }
        var options = ResumableUploadOptions()
        options.otherOrigins = Set([Origin("https://b.example")].compactMap { $0 })
        let chain = try await chain(transport, CookieJar(), ResumableUploadMiddleware(.tus, options: options))
        _ = try await chain.send(.post(url, body: "0123456789").cookies(["own": "x"]).resumableUpload())
        #expect(sent(transport) == ["own=x; route=old", ""])
    }

    @Test("The rest of a download is requested with the cookies of the responses before it")
    func download() async throws {
        let transport = InMemoryTransport()
        let broken = HTTPBody.once(
            length: 10,
            chunks: AsyncThrowingStream<Data, any Error> { stream in
                stream.yield(Data("01234".utf8))
                stream.finish(throwing: TransportError(.connectionLost, sent: .answered))
            }
        )
        let replies = Locked([
            Response(
                .partialContent,
                headers: [.eTag: "\"v\"", .contentRange: "bytes 5-9/10", .setCookie: "last=1"],
                body: "56789"
            ),
            Response(.serviceUnavailable, headers: [.setCookie: "route=node8"]),
            Response(.ok, headers: [.eTag: "\"v\"", .setCookie: "route=node7"], body: broken),
        ])
        transport.on(.get, "/files") { _ in replies.withLock { $0.popLast() } ?? Response(.notFound) }
        let jar = CookieJar()
        let chain = try await chain(transport, jar, RetryMiddleware())
        #expect(try await chain.send(.get(url)).body.text() == "0123456789")
        #expect(sent(transport) == ["route=old", "route=node7", "route=node8"])
        #expect(await kept(jar) == ["last=1", "route=node8"])
    }

    @Test("A request that is repeated in another session is sent with the cookies of the response that ended the first")
    func session() async throws {
        let transport = InMemoryTransport()
        transport.enqueue(.init(.unauthorized, headers: [.setCookie: "route=node7"]))
        transport.enqueue(.text("in"))
        let jar = CookieJar()
        let chain = try await chain(transport, jar, SessionAuthMiddleware(NumberedLogin(), for: "https://a.example"))
        #expect(try await chain.send(.get(url)).body.text() == "in")
        #expect(sent(transport) == ["route=old", "route=node7"])
        #expect(await kept(jar) == ["route=node7"])
    }

    @Test("A request that is signed again is signed with the cookies of the response that asked for it")
    func signature() async throws {
        let transport = InMemoryTransport()
        transport.enqueue(.init(.unauthorized, headers: [.setCookie: "route=node7"]))
        transport.enqueue(.text("in"))
        let jar = CookieJar()
        let chain = try await chain(transport, jar, SigningMiddleware(CookieSigner(), for: "https://a.example"))
        #expect(try await chain.send(.get(url)).body.text() == "in")
        #expect(sent(transport) == ["route=old", "route=node7"])
        #expect(transport.requests.map { $0.headers[.authorization] } == ["Signed route=old", "Signed route=node7"])
        #expect(await kept(jar) == ["route=node7"])
    }

    @Test("A hedge is sent with the cookies of an attempt that failed before it")
    func hedge() async throws {
        let transport = InMemoryTransport()
        transport.enqueue(.init(.serviceUnavailable, headers: [.setCookie: "route=node7"]))
        transport.enqueue(.text("in"))
        let jar = CookieJar()
        let hedging = HedgingMiddleware(HedgingPolicy(after: .fixed(.milliseconds(10))))
        // The failure alone leads to the hedge: this clock stands still.
        let chain = try await chain(transport, jar, clock: VirtualClock(), hedging)
        #expect(try await chain.send(.get(url)).body.text() == "in")
        #expect(sent(transport) == ["route=old", "route=node7"])
        #expect(await kept(jar) == ["route=node7"])
    }

    @Test("The cookies of a failure that a fallback replaces are stored")
    func fallback() async throws {
        let transport = InMemoryTransport()
        transport.enqueue(.init(.serviceUnavailable, headers: [.setCookie: "route=node7"]))
        let jar = CookieJar()
        let chain = try await chain(transport, jar, FallbackMiddleware(.response(Response(.ok, body: "canned"))))
        #expect(try await chain.send(.get(url)).body.text() == "canned")
        #expect(await kept(jar) == ["route=node7"])
    }

    @Test("A request whose validation was of no use is repeated with the cookies of the 304, and stored for them")
    func validation() async throws {
        let transport = InMemoryTransport()
        let fields: HTTPFields = [.cacheControl: "max-age=60", .vary: "Cookie"]
        transport.enqueue(
            .init(.ok, headers: [.cacheControl: "max-age=1", .vary: "Cookie", .eTag: "\"1\""], body: "one")
        )
        transport.enqueue(.init(.notModified, headers: [.eTag: "\"2\"", .setCookie: "route=node7"]))
        transport.enqueue(.init(.ok, headers: fields, body: "two"))
        let jar = CookieJar()
        let clock = VirtualClock(isAutomatic: true)
        let cache = CacheMiddleware(store: .memory(limit: .megabytes(1)), partition: .by { _ in "ada" })
        let chain = try await chain(transport, jar, clock: clock, cache)
        #expect(try await chain.send(.get(url)).body.text() == "one")
        clock.advance(by: .seconds(5))
        #expect(try await chain.send(.get(url)).body.text() == "two")
        #expect(sent(transport) == ["route=old", "route=old", "route=node7"])
        #expect(await kept(jar) == ["route=node7"])
        #expect(try await chain.send(.get(url)).body.text() == "two")
        #expect(transport.requests.count == 3)
    }

    @Test(
        "A redirect inside the cookie stage is followed with its cookies, and the call's own stay with the first origin"
    )
    func redirect() async throws {
        let transport = InMemoryTransport()
        transport.enqueue(.init(.found, headers: [.location: "/next", .setCookie: "route=node7; Path=/"]))
        transport.enqueue(.init(.found, headers: [.location: "https://b.example/", .setCookie: "hop=2; Path=/"]))
        transport.enqueue(.text("in"))
        let jar = CookieJar()
        try await jar.set([Cookie("route", "old", domain: "a.example")])
        let inner = try Chain(transport: transport) { RedirectMiddleware() }
        let chain = try Chain(transport: inner) { CookieMiddleware(jar) }
        _ = try await chain.send(.get(url).cookies(["own": "x"]))
        #expect(sent(transport) == ["own=x; route=old", "own=x; route=node7", ""])
        #expect(await jar.cookies().map(\.name).sorted() == ["hop", "route"])
    }

    @Test("A call that sends no cookies is not repeated with those that are stored")
    func storesOnly() async throws {
        let transport = InMemoryTransport()
        transport.enqueue(.init(.serviceUnavailable, headers: [.setCookie: "route=node7"]))
        transport.enqueue(.text("in"))
        let jar = CookieJar()
        let chain = try await chain(transport, jar, use: CookieUse(sends: false), RetryMiddleware())
        _ = try await chain.send(.get(url))
        #expect(sent(transport) == ["", ""])
        #expect(await kept(jar) == ["route=node7"])
    }
}

/// Opens numbered sessions, each of which ends with a 401.
private struct NumberedLogin: SessionAuthenticator {
    func authenticate(replacing old: Int?, in context: RefreshContext) async throws -> Int { (old ?? 0) + 1 }

    func isSessionOpen(_ session: Int, at date: Date) -> Bool { true }

    func decorate(_ request: inout Request, with session: Int) async throws {
        request.headers[.authorization] = "Session \(session)"
    }

    func check(_ response: inout Response, in session: Int) async throws -> SessionStatus {
        response.status == .unauthorized ? .closed : .open
    }
}

/// Signs the cookies, and again after a 401.
private struct CookieSigner: SignatureScheme {
    let schemeSummary = "with cookies"
    let settings: [StageSummary.Setting] = []
    let looksAtResponses = true

    func addSignature(to request: inout Request, for origin: Origin) async throws {
        request.headers[.authorization] = "Signed \(request.headers[.cookie] ?? "")"
    }

    func wantsToSignAgain(after response: Response, from origin: Origin) -> Bool { response.status == .unauthorized }
}
