package import HTTPChainCore

/// An error of the client layer.
package protocol ClientError: ExplainedError {}

extension ClientError {
    /// Always "Client".
    package var failedStage: String { "Client" }
    /// The exchange of the underlying error, if there is one.
    package var failedExchange: ExchangeSnapshot? { (cause as? any HTTPChainError)?.exchange }
}
