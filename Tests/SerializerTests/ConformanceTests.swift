#if AllTests
import HTTPChainCore
import HTTPChainSerializer
import HTTPChainTesting
import HTTPTypes
import Testing

@Suite("The serializer as a stage")
struct SerializerConformanceTests {
    @Test(
        "The stage keeps the rules of every stage",
        .timeLimit(.minutes(10)),
        arguments: StageConformance.Check.allCases
    )
    func conformance(_ check: StageConformance.Check) async throws {
        try await StageConformance(stage: { SerializerMiddleware(.json, .form) }).verify(check)
    }

    @Test(
        "The stage keeps the rules while it decodes",
        .timeLimit(.minutes(10)),
        arguments: StageConformance.Check.allCases
    )
    func decoding(_ check: StageConformance.Check) async throws {
        try await StageConformance(
            request: {
                var request = StageConformance.defaultRequest
                request.options[ExpectedTypeNote.self] = String.self
                return request
            },
            stage: { SerializerMiddleware(.json, .text) }
        ).verify(check)
    }
}
#endif
