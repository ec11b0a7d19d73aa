public import HTTPTypes

/// An attempt and its result, for a closure that decides on a retry, or on what the attempt shows about the server.
public struct CompletedAttempt: Sendable {
    /// The head of the request as received by the stage.
    public let request: HTTPRequest
    /// The number of the attempt, starting with 1.
    public let attempt: Int
    /// The head of the response, or the error, of the exchange or of reading the body.
    public let result: Result<HTTPResponse, any Error>

    package init(request: HTTPRequest, attempt: Int, result: Result<HTTPResponse, any Error>) {
        self.request = request
        self.attempt = attempt
        self.result = result
    }
}

extension CompletedAttempt: DescribedValue, RedactedDisplay {
    /// The exchange, with secrets redacted, and the error if there is one.
    package var words: String {
        let exchange = ExchangeSnapshot(request, response: try? result.get())
        guard case .failure(let error) = result else { return "attempt \(attempt): \(exchange)" }
        return "attempt \(attempt): \(exchange) → \(error)"
    }
}
