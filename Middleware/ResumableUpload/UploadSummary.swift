public import HTTPChainCore

/// The result of an upload.
public struct UploadSummary: Sendable, Hashable {
    /// The URL of the upload on the server.
    ///
    /// Knowing the URL may be enough to change the upload, so it is treated as a secret.
    public let url: Secret
    /// Whether the server has received all of the content.
    package let isComplete: Bool
    /// The number of bytes that the server had already received from an earlier call.
    public let resumedAt: Int64
    /// The number of failures that were retried.
    package let attempts: Int
    /// The number of restarts because the server had lost the upload.
    package let restarts: Int
}

/// The summary of an upload; see also ``HTTPChainCore/Response/upload``.
package enum UploadSummaryFact: ResponseOption {
    /// `nil`: the response doesn't belong to an upload.
    package static var defaultValue: UploadSummary? { nil }
}

extension Response {
    /// The result of the upload, or `nil` for other responses.
    public var upload: UploadSummary? { options[UploadSummaryFact.self] }
}
