import Foundation
import HTTPChain
import HTTPChainInMemory
import HTTPChainTesting
import Testing

@Suite("The presets", .timeLimit(.minutes(10)))
struct PresetTests {
    enum Preset: String, CaseIterable, Sendable {
        case standard, server, mobile, commandLine

        func chain(
            over transport: any Transport,
            base: String = "https://api.example.com/v2",
            authentication: (any Middleware)? = nil,
            environment: ChainEnvironment? = nil
        ) throws -> Chain {
            switch self {
            case .standard:
                try .standard(base: base, over: transport, authentication: authentication, environment: environment)
            case .server:
                try .server(base: base, over: transport, authentication: authentication, environment: environment)
            case .mobile:
                try .mobile(
                    base: base,
                    over: transport,
                    partition: .shared,
                    authentication: authentication,
                    environment: environment
                )
            case .commandLine:
                try .commandLine(base: base, over: transport, authentication: authentication, environment: environment)
            }
        }
    }

    private struct Plant: Codable, Sendable, Equatable {
        var name: String
    }

    @Test("Each builds in the checked order, sends and receives values, and is explained", arguments: Preset.allCases)
    func sendsValues(preset: Preset) async throws {
        let transport = InMemoryTransport { request in
            Response(.ok, headers: [.contentType: "application/json"], body: request.body)
        }
        let chain = try preset.chain(
            over: transport,
            authentication: BearerAuthMiddleware(token: "sesame", for: "https://api.example.com"),
            environment: .virtual()
        )
        let plant = try await chain.send(.post("plants", body: .value(Plant(name: "fern"))), as: Plant.self)
        #expect(plant == Plant(name: "fern"))
        #expect(transport.requests.first?.url == "https://api.example.com/v2/plants")
        #expect(transport.requests.first?.headers[.authorization] == "Bearer sesame")
        for stage in chain.stages { #expect("\(chain)".contains(stage.summary.name)) }
        #expect("\(chain)" == chain.explain() && !"\(chain)".contains("sesame"))
    }

    @Test("Each retries what passes, and says how often it tried", arguments: Preset.allCases)
    func retries(preset: Preset) async throws {
        let transport = InMemoryTransport { _ in Response(.serviceUnavailable) }
        // Time stands still: the presets' limits do not run out, and the retries wait for none.
        let chain = try preset.chain(over: transport, environment: .virtual())
        let request = Request.get("plants").retry(RetryPolicy(backoff: Backoff(base: .zero)))
        let error = try await #require(throws: StatusError.self) { try await chain.send(request) }
        #expect(error.attempts == transport.requests.count && transport.requests.count > 2)
        #expect(error.retries?.attempts.count == transport.requests.count)
        #expect("\(error)".contains("after \(transport.requests.count) attempts"), "\(error)")
    }

    @Test("A stage of each can be replaced, removed and added to", arguments: Preset.allCases)
    func isEditable(preset: Preset) async throws {
        let transport = InMemoryTransport { _ in Response(.serviceUnavailable) }
        let chain = try preset.chain(over: transport, environment: .virtual())
            .replacing(RetryMiddleware.self, with: RetryMiddleware(.never))
            .removing(MultipartMiddleware.self)
            .inserting(HeadersMiddleware([.userAgent: "Mine/1.0"]), after: URLBuilderMiddleware.self)
        #expect(try await chain.send(.get("plants").statuses(adding: [503])).status == .serviceUnavailable)
        #expect(transport.requests.count == 1 && transport.requests.first?.headers[.userAgent] == "Mine/1.0")
    }

    @Test("Each reads the options that the pages show on it", arguments: Preset.allCases)
    func readsOptions(preset: Preset) async throws {
        let transport = InMemoryTransport { _ in
            Response(.ok, headers: [.contentType: "application/json"], body: #"{"name":"fern"}"#)
        }
        let chain = try preset.chain(
            over: transport,
            authentication: BearerAuthMiddleware(token: "sesame", for: "https://api.example.com"),
            environment: .virtual()
        )
        let fern = HTTPBody.value(Plant(name: "fern"))
        let read: [Request] = [
            .get("plants/{id}", path: ["id": 7], query: ["page": 2]),
            .get("plants").timeout(.seconds(3)).timeout(attempt: .seconds(1)),
            .get("plants").headers(.set("X-Tenant", to: "garden")).processing { $0.headers["X-Seen"] = "1" },
            .get("plants").retry(.never).statuses(adding: [404]).errorHandlers(.problemDetails),
            .get("plants").authentication(false).url(leavesOrigin: .allowed),
            .get("plants").caching(.off).cookies(.off).redirects(.never),
            .post("plants", body: fern).retry(idempotencyKey: true).encoding(under: "plant").serializer(.json)
                .compression(),
            .post("plants").multipart(MultipartForm(parameters: ["name": "fern"])),
        ]
        for request in read { _ = try await chain.send(request) }
        #expect(transport.requests.count == read.count)

        let progress = Request.get("plants").progress { _ in }
        let stored = Request.get("plants").caching(for: .exactly(.seconds(60)))
        for (request, isRead) in [(progress, preset != .server), (stored, preset == .mobile)] {
            if isRead {
                _ = try await chain.send(request)
            } else {
                await #expect(throws: UnreadOptionError.self) { try await chain.send(request) }
            }
        }
    }

    @Test("An upload at 50 KB/s for two minutes survives each of them", arguments: Preset.allCases)
    func slowUpload(preset: Preset) async throws {
        let clock = VirtualClock()
        let transport = InMemoryTransport { request in
            Response(.ok, headers: [.contentType: "text/plain"], body: HTTPBody("\(request.body.length ?? -1)"))
        }
        let chain = try preset.chain(over: transport, environment: .virtual(clock))
        let feed = ChunkFeed()
        let taken = Watched<Int64>(0)
        var request = Request.post("backup", body: feed.body)
        request.options[UploadProgressNote.self] = { sent, _ in taken.update { $0 = sent } }
        let sending = Task { [request] in try await chain.send(request) }
        for second in 1...120 as ClosedRange<Int64> {
            feed.send(Data(repeating: 0x61, count: 50_000))
            try await taken.wait { $0 >= second * 50_000 ? () : nil }
            clock.advance(by: .seconds(1))
        }
        feed.finish()
        let response = try await sending.value
        #expect(response.status == .ok && clock.elapsed == .seconds(120))
        #expect(taken.value == 6_000_000)
    }

    @Test("An upload whose network does not move is ended by each of them", arguments: Preset.allCases)
    func stalledUpload(preset: Preset) async throws {
        let clock = VirtualClock()
        let chain = try preset.chain(over: InMemoryTransport { _ in Response(.ok) }, environment: .virtual(clock))
        let feed = ChunkFeed()
        let taken = Watched(false)
        var request = Request.post("backup", body: feed.body)
        request.options[UploadProgressNote.self] = { _, _ in taken.update { $0 = true } }
        let sending = Task { [request] in try await chain.send(request) }
        feed.send(Data(repeating: 0x61, count: 50_000))
        try await taken.wait { $0 ? () : nil }
        clock.advance(by: .seconds(61))
        let error = try await #require(throws: TimeoutError.self) { try await sending.value }
        #expect(error.recoverySuggestion != nil && !error.reason.contains("try again"))
    }

    @Test("A server that sends a byte now and then does not hold a call of any of them", arguments: Preset.allCases)
    func drip(preset: Preset) async throws {
        let clock = VirtualClock()
        let feed = ChunkFeed()
        let transport = InMemoryTransport { _ in
            Response(.ok, headers: [.contentType: "text/plain"], body: feed.body)
        }
        let chain = try preset.chain(over: transport, environment: .virtual(clock))
        let response = try await chain.send(.get("plants"))
        let body = Task { try await response.body.collect() }
        for _ in 1..<(preset == .server ? 300 : 3_600) / 20 {
            try await feed.waitForDemand()
            clock.advance(by: .seconds(20))
            feed.send(Data([0x61]))
        }
        try await feed.waitForDemand()
        clock.advance(by: .seconds(20))
        let error = try await #require(throws: TimeoutError.self) { try await body.value }
        #expect(error.scope == .call)
    }

    @Test("The base of each holds, unless the call may leave it", arguments: Preset.allCases)
    func heldBase(preset: Preset) async throws {
        let transport = InMemoryTransport { _ in Response(.ok) }
        let chain = try preset.chain(over: transport, environment: .virtual())
        for url in ["//other.example/x", "https://other.example/x", "/\t/other.example/x"] {
            await #expect(throws: URLBuilderError.self) { try await chain.send(.get(url)) }
            _ = try await chain.send(Request.get(url).url(leavesOrigin: .allowed))
        }
        let other = Origin("https://other.example")
        #expect(transport.requests.map { Origin($0.url) } == [other, other, other])
    }

    @Test("An app of a base that is no URL does not build")
    func badBase() {
        #expect(throws: ChainOrderError.self) { try Chain.standard(base: "api.example.com") }
    }
}
