public import HTTPChainCore

/// The wishes of one call for its upload.
public struct ResumableUpload: Sendable, Hashable {
    /// A name for the content, by which a later call with the same target and length goes on with the upload; `nil`, the
    /// default, for the SHA-256 of bytes, and path, size and time of modification of a file.
    ///
    /// Content from a factory has no name of its own: without one its upload goes on within its call alone.
    public var identity: String?
    /// The metadata that a tus server gets with the upload, such as `filename` and `filetype` (`Upload-Metadata`);
    /// nothing by default.
    ///
    /// The draft has fields of HTTP for that (`Content-Type`, `Content-Disposition`), and none of it is sent.
    public var metadata: [String: String]
    /// The fate of the upload when the call is cancelled; as the stage is set by default.
    public var cancellation: ResumableUploadOptions.Cancellation?

    /// Describes an upload.
    ///
    /// - Parameters:
    ///   - identity: A name for the content.
    ///   - metadata: What a tus server is told about it.
    ///   - cancellation: What becomes of it when the call is cancelled.
    public init(
        identity: String? = nil,
        metadata: [String: String] = [:],
        cancellation: ResumableUploadOptions.Cancellation? = nil
    ) {
        self.identity = identity
        self.metadata = metadata
        self.cancellation = cancellation
    }
}

/// Whether a request is an upload that can be continued, for ``ResumableUploadMiddleware``; in short
/// ``HTTPChainCore/Request/resumable(_:)``.
public enum ResumableUploadOption: RequestOption {
    /// As the stage is set.
    public static var defaultValue: ResumableUpload? { nil }
}

extension Request {
    /// The request as an upload that can be continued.
    ///
    /// ```swift
    /// let response = try await chain.send(.post("https://uploads.example.com/files", body: .file(file)).resumable())
    /// ```
    ///
    /// - Parameter upload: What there is to say about it.
    public consuming func resumable(_ upload: ResumableUpload = ResumableUpload()) -> Request {
        options[ResumableUploadOption.self] = upload
        return self
    }
}
