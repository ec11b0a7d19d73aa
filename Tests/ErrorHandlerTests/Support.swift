import Foundation
import HTTPChainCore
import HTTPChainErrorHandler
import HTTPChainTesting
import HTTPTypes

/// An error with a response, as a stage makes it that is not ours.
struct StatusFailure: ResponseError {
    var response: Response
    var stage: String { "Test" }
    var reason: String { "the status is \(response.status.code)" }
    var exchange: ExchangeSnapshot? {
        ExchangeSnapshot(Request.get("https://api.example.com/a").head, response: response.head)
    }
}

/// Sends a request through a stage, where it is answered with a status that is an error.
func send(
    _ request: Request = .get("https://api.example.com/a"),
    answered status: HTTPResponse.Status,
    _ text: String,
    as contentType: String?,
    through stage: ErrorHandlerMiddleware
) async throws -> Response {
    var response = Response(status, body: HTTPBody(text))
    response.headers[.contentType] = contentType
    return try await send(request, failing: StatusFailure(response: response), through: stage)
}

func send(
    _ request: Request = .get("https://api.example.com/a"),
    failing error: any Error,
    through stage: ErrorHandlerMiddleware
) async throws -> Response {
    try await StageHarness(stage).send(request, answering: .failure(error)).response()
}
