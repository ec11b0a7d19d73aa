import Foundation
import HTTPChain
import HTTPChainClient
import HTTPChainHAR
import HTTPChainInMemory
import HTTPChainLogShipper
import HTTPChainPagination
import HTTPChainResumableUpload
import HTTPChainRoutes
import HTTPChainTesting
import HTTPTypes
import Testing

@Suite("Ways to send an option that nothing reads", .timeLimit(.minutes(10)))
struct UnreadOptionWaysTests {
    private static let url = "https://api.example.com/items"

    private struct GetText: TypedRequest {
        typealias Output = String
        var path: String { url }
    }

    private struct GetItems: TypedRequest {
        typealias Output = [Int]
        var path: String { url }
    }

    private struct Watch: TypedRequest {
        typealias Output = Response
        var path: String { url }
    }

    private struct GetItem: TypedRequest {
        typealias Output = String
        var path: String { "\(url)/{id}" }
        var pathParameters: URLParameters { ["id": 7] }
    }

    struct Way: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let send: @Sendable (_ transport: any Transport) async throws -> Void

        init(_ name: String, _ send: @escaping @Sendable (_ transport: any Transport) async throws -> Void) {
            testDescription = name
            self.send = send
        }
    }

    /// The ways through a client, which checks the options itself if its transport isn't a chain.
    static let ofClients = [
        Way("a call") { _ = try await Client(over: $0).makeCall(GetText()).timeout(.seconds(1)).value },
        Way("a request type") { _ = try await Client(over: $0).makeCall(GetItem()).value },
        Way("an outcome") {
            let outcome = await Client(over: $0).makeCall(GetText()).timeout(.seconds(1)).outcome
            if let error = outcome.error { throw error }
        },
        Way("the pages of a call") {
            let call = Client(over: $0).makeCall(GetItems()).timeout(.seconds(1))
            for try await _ in call.pages(by: .linkHeader()) {}
        },
        Way("the events of a call") {
            let call = Client(over: $0).makeCall(Watch()).timeout(.seconds(1))
            for try await _ in try call.eventStream(options: EventStreamOptions(reconnection: .never)) {}
        },
        Way("a route") {
            let route = #"{"routes":{"items":{"path":"https://api.example.com/items","cacheTTL":60}}}"#
            try await RouteClient(try RouteTable(json: Data(route.utf8)), over: $0).request("items")
        },
    ]

    /// The ways through a chain alone.
    static let ofChains = [
        Way("pages") {
            let first = Request.get(url).timeout(.seconds(1))
            for try await _ in $0.pages(of: [Int].self, from: first, by: .linkHeader()) {}
        },
        Way("events") {
            let options = EventStreamOptions(reconnection: .never)
            for try await _ in $0.events(.get(url).timeout(.seconds(1)), options: options) {}
        },
        Way("an upload") { _ = try await $0.send(.post(url, body: "text").resumableUpload()) },
    ]

    private func expectRefusal(_ way: Way, by make: (InMemoryTransport) throws -> any Transport) async throws {
        let transport = InMemoryTransport { _ in Response(.ok, headers: [.contentType: "text/plain"], body: "[]") }
        let outer = try make(transport)
        let error = await #expect(throws: (any Error).self) { try await way.send(outer) }
        #expect(error is UnreadOptionError, "\(error.map { "\($0)" } ?? "")")
        #expect(transport.requests.isEmpty)
    }

    @Test("A chain refuses an option that nothing reads", arguments: ofClients + ofChains)
    func chain(way: Way) async throws {
        try await expectRefusal(way) { try Chain(transport: $0) }
    }

    @Test("A client over a transport that isn't a chain refuses an option that nothing reads", arguments: ofClients)
    func bareTransport(way: Way) async throws {
        try await expectRefusal(way) { $0 }
    }

    @Test("A client over a transport that isn't a chain sends calls without such options, also while it is observed")
    func harmless() async throws {
        let client = Client(over: InMemoryTransport { _ in Response(.ok, body: "text") })
        let events = client.events()
        #expect(try await client.makeCall(GetText()).key("a").retry(.never).value == "text")
        withExtendedLifetime(events) {}
    }

    @Test("Observing the events of a client needs no ProgressMiddleware")
    func events() async throws {
        let chain = try Chain(transport: InMemoryTransport { _ in Response(.ok, body: "text") })
        let client = Client(over: chain)
        let events = client.events()
        #expect(try await client.makeCall(GetText()).value == "text")
        // The caller's own closure does.
        await #expect(throws: UnreadOptionError.self) {
            try await client.makeCall(GetText()).progress { _ in }.value
        }
        withExtendedLifetime(events) {}
    }

    @Test("A transport that wraps a chain reads what the chain reads")
    func wrappers() async throws {
        let inner = try Chain(transport: InMemoryTransport { _ in Response(.ok) }) { TimeoutMiddleware(nil) }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).har")
        let wrappers: [any Transport] = [
            inner, RefreshContext(over: inner),
            MockTransport(beside: inner) { Mock(GetText.self) { _, _ in Response(.ok) } },
            try await ReplayTransport(file: file, mode: .all, over: inner),
            OTLPEnvironment(for: .logs, in: [:]).transport(over: inner),
        ]
        for wrapper in wrappers {
            let chain = try Chain(transport: wrapper)
            #expect(try await chain.send(.get(Self.url).timeout(.seconds(1))).status == .ok, "\(wrapper.name)")
        }
    }

    @Test("A chain over the stages inside an authentication stage reads what they read")
    func refreshContext() async throws {
        let chain = try Chain(transport: InMemoryTransport { _ in Response(.ok) }) {
            BearerAuthMiddleware(
                .asking { _, context in
                    let chain = try Chain(transport: context)
                    _ = try await chain.send(.get(Self.url).timeout(attempt: .seconds(1)))
                    return AccessToken("t")
                },
                for: Self.url
            )
            AttemptTimeoutMiddleware()
        }
        #expect(try await chain.send(.get(Self.url)).status == .ok)
    }
}
