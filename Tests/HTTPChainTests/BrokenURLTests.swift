import Foundation
import HTTPChain
import HTTPChainCore
import HTTPChainHAR
import HTTPChainInMemory
import HTTPChainOAuth
import HTTPChainPagination
import HTTPChainRoutes
import HTTPChainSupport
import HTTPChainTesting
import HTTPTypes
import Logging
import TestSupport
import Testing

/// A password in a URL that cannot be used is still a password.
@Suite("Broken URLs with user information", .timeLimit(.minutes(10)))
struct BrokenURLTests {
    private static let count = Drill.isFull ? 20_000 : 500

    @Test("No error, however it is shown, and no log has the password", .seeded)
    func passwordStaysHidden() async throws {
        let generator = BrokenURLs(Seed.numbers())
        var provoked: [String: Int] = [:]
        for _ in 0..<Self.count {
            let (url, password) = generator.next()
            for (way, error) in await Provocations.errors(about: url) {
                provoked["\(type(of: error))", default: 0] += 1
                for text in Self.texts(of: error) where text.contains(password) {
                    Issue.record("\(way) with \(url.debugDescription) shows the password: \(text)")
                }
            }
            for text in await Provocations.logged(url) where text.contains(password) {
                Issue.record("the log of \(url.debugDescription) shows the password: \(text)")
            }
        }
        for type in [
            "InvalidRequestError", "URLBuilderError", "ChainOrderError", "HeadersError", "RedirectError", "StatusError",
            "TransportError", "TimeoutError", "UnmatchedRequestError", "UnmatchedReplayError", "PaginationError",
            "SignInError", "RouteTableError", "ServiceError<ProblemDetails>",
        ] {
            #expect(provoked[type, default: 0] > 0, "no \(type) was provoked")
        }
        Drill.report("broken-urls", Self.count)
        Drill.report("broken-url-errors", provoked.values.reduce(0, +))
    }

    @Test("The generator finds an error that quotes what it was given", .seeded)
    func plantedFault() {
        struct Careless: HTTPChainError {
            let url: String
            var stage: String { "Careless" }
            // The fault: only an authority that can be read is redacted.
            var reason: String {
                let host = Origin(url)?.host
                return "\(host ?? url) cannot be used"
            }
        }
        let generator = BrokenURLs(Seed.numbers())
        let found = (0..<Self.count).filter { _ in
            let (url, password) = generator.next()
            return Self.texts(of: Careless(url: url)).contains { $0.contains(password) }
        }
        #expect(found.count > Self.count / 10)
    }

    @Test(
        "A password is redacted wherever a person sees one",
        arguments: [
            "https://bob:hunter2@a.example:99999/", "http://bob:hunter2@/", "https://bob:hunter2@my host/",
            "https://bob:hun/ter2@a.example/", "https://bob:hun?ter2@a.example/", "https://bob:hunter2",
            "https:bob:hunter2@a.example", "https:/bob:hunter2@a.example", "http:///bob:hunter2@a.example",
            "https:\\\\bob:hunter2@a.example", "bob:hunter2@a.example", "//bob:hunter2@[fe80::1%25eth0]",
            " HTTPS://bob:hunter2@a.example", "redis:/bob:hunter2@a.example", "bob:hun/ter2@a.example/",
        ]
    )
    func redacted(url: String) {
        let shown = Redaction.standard.url(url)
        #expect(!shown.contains("ter2"), "\(shown)")
    }

    @Test(
        "A reference without user information is shown unchanged",
        arguments: [
            "users/@me", "@scope/package@1.2", "packages/react@18", "https://a.example:8080/@me?mail=a@b.example",
            "https://[::1]:80/a@b", "https://a.example:{port}/a", "/v1/users:search?mail=bob@b.example",
            "users:search?mail=bob@b.example", "https://a.example", "/:id/@me", "urn:isbn:1", "a/b:c@d",
        ]
    )
    func unchanged(url: String) {
        #expect(Redaction.standard.url(url) == url)
    }

    private static func texts(of error: any HTTPChainError) -> [String] {
        var dumped = ""
        dump(error, to: &dumped)
        var texts = [
            "\(error)", String(reflecting: error), dumped, error.reason, error.recoverySuggestion ?? "",
            error.localizedDescription,
        ]
        if let exchange = error.exchange {
            var dumped = ""
            dump(exchange, to: &dumped)
            texts += ["\(exchange)", String(reflecting: exchange), exchange.url, dumped]
        }
        return texts
    }
}

/// URLs with a password in them, most of them with something that no URL may have.
private struct BrokenURLs {
    private let numbers: SeededRandom

    init(_ numbers: SeededRandom) { self.numbers = numbers }

    func next() -> (url: String, password: String) {
        let start = pick([
            "https://", "http://", "https://", "//", "https:/", "https:", "http:///", "https:\\\\", "HTTPS://",
            " https://",
            "ht tp://", "://", "wss://", "redis://", "https:/\\",
        ])
        let separator = pick([
            "", "", "", "/", "?", "#", "@", ":", " ", "\\", "%", "%40", "[", "]", "{", "}", "é", "\t", "\u{301}",
            "\u{200D}",
            "&", "\"", "<", "\n",
        ])
        let password = "s3cr" + (0..<6).map { _ in pick(["k", "q", "v", "x", "z"]) }.joined()
        let secret = pick([password + separator, separator + password, "a\(separator)\(password)\(separator)b"])
        let host = pick([
            "a.example", "a.example:99999", "my host", "", "[::1", "[fe80::1%25eth0]", "a.example:port", "a..b",
            "bücher.example", "-", "%zz", "☃.example:x", "a.example:443", "{host}.example",
        ])
        let path = pick(["", "/", "/x?y=1", "/{id}", "/../../x", "/%4", "/a b", "?q", "#f"])
        return ("\(start)\(pick(["bob", "b%6Fb", "bob@corp"])):\(secret)@\(host)\(path)", password)
    }

    private func pick(_ texts: [String]) -> String { texts[numbers.index(below: texts.count)] }
}

/// The ways to make each kind of error talk about a URL.
private enum Provocations {
    private static let base = "https://home.example/v1"

    static func errors(about url: String) async -> [(way: String, error: any HTTPChainError)] {
        var errors: [(way: String, error: any HTTPChainError)] = []
        func note(_ way: String, _ body: () async throws -> Void) async {
            do {
                try await body()
            } catch let error as any HTTPChainError {
                errors.append((way, error))
            } catch {
                Issue.record("\(way) threw \(type(of: error))")
            }
        }
        let checking = InMemoryTransport()
        checking.on(.get, "/nowhere/else") { _ in Response(.ok) }
        let request = Request.get(url)
        await note("a transport") { _ = try await checking.send(request) }
        await note("a transport, of a head") {
            let parts = HTTPRequest(method: .get, scheme: "https", authority: url, path: "/")
            _ = try await checking.send(Request(head: parts))
        }
        await note("the URL builder") {
            _ = try await Chain(transport: checking) { URLBuilderMiddleware(base: base) }.send(request)
        }
        await note("a URL builder without a chain") { _ = try URLBuilder(base: base).url(url) }
        await note("a URL builder without a base") { _ = try URLBuilder(base: nil).url(url) }
        await note("a base") { _ = try URLBuilder(base: url) }
        await note("a chain with a base") { _ = try Chain(transport: checking) { URLBuilderMiddleware(base: url) } }
        await note("a bound field") {
            let headers = HeadersMiddleware([.set(.userAgent, to: "x").only(to: url)])
            _ = try await Chain(transport: ClosureTransport()) { headers }.send(.get(base))
        }
        await note("a field for another origin") {
            let headers = HeadersMiddleware([.set(.userAgent, to: "x").only(to: base)])
            _ = try await Chain(transport: ClosureTransport()) { headers }.send(request)
        }
        await note("an origin of credentials") {
            _ = try Chain(transport: checking) {
                BasicAuthMiddleware(user: "a", password: "b", for: OriginSet(urls: [url]))
            }
        }
        await note("a redirect") {
            let redirect = Response(.found, headers: [.location: url])
            let policy = RedirectPolicy("none") { _ in .refuse(.refused("not wanted")) }
            _ = try await Chain(transport: ClosureTransport(answering: redirect)) { RedirectMiddleware(policy) }
                .send(.get(base))
        }
        await note("a status") {
            _ = try await Chain(transport: ClosureTransport(answering: Response(.notFound))) {
                StatusValidationMiddleware()
            }.send(request)
        }
        await note("a typed error") {
            let problem = Response(
                .notFound,
                headers: [.contentType: "application/problem+json"],
                body: #"{"title":"Nothing there"}"#
            )
            _ = try await Chain(transport: ClosureTransport(answering: problem)) {
                ErrorHandlerMiddleware(.problemDetails)
                StatusValidationMiddleware()
            }.send(request)
        }
        let exchange = ExchangeSnapshot(request.head)
        await note("a broken connection") {
            throw TransportError(.connectionLost, sent: .maybe, stage: "test", exchange: exchange)
        }
        await note("a time limit") {
            var late = request.timeout(.seconds(1))
            late.environment = .virtual(.automatic())
            let transport = ClosureTransport.delayed(by: .seconds(5))
            _ = try await Chain(transport: transport) { TimeoutMiddleware(nil) }.send(late)
        }
        await note("an archive") { _ = try await ReplayTransport(HARArchive()).send(request) }
        await note("a list of pages") {
            let pages = PageSequence(by: PaginationStyle<String>.nextURL { _ in url }) { change in
                let request = change(Request.get(base))
                var response = Response(.ok)
                response.request = request.head
                return DecodedResponse("", response: response)
            }
            // A relative reference leads to a longer URL each time.
            for try await _ in pages.prefix(3) {}
        }
        await note("a sign-in") { throw SignInError(.insecureEndpoint(url)) }
        await note("a table of routes") { _ = try RouteTable([], base: ServiceAddress(host: url, path: url)) }
        return errors
    }

    /// What a log has of a call to a URL.
    static func logged(_ url: String) async -> [String] {
        let sink = Sink()
        let transport = InMemoryTransport()
        for inner in [URLBuilderMiddleware(base: base), nil] {
            let chain = try? Chain(transport: transport) {
                RemoteLoggingMiddleware(sink, detail: .bodies)
                inner
            }
            _ = try? await chain?.send(.get(url))
        }
        return sink.texts
    }

    private struct Sink: LogSink {
        private let records = Locked<[String]>([])

        var texts: [String] { records.withLock { $0 } }

        func isEnabled(_ level: Logger.Level, for component: String) -> Bool { true }

        func log(_ record: consuming LogRecord) {
            let text = "\(record)"
            records.withLock { $0.append(text) }
        }
    }
}
