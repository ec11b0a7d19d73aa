#if AllTests
import Foundation
import HTTPChain
import HTTPChainHAR
import HTTPChainInMemory
import HTTPChainLogShipper
import HTTPChainOAuth
import HTTPChainPagination
import HTTPChainResumableUpload
import HTTPChainSigning
import HTTPTypes
import Testing

/// A value with the secret in each of its parts.
struct ValueWithSecrets: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let value: any Sendable

    init(_ name: String, _ value: any Sendable) {
        testDescription = name
        self.value = value
    }

    static let secret = "hunter2secret"
    private static let url = "https://bob:\(secret)@a.example/x?access_token=\(secret)"
    private static let endpoint = TokenEndpoint(
        url,
        client: OAuthClient(id: "c", secret: Secret(secret)),
        parameters: ["password": secret]
    )
    private static let client = OAuthClient(id: "c", secret: Secret(secret))
    private static let apiKey = HTTPField.Name("X-Api-Key")

    static let requests: [ValueWithSecrets] = {
        var request = Request.get(url)
        request.headers[.authorization] = "Bearer \(secret)"
        if let apiKey { request.headers[apiKey] = secret }
        let response = Response(.ok, headers: [.setCookie: "sid=\(secret)"], body: HTTPBody("a"))
        return [
            ValueWithSecrets("Request", request), ValueWithSecrets("Response", response),
            ValueWithSecrets("optional", [Optional(request)]),
        ]
    }()

    /// What closures of a chain receive.
    static let passed: [ValueWithSecrets] = {
        let url = "https://a.example/x?access_token=\(secret)"
        var head = Request.get(url, headers: [.cookie: "sid=\(secret)"]).head
        head.headerFields[.authorization] = "Bearer \(secret)"
        let reply = HTTPResponse(status: .found, headerFields: [.setCookie: "sid=\(secret)"])
        let hop = RedirectHop(status: .found, from: url, to: url + "#\(secret)", method: .get)
        let failure = TransportError(.connectionLost)
        return [
            ValueWithSecrets("answered attempt", CompletedAttempt(request: head, attempt: 1, result: .success(reply))),
            ValueWithSecrets("failed attempt", CompletedAttempt(request: head, attempt: 1, result: .failure(failure))),
            ValueWithSecrets("SignedMessage", SignedMessage(head)),
            ValueWithSecrets("signed response", SignedMessage(reply, answering: head)),
            ValueWithSecrets("RedirectHop", hop),
            ValueWithSecrets("RedirectProposal", RedirectProposal(response: reply, hop: hop)),
            ValueWithSecrets("SerializationContext", SerializationContext(method: .get, route: url, response: reply)),
            ValueWithSecrets("PagePosition", PagePosition.url(url)),
            ValueWithSecrets("position of a cursor", PagePosition.parameters(["access_token": secret])),
            ValueWithSecrets(
                "LogShipper",
                LogShipper(
                    to: url,
                    format: .ndjson,
                    resource: LogResource(serviceName: "a"),
                    over: InMemoryTransport()
                )
            ),
        ]
    }()

    static let signIn: [ValueWithSecrets] = [
        ValueWithSecrets("TokenEndpoint", endpoint),
        ValueWithSecrets("TokenRevocation", TokenRevocation(at: url, client: client)),
        ValueWithSecrets("DeviceSignIn", DeviceSignIn(authorizingAt: url, tokensAt: endpoint)),
        ValueWithSecrets(
            "AuthorizationCodeSignIn",
            AuthorizationCodeSignIn(authorizingAt: url, tokensAt: endpoint, parameters: ["password": secret])
        ),
        ValueWithSecrets("client credentials", ClosureAccessTokenProvider.clientCredentials(at: endpoint)),
        ValueWithSecrets("refresh token", ClosureAccessTokenProvider.refreshToken(at: endpoint)),
    ]

    static let settings: [ValueWithSecrets] = [
        ValueWithSecrets(
            "OTLPEnvironment",
            OTLPEnvironment(
                for: .logs,
                in: ["OTEL_EXPORTER_OTLP_HEADERS": "api-key=\(secret)", "OTEL_EXPORTER_OTLP_ENDPOINT": url]
            )
        ),
        ValueWithSecrets("ResumableUpload", ResumableUpload(identity: secret, metadata: ["token": secret])),
        ValueWithSecrets("HeaderOperation", HeaderOperation.set("X-Api-Key", to: secret)),
        ValueWithSecrets("HeadersMiddleware", HeadersMiddleware([.append("X-Api-Key", secret)])),
        ValueWithSecrets("URLBuilderMiddleware", URLBuilderMiddleware(base: "https://bob:\(secret)@a.example/")),
    ]
}

@Suite("The display of values with secrets")
struct SecretDisplayTests {
    @Test(
        "Neither print, nor a debugger, nor dump shows a secret",
        arguments: ValueWithSecrets.requests + ValueWithSecrets.passed + ValueWithSecrets.signIn
            + ValueWithSecrets.settings
    )
    func display(_ entry: ValueWithSecrets) {
        var dumped = ""
        dump(entry.value, to: &dumped)
        for text in ["\(entry.value)", String(reflecting: entry.value), dumped, "\([entry.value])"] {
            #expect(!text.isEmpty)
            #expect(!text.contains(ValueWithSecrets.secret), "\(text)")
        }
    }

    @Test("A request for the wire shows no secret")
    func wire() throws {
        var request = Request.get("https://a.example/x?access_token=\(ValueWithSecrets.secret)")
        request.headers[.authorization] = "Bearer \(ValueWithSecrets.secret)"
        display(ValueWithSecrets("WireRequest", try request.forWire()))
    }

    @Test("An archive of another program shows no secret")
    func archive() throws {
        let secret = ValueWithSecrets.secret
        let archive = try HARArchive(
            Data(
                """
                {"log":{"version":"1.2","creator":{"name":"a","version":"1"},"entries":[{"time":1,
                "startedDateTime":"2020-01-01T00:00:00Z","request":{"method":"GET",
                "url":"https://a.example/x?token=\(secret)","headers":[{"name":"Cookie","value":"sid=\(secret)"}]},
                "response":{"status":200,"headers":[{"name":"Set-Cookie","value":"sid=\(secret)"}]}}]}}
                """.utf8
            )
        )
        let entry = try #require(archive.entries.first)
        #expect("\(entry)" == "GET https://a.example/x?token=<redacted> → 200")
        for value: any Sendable in [archive, entry, entry.request, entry.response] {
            display(ValueWithSecrets("archive", value))
        }
    }

    @Test("A completed attempt shows its exchange, and its error")
    func attempt() {
        let head = Request.get("https://a.example/x").head
        let answered = CompletedAttempt(request: head, attempt: 2, result: .success(HTTPResponse(status: .found)))
        #expect("\(answered)" == "attempt 2: GET https://a.example/x → 302 Found")
        let failure = TransportError(.connectionLost)
        let failed = CompletedAttempt(request: head, attempt: 1, result: .failure(failure))
        #expect("\(failed)" == "attempt 1: GET https://a.example/x → \(failure)")
    }
}
#endif
