import HTTPChainCore
import HTTPChainInMemory
import HTTPChainRedirect
import HTTPTypes
import Testing

@Suite("The documentation", .timeLimit(.minutes(10)))
struct DocumentationTests {
    @Test("The example of the stage works")
    func stage() async throws {
        let transport = InMemoryTransport()
        transport.on(.get, "/old", reply: .redirect(to: "/new", status: .movedPermanently))
        transport.on(.get, "/new", reply: .text("here"))
        let seen = Locked("")
        func print(_ text: String) { seen.withLock { $0 = text } }

        let chain = try Chain(transport: transport) {
            RedirectMiddleware(.limited(10).and(.httpsOnly))
        }
        let response = try await chain.send(.get("https://example.com/old"))
        print(response.hops.last?.to ?? "not redirected")

        #expect(seen.withLock { $0 } == "https://example.com/new")
    }

    @Test("The examples of the policy build")
    func policy() {
        let stages = [
            RedirectMiddleware(.limited(10).and(.httpsOnly)),
            RedirectMiddleware(.sameOrigin.or(.when("goes to our CDN") { $0.destination?.host == "cdn.example.com" })),
        ]
        #expect(stages.map { $0.summary.settings[0].value }.last == "(sameOrigin or goes to our CDN)")
    }

    @Test("The example of the option works")
    func option() async throws {
        let transport = InMemoryTransport()
        transport.on(.get, "/old", reply: .redirect(to: "/new"))
        let chain = try Chain(transport: transport) { RedirectMiddleware() }

        let response = try await chain.send(.get("https://example.com/old").redirects(.never))

        #expect(response.status == .found)
    }
}
