#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainRemoteLogging
import HTTPTypes
import Logging
import TestSupport
import Testing

private struct RetryMiddleware: Middleware {
    func intercept(_ request: consuming Request, next: Next) async throws -> Response { try await next(request) }
}

/// The examples of the documentation, which compile here.
@Suite("The documentation of exchange logs", .timeLimit(.minutes(10)))
struct ExchangeDocumentationTests {
    private let transport = InMemoryTransport { _ in Response(.ok) }

    @Test("The stage's example logs the call and its attempt")
    func stage() async throws {
        let shipper = ExchangeCapture()
        let chain = try Chain(transport: transport) {
            RemoteLoggingMiddleware(shipper, detailByLevel: [.error: .headers])
            RetryMiddleware()
            RemoteLoggingMiddleware(shipper, each: .attempt)
        }
        let order = try await chain.send(.get("https://shop.example.com/orders/42").logging(detail: .bodies))
        _ = try await order.body.collect()
        #expect(shipper.records.map(\.component) == ["http.client.attempt", "http.client"])
    }

    @Test("The other examples compile")
    func others() async throws {
        let chain = try Chain(transport: transport) {
            LogRequestsMiddleware(logger: Logger(label: "shop.http"), formatter: .short)
        }
        let logger = Logger(label: "shop.http")
        let stage = LogRequestsMiddleware(logger: logger, formatter: .short)
        #expect(stage.summary.name == "LogRequestsMiddleware")
        let fields = LoggedFields.standard.adding("X-Shard", "X-Feature-Flags")
        #expect(chain.stages.count == 1 && fields != .standard)
        if false {
            let response = try await chain.send(.get("orders/42").logging(detail: .bodies, attributes: ["order": 42]))
            let quiet = Request.get("health").logging(false)
            _ = (response, quiet)
        }
    }

    @Test(
        "Each example of the documentation is part of the tests",
        arguments: [
            "Stage/RemoteLoggingMiddleware.swift", "Stage/LogRequestsMiddleware.swift", "Stage/RequestLogging.swift",
            "../Redaction/LoggedFields.swift", "Format/LogFilter.swift", "Format/LogFormatter.swift",
        ]
    )
    func examples(page: String) throws {
        let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let folder = Repository.root
            .appendingPathComponent("Middleware/RemoteLogging/Exchange")
        let text = try String(contentsOf: folder.appendingPathComponent(page), encoding: .utf8)
        let tests = try ["ExchangeDocumentationTests", "FilterTests", "FormatterTests"].map {
            try String(contentsOf: here.appendingPathComponent("\($0).swift"), encoding: .utf8)
        }
        let source = Set(tests.joined().split(separator: "\n").map(words))
        var isExample = false
        var count = 0
        for line in text.split(separator: "\n").map(words) where line.first == "///" {
            if line.dropFirst().first?.hasPrefix("```") == true {
                isExample.toggle()
            } else if isExample, line.count > 1, line.dropFirst().first != "curl" {
                count += 1
                #expect(source.contains(Array(line.dropFirst())), "\(line)")
            }
        }
        #expect(count > 0)
    }

    private func words(_ line: Substring) -> [Substring] { line.split(separator: " ") }
}
#endif
