public import HTTPChainCore

/// The result of an upload.
public struct UploadSummary: Sendable, Hashable {
    /// The URL of the upload at the server.
    ///
    /// The URL may be all that is needed to change the upload, so it's treated as a secret.
    public let url: Secret
    /// Whether the server has the whole content.
    package let isComplete: Bool
    /// The number of bytes that the server already had from an earlier call.
    public let resumedAt: Int64
    /// The number of failures after which the call continued.
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
    /// The result of the upload; `nil` for other responses.
    public var upload: UploadSummary? { options[UploadSummaryFact.self] }
}
