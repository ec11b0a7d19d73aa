public import HTTPChainCore

/// The course of an upload that has ended.
public struct UploadSummary: Sendable, Hashable {
    /// The URL of the upload at the server.
    ///
    /// It may be all that is needed to change the upload, and counts as a secret.
    public let url: Secret
    /// Whether the server has all of the content.
    public let isComplete: Bool
    /// The number of bytes that the server had already when the call began: what an earlier call had sent.
    public let resumedAt: Int64
    /// The number of failures after which the call went on.
    public let attempts: Int
    /// The number of times that the upload was begun anew, because the server had lost it.
    public let restarts: Int
}

/// Carries the account of an upload; in short ``HTTPChainCore/Response/upload``.
public enum UploadSummaryOption: ResponseOption {
    /// The response is not that of an upload.
    public static var defaultValue: UploadSummary? { nil }
}

extension Response {
    /// The course of the upload that this response answers; `nil` for any other response.
    public var upload: UploadSummary? { options[UploadSummaryOption.self] }
}
