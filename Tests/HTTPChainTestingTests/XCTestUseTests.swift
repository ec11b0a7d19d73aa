#if AllTests
import HTTPChainCore
import HTTPChainTesting
import HTTPTypes
import XCTest

/// The kit throws what it finds, so that it serves XCTest as well.
final class XCTestUseTests: XCTestCase {
    func testAStageIsDrivenAndHeldToTheRules() async throws {
        let stage = ClosureMiddleware { request, next in
            request.head.headerFields[.accept] = "text/plain"
            return try await next(request)
        }
        let outcome = await StageHarness(stage).send(.get("https://example.com"), answering: .ok("text"))
        try await expectRequest(XCTUnwrap(outcome.requests.first), .get, headers: [.accept: "text/plain"])
        try await expectResponse(outcome.response(), .ok, body: "text")
        try await StageConformance { stage }.verifyAll()
    }

    func testADifferenceIsThrown() async {
        do {
            try await expectResponse(Response(.ok), .created)
            XCTFail("200 is not 201")
        } catch {
            XCTAssertEqual("\(error)", "the response is not as expected:\n  - the status is 200 OK, not 201 Created")
        }
    }
}
#endif
