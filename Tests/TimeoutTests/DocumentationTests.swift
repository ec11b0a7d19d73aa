import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPChainTimeout
import HTTPTypes
import TestSupport
import Testing

/// The same chain on a clock that stands still.
private func still(_ chain: Chain) throws -> Chain {
    try Chain(chain.stages, transport: chain.transport, environment: .virtual())
}

/// The code of the stages' documentation, which compiles here.
private enum Page {
    static func call(_ transport: some Transport) async throws -> Data {
        let report: Data
        // begin TimeoutMiddleware
        let chain = try Chain(transport: transport) {
            TimeoutMiddleware(.seconds(30))
            AttemptTimeoutMiddleware()
        }
        do {
            // end
            let chain = try still(chain)
            // begin TimeoutMiddleware
            let response = try await chain.send(.get("https://api.example.com/reports/7").timeout(.seconds(90)))
            report = try await response.body.collect()
        } catch let error as TimeoutError {
            print(error)  // the limit, the elapsed time, and how much had been sent and received
            // end
            report = Data("\(error.scope)".utf8)
            // begin TimeoutMiddleware
        }
        // end
        return report
    }

    static func attempt(_ transport: some Transport) throws -> Chain {
        // begin AttemptTimeoutMiddleware
        let chain = try Chain(transport: transport) {
            TimeoutMiddleware(.seconds(60))
            AttemptTimeoutMiddleware(connect: .seconds(10), response: .seconds(20))
        }
        // end
        return chain
    }

    static func options(_ chain: Chain) async throws -> [Response] {
        // begin TimeoutOptions
        let report = try await chain.send(.get("reports/7").timeout(.seconds(90)))
        let events = try await chain.send(.get("events").timeout(nil))
        // end
        // begin TimeoutOptions
        let stream = try await chain.send(.get("events").timeout(read: .off))
        // end
        return [report, events, stream]
    }
}

@Suite("The documentation")
struct DocumentationTests {
    @Test(
        "The documentation shows code that compiles",
        arguments: ["TimeoutMiddleware", "AttemptTimeoutMiddleware", "TimeoutOptions"]
    )
    func examples(file: String) throws {
        let page = try Repository.text("Middleware/Timeout/\(file).swift")
        let code = try String(contentsOfFile: #filePath, encoding: .utf8)
        let shown = page.lines(between: "/// ```swift", "/// ```").map {
            $0.dropFirst(3).trimmingCharacters(in: .whitespaces)
        }
        #expect(!shown.isEmpty)
        #expect(shown == code.lines(between: "// begin \(file)", "// end"))
    }

    @Test("The documentation shows code that works")
    func works() async throws {
        let transport = InMemoryTransport { _ in Response(.ok, body: "report") }
        #expect(try await Page.call(transport) == Data("report".utf8))
        #expect(try await still(Page.attempt(transport)).send(.get("https://api.example.com/")).status == .ok)
        #expect(try await Page.options(still(Page.attempt(Server { _ in Response(.ok) }))).count == 3)
    }
}
