#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainRemoteLogging
import HTTPChainSupport
import HTTPChainTesting
import HTTPTypes
import Logging
import TestSupport
import Testing

@Suite("Secrets", .timeLimit(.minutes(10)))
struct ExchangeSecretsTests {
    /// One secret for each place, so that a failure tells where it leaked.
    static func secret(_ place: String) -> String { "s3cr3t\(place)Hunter2" }

    private static func field(_ name: StaticString) -> HTTPField.Name { HTTPField.Name(constant: name) }

    struct Exchange: Sendable, CustomTestStringConvertible {
        let name: String
        let request: @Sendable () -> Request
        let answer: @Sendable () -> StageHarness.Answer
        var testDescription: String { name }
    }

    private static let url =
        "https://\(secret("User")):\(secret("Userinfo"))@api.example/a?api_key=\(secret("Query"))&page=2"
        + "&access_token=\(secret("QueryToken"))#id_token=\(secret("Fragment"))"

    private static let requestFields: HTTPFields = [
        .authorization: "Bearer \(secret("Authorization"))",
        .proxyAuthorization: "Basic \(secret("Proxy"))",
        .cookie: "session=\(secret("Cookie")); theme=dark",
        field("X-Api-Key"): secret("ApiKey"),
        field("X-Own-Thing"): secret("Unlisted"),
        field("Referer"): "https://a:\(secret("RefererUser"))@b.example/?q=1&token=\(secret("Referer"))",
        .userAgent: "Test/1 (password=\(secret("Agent")))",
    ]

    private static let responseFields: HTTPFields = [
        .setCookie: "session=\(secret("SetCookie")); Path=/",
        .location: "/callback?code=\(secret("Code"))#access_token=\(secret("Location"))",
        field("Content-Location"): "https://x:\(secret("ContentLocation"))@b.example/",
        field("Link"): "<https://b.example/?page=2&token=\(secret("Link"))>; rel=\"next\"",
        field("Authentication-Info"): "nextnonce=\"\(secret("Info"))\"",
        field("X-Auth-Token"): secret("ResponseToken"),
    ]

    private static func exchange(
        _ name: String,
        _ type: String,
        _ body: @escaping @Sendable () -> HTTPBody,
        answer: (@Sendable () -> StageHarness.Answer)? = nil
    ) -> Exchange {
        Exchange(
            name: name,
            request: {
                var request = Request.post(url, headers: requestFields, body: body())
                request.head.headerFields[.contentType] = type
                return request.logging(attributes: ["api_key": .string(secret("Attribute")), "plant": 7])
            },
            answer: answer ?? {
                var headers = responseFields
                headers[.contentType] = type
                return .status(.ok, headers: headers, body: body())
            }
        )
    }

    private static let json = """
        {"user":"Ida","password":"\(secret("Member"))","nested":{"apiKey":["\(secret("Array"))"]},
        "url":"https:\\/\\/u:\(secret("JSONUser"))@b.example\\/?code=\(secret("JSONCode"))",
        "note":"Authorization: Bearer \(secret("JSONText"))","inner":"{\\"token\\":\\"\(secret("Inner"))\\"}",
        "jwt2":"eyJhbGciOiJIUzI1NiJ9.\(secret("JWT")).c2ln"}
        """

    private static let form =
        "user=Ida&password=\(secret("Form"))&code=\(secret("FormCode"))&client_secret=a\"\(secret("FormQuote"))"

    private static let multipart = """
        --b\r
        Content-Disposition: form-data; name="password"\r
        \r
        \(secret("Part"))\r
        --b\r
        Content-Disposition: form-data; name="file"; filename="\(secret("FileName")).txt"\r
        Content-Type: text/plain\r
        \r
        \(secret("FileContent"))\r
        --b--\r

        """

    private static let errors: [any Error] = [
        ExchangeProvoked(
            description: "GET https://a:\(secret("Error"))@b.example/?token=\(secret("ErrorQuery")) failed"
        ),
        ExchangeProvoked(description: "Cookie: a=\(secret("ErrorCookie")); b=\(secret("ErrorCookie2"))"),
        TransportError(
            .other,
            sent: .nothing,
            stage: "test",
            detail: "proxy said: Proxy-Authorization: Basic \(secret("Detail"))",
            underlyingError: ExchangeProvoked(description: "password=\(secret("Cause"))")
        ),
        NSError(
            domain: "NSURLErrorDomain",
            code: -1,
            userInfo: ["NSErrorFailingURLStringKey": "https://a:\(secret("NSError"))@b.example/#access_token=x"]
        ),
    ]

    static let exchanges: [Exchange] =
        [
            exchange("JSON", "application/json", { HTTPBody(json) }),
            exchange("streamed JSON", "application/json", { .chunks([json], replayable: true) }),
            exchange(
                "JSON in small pieces",
                "application/json",
                {
                    .chunks(json.utf8.map { Data([$0]) }, replayable: true)
                }
            ),
            exchange("form", "application/x-www-form-urlencoded", { HTTPBody(form) }),
            exchange("form that says nothing", "text/plain", { HTTPBody("a=1&password=\(secret("Plain"))") }),
            exchange("multipart", "multipart/form-data; boundary=b", { HTTPBody(multipart) }),
            exchange("multipart in a stream", "multipart/form-data; boundary=b", { .chunks([multipart]) }),
            exchange(
                "XML",
                "application/xml",
                { HTTPBody("<a token=\"\(secret("XML"))\"><pwd>\(secret("XML2"))</pwd></a>") }
            ),
            exchange("value", "application/json", { .value(["password": secret("Value")]) }, answer: { .ok }),
            exchange(
                "broken",
                "application/json",
                { HTTPBody(json) },
                answer: {
                    .ok(.chunks([json], failing: ExchangeProvoked(description: "token=\(secret("Broken"))")))
                }
            ),
        ]
        + errors.indices.map { index in
            exchange("error \(index)", "application/json", { HTTPBody(json) }, answer: { .failure(errors[index]) })
        }

    private static let formatters: [any LogFormatter] = [.semantic, .short, .curl]

    @Test("None passes, at no detail, in no format and with no limit", arguments: exchanges)
    func nothingPasses(exchange: Exchange) async throws {
        for detail in [ExchangeDetail.summary, .headers, .bodies] {
            for formatter in Self.formatters {
                for limit in [ByteCount.kibibytes(32), 0, 40, 77, 150] {
                    let sink = ExchangeCapture()
                    let remote = RemoteLoggingMiddleware(sink, detail: detail, bodyLimit: limit, formatter: formatter)
                    let console = ExchangeConsole()
                    let local = LogRequestsMiddleware(
                        logger: Logger(label: "test") { _ in console },
                        each: .attempt,
                        detail: detail,
                        bodyLimit: limit,
                        formatter: formatter
                    )
                    try await Self.send(exchange, through: [remote, local])
                    #expect(sink.records.count == 1)
                    for record in sink.records { Self.check(record.everything, "\(detail)") }
                    #expect(console.lines.count == 1)
                    for line in console.lines { Self.check(line, "\(detail), logger") }
                }
            }
        }
    }

    static func send(_ exchange: Exchange, through stages: [any Middleware]) async throws {
        let answer = exchange.answer()
        let transport = ClosureTransport { request in
            if request.body.value == nil { for try await _ in request.body {} }
            switch answer {
            case .response(var response):
                response.request = request.head
                return response
            case .failure(let error): throw error
            case .perform(let closure): return try await closure(request)
            }
        }
        let chain = try Chain(stages, transport: transport)
        var request = exchange.request()
        request.environment = .virtual()
        guard let response = try? await chain.send(request), response.body.value == nil else { return }
        _ = try? await response.body.collect()
    }

    static func check(_ text: String, _ comment: String) {
        // What is left of a secret that was cut counts too.
        #expect(!text.contains("s3cr3t"), "\(comment): \(text)")
        #expect(!text.contains("Hunter2"), "\(comment): \(text)")
    }

    @Test(
        "None passes in part, wherever a body was cut",
        arguments: [
            (json, "application/json"), (form, "application/x-www-form-urlencoded"), (form, "text/plain"),
            (multipart, "multipart/form-data; boundary=b"), (url, "text/plain"),
            ("<a token=\"\(secret("XML"))\"><pwd>\(secret("XML2"))</pwd></a>", "text/xml"),
        ]
    )
    func cutAnywhere(text: String, type: String) {
        for length in 0...text.utf8.count {
            let preview = BodyPreview(Data(text.utf8.prefix(length)), isTruncated: length < text.utf8.count)
            let body = LoggedBody(preview, size: nil, fields: BodyFields([.contentType: type]), redaction: .standard)
            #expect(body?.text.contains("s3c") != true, "\(length): \(body?.text ?? "")")
        }
    }

    @Test("What is no secret is shown where it was asked for")
    func theRestIsShown() async throws {
        let sink = ExchangeCapture()
        try await Self.send(Self.exchanges[0], through: [RemoteLoggingMiddleware(sink, detail: .bodies)])
        let attributes = try sink.record().attributes
        #expect(
            attributes["url.full"]
                == "https://REDACTED:REDACTED@api.example/a?api_key=REDACTED&page=2&access_token=REDACTED"
        )
        #expect(attributes["httpchain.request.body"]?.string?.contains(#""user":"Ida""#) == true)
        #expect(attributes["httpchain.response.body"]?.string?.contains(#""user":"Ida""#) == true)
        #expect(attributes["http.response.header.location"] == ["/callback?code=<redacted>#access_token=<redacted>"])
        #expect(attributes["http.request.header.x-own-thing"] == ["<redacted>"])
        #expect(attributes["plant"] == 7)
    }
}

extension LogRecord {
    /// All that a record holds, in one text.
    var everything: String {
        "\(component)\n\(message)\n" + attributes.map { "\($0.name)=\($0.value)" }.joined(separator: "\n")
    }
}

/// A backend of swift-log that keeps what a console would show.
struct ExchangeConsole: LogHandler {
    private let kept = Locked<[String]>([])
    var logLevel = Logger.Level.trace
    var metadata: Logger.Metadata = [:]

    var lines: [String] { kept.withLock { $0 } }

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let metadata = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }
        kept.withLock { $0.append("\(event.level) [\(event.source)] \(event.message)\(metadata.joined())") }
    }
}
#endif
