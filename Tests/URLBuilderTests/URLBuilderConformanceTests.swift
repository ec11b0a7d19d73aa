import HTTPChainCore
import HTTPChainTesting
import HTTPChainURLBuilder
import HTTPTypes
import Testing

@Suite("URLBuilderMiddleware, driven alone")
struct URLBuilderConformanceTests {
    @Test(
        "The stage keeps the rules of every stage",
        .timeLimit(.minutes(10)),
        arguments: StageConformance.Check.allCases,
        ["standard", "custom"]
    )
    func conforms(check: StageConformance.Check, kind: String) async throws {
        let conformance = StageConformance(request: {
            .post("items/{id}", path: ["id": 1], query: ["q": "x"], body: "what is asked")
        }) {
            kind == "standard"
                ? URLBuilderMiddleware(base: "https://conformance.example/v2")
                : URLBuilderMiddleware(base: "https://conformance.example/v2") { try $0.standardURL() }
        }
        try await conformance.verify(check)
    }

    @Test("The stage passes the completed request on and the response back untouched")
    func passesOn() async throws {
        let stage = URLBuilderMiddleware(base: "https://api.example.com/v2")
        let outcome = await StageHarness(stage).send(
            .post("users/{id}", path: ["id": 42], query: ["q": "x"], headers: [.accept: "a/b"], body: "text"),
            answering: .status(404, headers: [.server: "s"], body: "no")
        )
        let sent = try #require(outcome.requests.first)
        try await expectRequest(sent, .post, "https://api.example.com/v2/users/42?q=x", body: "text")
        #expect(sent.headers == [.accept: "a/b"])
        let response = try outcome.response()
        try await expectResponse(response, .notFound, body: "no")
        #expect(response.headers == [.server: "s"])
        #expect(outcome.requests.first?.options.contains(URLArgumentsOption.self) == false)
    }

    @Test("A stage that cannot build a URL never calls next")
    func refuses() async throws {
        for base in ["https://api.example.com/v2", "not a base"] {
            let outcome = await StageHarness(URLBuilderMiddleware(base: base)).send(.get("users/{id}"))
            #expect(outcome.error is URLBuilderError)
            #expect(outcome.requests.isEmpty)
        }
    }
}
