#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainLogShipper
import HTTPChainLogSpool
import HTTPChainRemoteLogging
import HTTPChainTesting
import HTTPTypes
import Logging
import TestSupport
import Testing

/// An error of the application's own, which says what it likes.
private struct Told: Error, CustomStringConvertible {
    let description: String
}

/// A stage that says what it likes of its settings.
private struct Talkative: Middleware {
    let text: String
    var summary: StageSummary { StageSummary("Talkative", settings: ["says": text]) }

    func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        request.head.headerFields[.userAgent] = text
        return try await next(request)
    }
}

@Suite("Secrets of every shape, in every sink", .timeLimit(.minutes(10)))
struct SecretShapeTests {
    private static let shapes = Drill.isFull ? SecretShapes.all : SecretShapes.sample
    /// As many at once as make a run short and a failure readable.
    private static let groups = stride(from: 0, to: shapes.count, by: 100).map { $0..<min($0 + 100, shapes.count) }

    private func check(_ text: String, _ shape: SecretShape, _ sink: String) {
        // What an escape has made of a quote is no part of the secret.
        #expect(!text.contains(shape.secret), "\(sink), \(shape): \(text)")
    }

    @Test("There are thousands of shapes, each with a secret of its own")
    func count() {
        let all = SecretShapes.all
        #expect(all.count > 2000)
        #expect(Set(all.map(\.secret)).count == all.count)
        #expect(all.allSatisfy { $0.text.contains($0.secret) })
    }

    @Test("No secret is in an error, its preview, or its cause", arguments: groups)
    func errors(group: Range<Int>) {
        for shape in Self.shapes[group] {
            let body = BodyPreview(Data(shape.text.utf8), isTruncated: false)
            let head = HTTPResponse(status: .badRequest, headerFields: [.server: shape.text.oneLine])
            let request = Request.get("https://a.example/", headers: [.userAgent: shape.text.oneLine]).head
            let snapshot = ExchangeSnapshot(request, response: head, preview: body)
            check("\(snapshot) \(snapshot.requestFields) \(String(describing: snapshot.response))", shape, "snapshot")
            let error = TransportError(
                .other,
                sent: .nothing,
                stage: "test",
                detail: shape.text,
                exchange: snapshot,
                underlyingError: Told(description: shape.text)
            )
            check("\(error) \(error.reason) \(error.localizedDescription)", shape, "transport error")
            let failure = DecodingFailure(
                [Int].self,
                from: Data(shape.text.utf8),
                head: head,
                cause: Told(description: shape.text)
            )
            check("\(failure)", shape, "decoding failure")
        }
    }

    @Test("No secret is in a trace, as text or as HTML, in explain() or in a description", arguments: groups)
    func traces(group: Range<Int>) async throws {
        for shape in Self.shapes[group] {
            let text = shape.text.oneLine
            let transport = InMemoryTransport()
            transport.on(.get, "*") { _ in
                throw TransportError(.other, sent: .maybe, stage: "test", detail: shape.text)
            }
            transport.on(.post, "*") { _ in Response(.ok, headers: [.server: text]) }
            let chain = try Chain(transport: transport, environment: .virtual()) { Talkative(text: shape.text) }
            check(chain.explain(), shape, "explain()")
            for method in [HTTPRequest.Method.get, .post] {
                let request = Request(method, "https://a.example/", headers: [.from: text])
                check("\(request)", shape, "description of a request")
                let call = await chain.trace(request)
                check("\(call.trace)", shape, "trace")
                check(call.trace.html(), shape, "trace as HTML")
                if let response = try? call.response { check("\(response)", shape, "description of a response") }
            }
        }
    }

    @Test("No secret is in the log of a call or an attempt, shipped or printed, in any body", arguments: groups)
    func logs(group: Range<Int>) async throws {
        let sink = ExchangeCapture()
        for shape in Self.shapes[group] {
            let console = ExchangeConsole()
            let stages: [any Middleware] = [
                RemoteLoggingMiddleware(sink, detail: .bodies, formatter: .semantic),
                LogRequestsMiddleware(
                    logger: Logger(label: "test") { _ in console },
                    each: .attempt,
                    detail: .bodies,
                    formatter: .curl
                ),
            ]
            let transport = ClosureTransport { request in
                let type: HTTPFields = [.contentType: "text/plain", .server: shape.text.oneLine]
                var response = Response(.ok, headers: type, body: HTTPBody(shape.text))
                response.request = request.head
                return response
            }
            let chain = try Chain(stages, transport: transport, environment: .virtual())
            var request = Request.post(
                "https://a.example/",
                headers: [.contentType: "text/plain"],
                body: HTTPBody(shape.text)
            )
            request.head.headerFields[.userAgent] = shape.text.oneLine
            let response = try await chain.send(request.logging(attributes: ["note": .string(shape.text)]))
            _ = try await response.body.collect()
            for line in console.lines { check(line, shape, "logger") }
            for record in sink.take() { check(record.everything, shape, "record") }
        }
    }

    @Test(
        "The value of a field with a credential is in no sink",
        arguments: [
            "X-Api-Key", "X-ZUMO-AUTH", "X-Tableau-Auth", "X-Mashape-Key", "X-Appwrite-Key", "X-License-Key",
            "X-Insert-Key", "X-Authentication", "X-Credentials", "X-Session", "X-Otp", "X-GitHub-OTP",
        ]
    )
    func fields(name text: String) async throws {
        let name = try #require(HTTPField.Name(text))
        let secret = "hunter2Hunter2"
        let (sink, console) = (ExchangeCapture(), ExchangeConsole())
        let shown = LoggedFields.standard.adding(text)
        let stages: [any Middleware] = [
            RemoteLoggingMiddleware(sink, detail: .bodies, showing: shown, formatter: .semantic),
            LogRequestsMiddleware(
                logger: Logger(label: "test") { _ in console },
                each: .attempt,
                detail: .bodies,
                showing: shown,
                formatter: .curl
            ),
        ]
        let transport = ClosureTransport { request in
            var response = Response(.ok, headers: [name: secret])
            response.request = request.head
            return response
        }
        let chain = try Chain(stages, transport: transport, environment: .virtual())
        let call = await chain.trace(.get("https://a.example/", headers: [name: secret]))
        let response = try call.response
        _ = try await response.body.collect()
        let sent = try #require(response.request)
        let snapshot = ExchangeSnapshot(sent, response: response.head)
        let records = sink.take().map(\.everything)
        #expect(!records.isEmpty && console.lines.contains { $0.contains("curl") && $0.contains(text) })
        for shown in [
            "\(call.trace)", call.trace.html(), "\(snapshot) \(snapshot.requestFields)", "\(response)",
        ] + records + console.lines {
            #expect(!shown.contains(secret), "\(text): \(shown)")
        }
    }

    @Test("No secret is in what the application logs, shipped or in the files of a spool", arguments: groups)
    func shippedAndSpooled(group: Range<Int>) async throws {
        let scratch = ScratchDirectory()
        let transport = InMemoryTransport()
        let isDown = Locked(true)
        transport.on(.post, "*") { _ in Response(isDown.withLock { $0 } ? .serviceUnavailable : .noContent) }
        let shipper = LogShipper(
            to: "https://logs.example.com/push",
            format: .ndjson,
            resource: LogResource(serviceName: "plants"),
            over: transport,
            spool: try LogSpool(directory: scratch.url),
            levels: LogLevels(.trace),
            environment: .virtual()
        )
        let logger = Logger(label: "application") { label in
            RemoteLogHandler(label: label, sink: shipper, level: .trace, metadataProvider: nil)
        }
        for shape in Self.shapes[group] {
            logger.info("\(shape.text)", metadata: ["note": "\(shape.text)", "nested": ["list": ["\(shape.text)"]]])
        }
        let files = try FileManager.default.contentsOfDirectory(at: scratch.url, includingPropertiesForKeys: nil)
        let spooled = try files.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }.joined()
        isDown.withLock { $0 = false }
        try await shipper.shutdown(deadline: .seconds(60))
        let sent = transport.requests.map(\.text).joined()
        #expect(sent.contains("application"))
        for shape in Self.shapes[group] {
            check(spooled.contains(shape.secret) ? shape.secret : "", shape, "spool")
            check(sent.contains(shape.secret) ? shape.secret : "", shape, "shipper")
        }
    }

    @Test("What is bound to one origin is a secret under any name, for the stages outside too")
    func originBound() async throws {
        let name = try #require(HTTPField.Name("X-Garden-Gate"))
        let secret = "s3cr3tOfTheGarden"
        let sink = ExchangeCapture()
        let binding = ClosureMiddleware("Binding", phase: .authenticate) { request, next in
            var request = request
            request.head.headerFields[name] = secret
            if let origin = request.origin { request.bindFields([name], to: origin) }
            return try await next(request)
        }
        let echo = ClosureTransport { request in
            #expect(request.head.headerFields[name] == secret)
            var response = Response(.ok, body: HTTPBody("welcome, \(secret)"))
            response.request = request.head
            return response
        }
        let shown = LoggedFields.standard.adding("X-Garden-Gate")
        let stages: [any Middleware] = [
            RemoteLoggingMiddleware(sink, detail: .bodies, showing: shown), binding,
            RemoteLoggingMiddleware(sink, each: .attempt, detail: .bodies, showing: shown),
        ]
        let chain = try Chain(stages, transport: echo, environment: .virtual())
        let traced = await chain.trace(.get("https://a.example/"))
        let response = try traced.response
        _ = try await response.body.collect()
        #expect(!"\(traced.trace)\(traced.trace.html())".contains(secret))
        let sent = try #require(response.request)
        let snapshot = ExchangeSnapshot(sent, preview: BodyPreview(Data("no: \(secret)".utf8), isTruncated: false))
        #expect(!"\(snapshot) \(snapshot.requestFields)".contains(secret))
        let attempt = try #require(sink.records.first { $0.component == "http.client.attempt" })
        #expect(!attempt.everything.contains(secret))
        let call = try #require(sink.records.first { $0.component == "http.client" })
        let fields = call.attributes.filter { $0.name.contains("x-garden-gate") }
        #expect(fields.allSatisfy { !"\($0.value)".contains(secret) })
    }

    @Test("The names that a chain adds count in its traces, its table, its errors and its logs")
    func ownNames() async throws {
        var redaction = Redaction.standard
        redaction.fieldNames.insert("x-shelf")
        redaction.memberNames.insert("shelf")
        redaction.queryNames.insert("shelf")
        var environment = ChainEnvironment.virtual()
        environment.redaction = redaction
        let sink = ExchangeCapture()
        let name = try #require(HTTPField.Name("X-Shelf"))
        let stages: [any Middleware] = [
            RemoteLoggingMiddleware(sink, detail: .bodies, showing: .standard.adding("X-Shelf")),
            Talkative(text: "shelf=s3cr3t"),
        ]
        let transport = ClosureTransport { request in
            throw TransportError(
                .other,
                sent: .maybe,
                stage: "test",
                exchange: ExchangeSnapshot(request.head, redaction: request.redaction)
            )
        }
        let chain = try Chain(stages, transport: transport, environment: environment)
        var request = Request.post("https://a.example/?shelf=s3cr3t", body: HTTPBody("{\"shelf\":\"s3cr3t\"}"))
        request.head.headerFields[name] = "s3cr3t"
        let call = await chain.trace(request)
        let error = #expect(throws: TransportError.self) { try call.response }
        #expect(!"\(call.trace)\(call.trace.html())\(chain.explain())\(String(describing: error))".contains("s3cr3t"))
        #expect(!(try sink.record().everything.contains("s3cr3t")))
        request.environment = environment
        #expect(!"\(request)".contains("s3cr3t"))
    }
}

extension String {
    /// The text where a header field can hold it: one of several lines is no field's value.
    fileprivate var oneLine: String {
        unicodeScalars.contains { $0 == "\n" || $0 == "\r" } ? "-" : self
    }
}
#endif
