import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainRequestProcessor
import HTTPChainTesting
import HTTPTypes
import Testing

private let url = "https://api.example.com/plants"

private enum Tenant: RequestOption {
    static var defaultValue: String? { nil }
    static func isHarmless(_ value: Value) -> Bool { true }
}

private struct Refused: Error, Equatable {
    let why: String
}

private struct TenantProcessor: RequestProcessor {
    func process(_ request: inout Request) async throws {
        guard let tenant = request.options[Tenant.self] else { throw Refused(why: "no tenant") }
        request.head.headerFields[.from] = tenant
    }
}

private func appending(_ text: String) -> ClosureRequestProcessor {
    ClosureRequestProcessor(text) { request in
        request.head.headerFields[.via, default: ""] += text
    }
}

extension HTTPFields {
    fileprivate subscript(name: HTTPField.Name, default fallback: String) -> String {
        get { self[name] ?? fallback }
        set { self[name] = newValue }
    }
}

@Suite("Request processors")
struct RequestProcessorTests {
    @Test("A processor sees head, body and options, and may change all of them")
    func changesAll() async throws {
        let stage = RequestProcessorMiddleware { request in
            let body = try await request.body.text()
            request.head.method = .put
            request.head.path = "/other"
            request.body = HTTPBody(body.uppercased())
            request.options[Tenant.self] = "garden"
        }
        let outcome = await StageHarness(stage).send(.post(url, body: "hello"))
        _ = try outcome.response()
        let request = try #require(outcome.requests.first)
        #expect(request.head.method == .put)
        #expect(request.url == "https://api.example.com/other")
        #expect(request.body.bytes == Data("HELLO".utf8))
        #expect(request.options[Tenant.self] == "garden")
    }

    @Test("Several processors run in order, those of the call after those of the stage")
    func order() async throws {
        let stage = RequestProcessorMiddleware(appending("a"), appending("b"))
        let request = Request.get(url).processing(by: appending("c")).processing { request in
            request.head.headerFields[.via, default: ""] += "d"
        }
        let outcome = await StageHarness(stage).send(request)
        #expect(outcome.requests.first?.head.headerFields[.via] == "abcd")
    }

    @Test("A processor of the call runs once in a chain with several stages, and does not stay on the request")
    func runsOnce() async throws {
        let transport = InMemoryTransport()
        transport.enqueue(ScriptedReply(.ok))
        let chain = try Chain(transport: transport) {
            RequestProcessorMiddleware(appending("a"))
            RequestProcessorMiddleware(appending("b"))
            ClosureMiddleware { request, next in
                #expect(!request.options.contains(ProcessingOption.self))
                return try await next(request)
            }
        }
        _ = try await chain.send(.get(url).processing(by: appending("c")))
        #expect(transport.requests.first?.headers[.via] == "acb")
    }

    @Test("A refusal reaches the caller unchanged, and nothing is sent")
    func refusal() async throws {
        let stage = RequestProcessorMiddleware(TenantProcessor(), appending("a"))
        let outcome = await StageHarness(stage).send(.get(url), answering: [])
        #expect(outcome.error as? Refused == Refused(why: "no tenant"))
        #expect(outcome.requests.isEmpty)
        let call = Request.get(url).processing { _ in throw Refused(why: "not now") }
        let other = await StageHarness(RequestProcessorMiddleware()).send(call, answering: [])
        #expect(other.error as? Refused == Refused(why: "not now"))
    }

    @Test("A processor that waits is cancelled with the call")
    func cancellation() async throws {
        let stage = RequestProcessorMiddleware { request in
            try await request.environment.time.sleep(for: .seconds(60))
        }
        let clock = VirtualClock()
        let task = Task { await StageHarness(stage, clock: clock).send(.get(url), answering: []) }
        try await clock.waitForSleepers()
        task.cancel()
        #expect(await task.value.error is CancellationError)
    }

    @Test("A stage with no processors passes requests on, and its summary names those it has")
    func summary() async throws {
        let outcome = await StageHarness(RequestProcessorMiddleware()).send(.get(url))
        #expect(outcome.requests.count == 1)
        let chain = try Chain(transport: InMemoryTransport()) {
            RequestProcessorMiddleware(TenantProcessor(), appending("via"))
            RequestProcessorMiddleware("signature") { _ in }
        }
        let text = chain.explain()
        #expect(text.contains("build"))
        #expect(text.contains("processors: TenantProcessor, via"))
        #expect(text.contains("processors: signature"))
    }

    @Test(
        "The stage keeps the rules of every stage",
        .timeLimit(.minutes(10)),
        arguments: StageConformance.Check.allCases
    )
    func conformance(_ check: StageConformance.Check) async throws {
        try await StageConformance(
            request: { StageConformance.defaultRequest.processing(by: appending("call")) },
            stage: { RequestProcessorMiddleware(appending("stage")) }
        ).verify(check)
    }
}
