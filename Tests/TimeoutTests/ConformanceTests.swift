import Foundation
import HTTPChainCore
import HTTPChainInMemory
import HTTPChainTesting
import HTTPChainTimeout
import HTTPTypes
import Testing

@Suite("The stages keep the rules", .timeLimit(.minutes(10)))
struct ConformanceTests {
    static let stages: [any Middleware] = [
        TimeoutMiddleware(nil),
        TimeoutMiddleware(.seconds(30)),
        AttemptTimeoutMiddleware(),
        AttemptTimeoutMiddleware(.seconds(10)),
        AttemptTimeoutMiddleware(.seconds(10), covering: .response),
        AttemptTimeoutMiddleware(read: .seconds(5)),
        AttemptTimeoutMiddleware(.seconds(10), covering: .response, read: .seconds(5)),
    ]

    @Test(
        "Each stage keeps the rules in all configurations",
        arguments: stages.indices,
        StageConformance.Check.allCases
    )
    func conforms(index: Int, check: StageConformance.Check) async throws {
        try await StageConformance(clock: { VirtualClock() }) { Self.stages[index] }.verify(check)
    }

    @Test("The stages keep the rules with limits of the call", arguments: StageConformance.Check.allCases)
    func options(check: StageConformance.Check) async throws {
        let request: @Sendable () -> Request = {
            StageConformance.defaultRequest.timeout(.seconds(3)).timeout(
                response: .value(.seconds(1)),
                read: .value(.seconds(1))
            )
        }
        try await StageConformance(clock: { VirtualClock() }, request: request) { TimeoutMiddleware(nil) }.verify(check)
        try await StageConformance(clock: { VirtualClock() }, request: request) { AttemptTimeoutMiddleware() }
            .verify(check)
    }

    @Test("The stages keep the rules on the system's clock", arguments: StageConformance.Check.allCases)
    func systemClock(check: StageConformance.Check) async throws {
        let request: @Sendable () -> Request = {
            var request = StageConformance.defaultRequest
            request.environment = .live
            return request
        }
        try await StageConformance(request: request) { TimeoutMiddleware(.seconds(600)) }.verify(check)
        try await StageConformance(request: request) { AttemptTimeoutMiddleware(read: .seconds(600)) }.verify(check)
    }
}
