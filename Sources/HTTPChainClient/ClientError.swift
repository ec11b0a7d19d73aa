package import HTTPChainCore

/// An error of the client layer.
package protocol ClientError: ExplainedError {}

extension ClientError {
    /// Always "Client".
    public var stage: String { "Client" }
    /// The exchange of the underlying error, if there is one.
    public var exchange: ExchangeSnapshot? { (underlyingError as? any HTTPChainError)?.exchange }
}
