import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainRequestProcessor
import HTTPChainTesting
import HTTPTypes
import TestSupport
import Testing

struct SigningProcessor: RequestProcessor {
    let sign: @Sendable (Data) async throws -> String

    func process(_ request: inout Request) async throws {
        let bytes = try await request.body.collect(upTo: .mebibytes(1))
        request.head.headerFields[.signature] = try await sign(bytes)
    }
}

extension HTTPField.Name {
    fileprivate static let signature = HTTPField.Name.via
}

private struct Closed: Error {}

private actor Shop {
    private(set) var isOpen = true
    func close() { isOpen = false }
}

@Suite("The documentation's example")
struct DocumentationTests {
    @Test("The example does what the page says")
    func example() async throws {
        let transport = InMemoryTransport()
        transport.enqueue(ScriptedReply(.ok))
        let shop = Shop()
        let sign: @Sendable (Data) async throws -> String = { "\($0.count) bytes" }

        let chain = try Chain(transport: transport) {
            RequestProcessorMiddleware()
            RequestProcessorMiddleware(SigningProcessor(sign: sign), at: .digest)
        }
        let request = Request.post("https://api.example.com/orders", body: "tea").processing { request in
            guard await shop.isOpen else { throw Closed() }
            request.head.path = "/v2" + (request.head.path ?? "")
        }
        let response = try await chain.send(request)

        #expect(response.status == .ok)
        #expect(transport.requests.first?.head.path == "/v2/orders")
        #expect(transport.requests.first?.headers[.signature] == "3 bytes")
        await shop.close()
        await #expect(throws: Closed.self) { try await chain.send(request) }
        #expect(transport.requestCount == 1)
    }

    @Test("A call brings a processor of its own, as the page says")
    func ofOneCall() async throws {
        let transport = InMemoryTransport()
        transport.enqueue(ScriptedReply(.ok))
        let sign: @Sendable (Data) async throws -> String = { "\($0.count) bytes" }
        let chain = try Chain(transport: transport) { RequestProcessorMiddleware() }

        let request = Request.get("https://api.example.com/orders").processing(by: SigningProcessor(sign: sign))
        let response = try await chain.send(request)

        #expect(response.status == .ok)
        #expect(transport.requests.first?.headers[.signature] == "0 bytes")
    }

    @Test("Each example of the page is part of this file, and so compiles")
    func compiles() throws {
        let folder = "Middleware/RequestProcessor/Documentation.docc"
        let examples = try PageExamples(of: "\(folder)/HTTPChainRequestProcessor.md")
        #expect(examples.count == 3)
        #expect(examples.missing.isEmpty)
    }
}
