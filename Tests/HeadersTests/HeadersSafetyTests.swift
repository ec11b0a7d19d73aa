import HTTPChainCore
import HTTPChainHeaders
import HTTPChainSupport
import HTTPChainTesting
import HTTPTypes
import Testing

private let url = "https://api.example.com/plants"
private let key = HTTPField.Name(constant: "X-Api-Key")

@Suite("What cannot stand in a header field")
struct InvalidFieldsTests {
    @Test(
        "A value with a control character is refused with an error that names field, character and place",
        arguments: [
            ("a\r\nInjected: 1", UInt8(0x0D), 1, "a carriage return (CR)"),
            ("a\nb", 0x0A, 1, "a line feed (LF)"),
            ("ü\0", 0x00, 2, "a NUL"),
            ("\u{7F}", 0x7F, 0, "the control character 0x7f"),
            ("ab\u{0B}", 0x0B, 2, "the control character 0x0b"),
        ]
    )
    func controlCharacters(value: String, byte: UInt8, offset: Int, words: String) async throws {
        let stages = [
            HeadersMiddleware(["X-Part": value]),
            HeadersMiddleware([.append("X-Part", value)]),
            HeadersMiddleware([.default("X-Part", to: value)]),
            HeadersMiddleware([.set("X-Part") { _ in value }]),
        ]
        for stage in stages {
            let outcome = await StageHarness(stage).send(.get(url))
            let error = try #require(outcome.error as? HeadersError)
            #expect(error.problem == .invalidValue(name: "X-Part", byte: byte, offset: offset))
            #expect(
                error.description.contains("the value of the header field X-Part contains \(words) at byte \(offset)")
            )
            #expect(!error.description.contains(value), "the value may be a secret")
            #expect(outcome.requests.isEmpty)
        }
    }

    @Test("Other values are sent as they are, without the white space around them")
    func validValues() async throws {
        for (value, sent) in [
            ("", ""), (" \t a\tb \t", "a\tb"), ("größe", "größe"), ("  ", ""), ("\"a, b\"", "\"a, b\""),
        ] {
            let outcome = await StageHarness(HeadersMiddleware([.via: value])).send(.get(url))
            #expect(outcome.requests.first?.head.headerFields[.via] == sent)
        }
    }

    @Test("A name that is not a token is refused", arguments: ["", "X Part", "X-Part:", ":method", "X-Größe", "a\r\n"])
    func names(name: String) async throws {
        for operation in [HeaderOperation.set(name, to: "a"), .remove(name), .append(name) { _ in "a" }] {
            let outcome = await StageHarness(HeadersMiddleware([operation])).send(.get(url))
            #expect((outcome.error as? HeadersError)?.problem == .invalidName(name))
        }
    }

    @Test("A pseudo field of HTTP/2 is refused instead of ending the process")
    func pseudoField() async throws {
        let name = try #require(HTTPField.Name(parsed: ":path"))
        for stage in [HeadersMiddleware([name: "/"]), HeadersMiddleware([.set(":path") { _ in "/" }])] {
            let outcome = await StageHarness(stage).send(.get(url))
            #expect((outcome.error as? HeadersError)?.problem == .invalidName(":path"))
        }
    }

    @Test("A chain with a mistake in its fields is not built, and the error lists every mistake with its fix")
    func chainProblems() throws {
        let error = try #require(throws: ChainOrderError.self) {
            try Chain(transport: Recorder()) {
                HeadersMiddleware([
                    .set(.accept, to: "a\nb"),
                    .set(.age, to: "1"),
                    .set("X Part", to: "a"),
                    .set(key, to: "a").only(to: "api.example.com"),
                ])
            }
        }
        #expect(error.problems.map(\.stage) == ["HeadersMiddleware", "HeadersMiddleware", "HeadersMiddleware"])
        #expect(
            error.problems.map(\.description) == [
                "the value of the header field Accept contains a line feed (LF) at byte 1; "
                    + "remove it, or encode the value (RFC 9110 §5.5)",
                "\"X Part\" is not the name of a header field; "
                    + "use letters, digits and any of !#$%&'*+-.^_`|~ (RFC 9110 §5.1)",
                "the header field X-Api-Key is bound to \"api.example.com\", which is not an origin; "
                    + "give scheme, host and port, such as \"https://api.example.com\"",
            ]
        )
    }

    @Test("A chain built unchecked throws for each call instead")
    func unchecked() async throws {
        let chain = try Chain(transport: Recorder(), order: .unchecked) { HeadersMiddleware([.accept: "\0"]) }
        await #expect(throws: HeadersError.self) { try await chain.send(.get(url)) }
    }

    @Test("More fields than a message can carry are an error instead of the end of the process")
    func tooMany() async throws {
        let many = (0..<65_535).map { _ in HeaderOperation.append(.via, "a") }
        for request in [Request.get(url), Request.get(url).headers(.remove(.age))] {
            let outcome = await StageHarness(HeadersMiddleware(many)).send(request)
            #expect((outcome.error as? HeadersError)?.problem == .tooManyFields(65_535))
        }
    }
}

@Suite("Header fields bound to an origin")
struct BoundFieldsTests {
    private let stage = HeadersMiddleware([
        .set(.accept, to: "application/json"),
        .set(key, to: "k-123").only(to: "https://API.example.com"),
    ])

    @Test("A bound field is sent to its origin and to no other")
    func bound() async {
        for (target, value) in [
            ("https://api.example.com/a", "k-123"), ("https://api.example.com:443/a", "k-123"),
            ("https://api.example.com:8443/a", nil), ("http://api.example.com/a", nil),
            ("https://example.com/a", nil), ("https://api.example.com.evil.test/a", nil),
        ] as [(String, String?)] {
            let outcome = await StageHarness(stage).send(.get(target))
            #expect(outcome.requests.first?.head.headerFields[key] == value, "\(target)")
            #expect(outcome.requests.first?.head.headerFields[.accept] == "application/json")
        }
    }

    @Test("A dictionary can be bound as a whole")
    func boundDictionary() async {
        let stage = HeadersMiddleware(["X-Api-Key": "k", "X-Tenant": "t"], onlyTo: "https://api.example.com")
        let there = await StageHarness(stage).send(.get(url))
        #expect(there.requests.first?.head.headerFields.count == 2)
        let elsewhere = await StageHarness(stage).send(.get("https://example.com"))
        #expect(elsewhere.requests.first?.head.headerFields.isEmpty == true)
    }

    @Test("A request that moves to another origin loses the bound field and keeps the others")
    func redirect() async throws {
        var request = try #require(await StageHarness(stage).send(.get(url)).requests.first)
        request.removeFields(boundToOthersThan: Origin(url))
        #expect(request.head.headerFields[key] == "k-123")
        request.removeFields(boundToOthersThan: Origin("https://example.com"))
        #expect(request.head.headerFields == [.accept: "application/json"])
        request.head.headerFields[key] = "another, set later"
        request.removeFields(boundToOthersThan: nil)
        #expect(request.head.headerFields[key] == "another, set later")
    }

    @Test("Before the URL is complete a bound field is an error that says where the stage belongs")
    func unknownOrigin() async throws {
        let outcome = await StageHarness(stage).send(.get("plants/1?token=t"))
        let error = try #require(outcome.error as? HeadersError)
        let origin = try #require(Origin("https://api.example.com"))
        #expect(
            error.problem
                == .unknownOrigin(name: "X-Api-Key", origin: origin, url: "plants/1?token=<redacted>")
        )
        #expect(error.description.contains("move HeadersMiddleware inside the stage that completes the URL"))
    }
}

@Suite("Headers in a chain")
struct HeadersInChainTests {
    @Test("The table of the chain shows the fields and hides secrets")
    func summary() throws {
        let stage = HeadersMiddleware([
            .set(.accept, to: "application/json"),
            .set(.authorization, to: "Bearer secret"),
            .append(.via, "x"),
            .default("From") { _ in "secret" },
            .remove(.age),
            .set("X-Key", to: "secret").only(to: "https://api.example.com"),
        ])
        #expect(
            stage.summary.settings.map { "\($0.name): \($0.value)" } == [
                "Accept: application/json", "Authorization: <redacted>", "Via: x (append)",
                "From: made for each call (default)", "Age: removed",
                "X-Key: <redacted> (only to https://api.example.com)",
            ]
        )
        let table = try Chain(transport: Recorder()) { stage }.explain()
        #expect(table.contains("build") && table.contains("HeadersMiddleware") && !table.contains("secret"))
    }

    @Test("A name of the user's own can be made a secret")
    func redaction() throws {
        var redaction = Redaction.standard
        redaction.fieldNames.insert("x-part")
        let chain = try Chain(transport: Recorder(), environment: ChainEnvironment(redaction: redaction)) {
            HeadersMiddleware(["X-Part": "hidden"])
        }
        #expect(chain.explain().contains("X-Part: <redacted>"))
        #expect(!chain.explain().contains("hidden"))
    }

    @Test("The stage belongs outside the redirect stage")
    func phase() {
        #expect(throws: ChainOrderError.self) {
            try Chain(transport: Recorder()) {
                ClosureMiddleware("Redirect", phase: .redirect) { request, next in try await next(request) }
                HeadersMiddleware([.accept: "a"])
            }
        }
    }

    @Test(
        "The stage keeps the rules of every stage",
        .timeLimit(.minutes(10)),
        arguments: StageConformance.Check.allCases
    )
    func conforms(check: StageConformance.Check) async throws {
        try await StageConformance { HeadersMiddleware([.accept: "application/json"]) }.verify(check)
        try await StageConformance(
            request: { .post(url, body: "text").headers(.remove(.age)) },
            stage: {
                HeadersMiddleware([
                    .set("X-Method") { "\($0.head.method)" },
                    .set(key, to: "k").only(to: "https://api.example.com"),
                ])
            }
        ).verify(check)
    }

    @Test("The example of the documentation works")
    func example() async throws {
        let transport = Recorder()
        let key = "k-123"

        let chain = try Chain(transport: transport) {
            HeadersMiddleware([.accept: "application/json", .userAgent: "Garden/1.2"])
            HeadersMiddleware([
                .default(.acceptLanguage, to: "en"),
                .set("X-Tenant") { request in request.options[Tenant.self] },
                .set("X-Api-Key", to: key).only(to: "https://api.example.com"),
                .remove("X-Debug"),
            ])
        }
        let response = try await chain.send(
            .get("https://api.example.com/plants").headers(.set(.acceptLanguage, to: "de"))
        )

        #expect(response.status == .ok)
        let request = try #require(transport.requests.first)
        try await expectRequest(
            request,
            .get,
            "https://api.example.com/plants",
            headers: [.accept: "application/json", .userAgent: "Garden/1.2", .acceptLanguage: "de"]
        )
        #expect(
            request.head.headerFields.map(\.name.rawName).sorted() == [
                "Accept", "Accept-Language", "User-Agent", "X-Api-Key",
            ]
        )
    }
}

private enum Tenant: RequestOption {
    static var defaultValue: String? { nil }
    static func isHarmless(_ value: Value) -> Bool { true }
}
