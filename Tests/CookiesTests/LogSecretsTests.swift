#if AllTests
import Foundation
import HTTPChainCookies
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainRemoteLogging
import HTTPTypes
import Logging
import Testing

@Suite("The value of a cookie", .timeLimit(.minutes(10)))
struct LogSecretsTests {
    /// A call, and the names of cookies that must reach the server with it.
    struct Exchange: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var request: @Sendable () -> Request
        var sends: [String]
    }

    private static let url = "https://www.example.com/"

    private static let exchanges = [
        Exchange(testDescription: "a response with cookies", request: { .get(url + "login") }, sends: []),
        Exchange(testDescription: "a request with the jar's", request: { .get(url) }, sends: ["sid", "lang"]),
        Exchange(
            testDescription: "a request with its own",
            request: { .get(url).cookies(["own": "hunter2-own", "sid": "hunter2-call"]) },
            sends: ["own", "sid", "lang"]
        ),
        Exchange(
            testDescription: "a request with a field",
            request: { .get(url, headers: [.cookie: "field=hunter2-field; sid=hunter2-sid"]) },
            sends: ["field", "sid"]
        ),
        Exchange(testDescription: "a lost connection", request: { .get(url + "lost") }, sends: ["sid", "lang"]),
    ]

    @Test(
        "The value of a cookie is in no record of a stage that logs, outside or inside, in no trace and in no error",
        arguments: exchanges,
        [LoggedFields.standard, .standard.adding("Cookie", "Set-Cookie")]
    )
    func logs(exchange: Exchange, shown: LoggedFields) async throws {
        let sent = Locked<[String]>([])
        let transport = InMemoryTransport(
            capabilities: .inMemory,
            handler: { request in
                let pairs = request.headers[values: .cookie].flatMap { $0.components(separatedBy: "; ") }
                sent.withLock { $0 += pairs }
                if request.head.path == "/lost" {
                    throw TransportError(
                        .connectionLost,
                        sent: .maybe,
                        stage: "test",
                        exchange: ExchangeSnapshot(request.head)
                    )
                }
                var response = Response(.ok, headers: [.contentType: "text/plain"], body: "welcome")
                for field in [
                    "new=hunter2-new; Path=/; HttpOnly", "sid=hunter2-again; Max-Age=60", "sid=hunter2-gone; Max-Age=0",
                    "public=hunter2-public; Domain=com", "=hunter2-nameless; SameSite=None", "hunter2-bare; Domain=com",
                ] {
                    response.head.headerFields.append(HTTPField(name: .setCookie, value: field))
                }
                response.request = request.head
                return response
            }
        )
        var limits = CookieLimits()
        limits.perDomain = 3
        let jar = CookieJar(limits: limits)
        try await jar.store(
            ["sid=hunter2-sid", "lang=hunter2-lang", "other=hunter2-other; Path=/other"],
            from: Self.url
        )
        if exchange.sends.isEmpty { try await jar.endSession() }
        let sink = RecordKeeper()
        let stages: [any Middleware] = [
            RemoteLoggingMiddleware(sink, detail: .bodies, showing: shown), CookieMiddleware(jar),
            RemoteLoggingMiddleware(sink, each: .attempt, detail: .bodies, showing: shown),
        ]
        let call = try await Chain(stages, transport: transport).trace(exchange.request())
        var texts = ["\(call.trace)", call.trace.html(), "\(await jar.explain(Self.url))"]
        do {
            let response = try call.response
            _ = try await response.body.collect()
            texts += ["\(response)", "\(response.cookieOutcomes)"]
        } catch {
            texts += ["\(error)", String(reflecting: error)]
        }
        // Otherwise nothing was there to be shown.
        #expect(sent.withLock { $0.map { $0.prefix { $0 != "=" } } } == exchange.sends.map { $0[...] })
        #expect(sink.records.count == 2)
        texts += sink.records.map { record in
            "\(record.component) \(record.message) \(record.attributes.map { "\($0.name)=\($0.value)" })"
        }
        for text in texts { #expect(!text.contains("hunter2"), "\(text)") }
    }
}

/// Keeps the records it is given.
private final class RecordKeeper: LogSink {
    private let kept = Locked<[LogRecord]>([])

    var records: [LogRecord] { kept.withLock { $0 } }

    func isEnabled(_ level: Logger.Level, for component: String) -> Bool { true }

    func log(_ record: consuming LogRecord) {
        let record = record
        kept.withLock { $0.append(record) }
    }
}
#endif
