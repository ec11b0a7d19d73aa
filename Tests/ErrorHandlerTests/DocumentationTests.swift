import HTTPChainCore
import HTTPChainErrorHandler
import HTTPChainInMemory
import HTTPChainStatusValidation
import HTTPTypes
import Testing

@Suite("The examples of the documentation")
struct DocumentationTests {
    private struct PlantError: Decodable, Sendable {
        var code: Int
    }

    private struct Plant: Decodable, Sendable {}

    @Test(
        "The examples make errors of what the service says",
        arguments: [
            ("application/problem+json", #"{"title": "No credit", "balance": 30}"#, "No credit 30"),
            ("application/json", #"{"code": 7}"#, "7"),
        ]
    )
    func page(type: String, content: String, expected: String) async throws {
        let transport = InMemoryTransport { _ in
            Response(.forbidden, headers: [.contentType: type], body: HTTPBody(content))
        }
        var printed = ""
        func print(_ items: Any...) { printed = items.map { "\($0)" }.joined(separator: " ") }
        let chain = try Chain(transport: transport) {
            ErrorHandlerMiddleware(.problemDetails, .decoding(PlantError.self).limited(to: .clientError))
            StatusValidationMiddleware()
        }
        do {
            _ = try await chain.send(.get("https://api.example.com/plants/7"))
        } catch let error as ServiceError<ProblemDetails> {
            print(error.details.title ?? "", error.details.extensions["balance"]?.integer ?? 0)
        } catch let error as ServiceError<PlantError> {
            print(error.details.code)
        }
        #expect(printed == expected)
    }

    @Test("The examples give a caller a value instead of a status")
    func fallback() async throws {
        let transport = InMemoryTransport { _ in Response(.notFound) }
        let chain = try Chain(transport: transport) {
            ErrorHandlerMiddleware()
            StatusValidationMiddleware()
        }
        let plants = try await chain.send(
            .get("https://api.example.com/plants").errorHandlers(.fallback([Plant](), for: [404])),
            as: [Plant].self
        )
        #expect(plants.isEmpty)
    }
}
