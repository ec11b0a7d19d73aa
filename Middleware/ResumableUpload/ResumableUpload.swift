public import HTTPChainCore

/// The upload settings of a single call.
package struct ResumableUpload: Sendable, Hashable {
    /// The identity of the content.
    ///
    /// A later call with the same identity, target and length resumes the upload.
    ///
    /// `nil`, the default, means the SHA-256 of bytes, or the path, size and modification time of a file.
    ///
    /// Content from a factory has no default identity. Unless one is set, its upload can be resumed only within the
    /// same call.
    package var identity: String?
    /// The metadata for a tus server, such as `filename` and `filetype` (`Upload-Metadata`); none by default.
    ///
    /// The draft uses HTTP fields instead (`Content-Type`, `Content-Disposition`), so a stage for the draft refuses
    /// metadata.
    package var metadata: [String: String]
    /// The treatment of the upload when the call is cancelled; the stage's setting by default.
    package var cancellation: ResumableUploadOptions.Cancellation?

    /// Makes the settings of an upload.
    ///
    /// - Parameters:
    ///   - identity: The identity of the content.
    ///   - metadata: The metadata for a tus server.
    ///   - cancellation: The treatment of the upload when the call is cancelled.
    package init(
        identity: String? = nil,
        metadata: [String: String] = [:],
        cancellation: ResumableUploadOptions.Cancellation? = nil
    ) {
        self.identity = identity
        self.metadata = metadata
        self.cancellation = cancellation
    }
}

/// The settings that make a request a resumable upload, for ``ResumableUploadMiddleware``.
///
/// See also ``HTTPChainCore/Request/resumableUpload(identity:metadata:cancellation:)``.
package enum ResumableUploadOption: RequestOption {
    /// `nil`: the stage's ``ResumableUploadOptions/selection`` decides.
    package static var defaultValue: ResumableUpload? { nil }
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".resumableUpload()", reader: "ResumableUploadMiddleware(…)", phase: .upload)
    }
    /// Returns whether a chain without the stage may ignore the value.
    package static func isHarmless(_ value: Value) -> Bool {
        value == nil
    }
}

/// Whether a resumable upload has metadata, which only a stage for tus sends.
package enum UploadMetadataOption: RequestOption {
    /// `false`: the upload has no metadata.
    package static var defaultValue: Bool { false }
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".resumableUpload(metadata:)", reader: "ResumableUploadMiddleware(.tus)", phase: .upload)
    }
    /// Returns whether a chain without the stage may ignore the value.
    package static func isHarmless(_ value: Value) -> Bool { !value }
}

extension Request {
    /// Returns the request as a resumable upload.
    ///
    /// ```swift
    /// let upload = Request.post("https://uploads.example.com/files", body: .file(file)).resumableUpload()
    /// let response = try await chain.send(upload)
    /// ```
    ///
    /// - Parameters:
    ///   - identity: The identity of the content. A later call with the same identity, target and length resumes the
    ///     upload. By default, it is the SHA-256 of bytes, or the path, size and modification time of a file. Content
    ///     from a factory has no default identity, so its upload can be resumed only within the same call.
    ///   - metadata: The metadata for a tus server, such as `filename` and `filetype` (`Upload-Metadata`); none by
    ///     default. The draft uses HTTP fields instead, so a chain for the draft refuses a request with metadata.
    ///   - cancellation: The treatment of the upload when the call is cancelled; the stage's setting by default.
    public consuming func resumableUpload(
        identity: String? = nil,
        metadata: [String: String] = [:],
        cancellation: ResumableUploadOptions.Cancellation? = nil
    ) -> Request {
        resumableUpload(ResumableUpload(identity: identity, metadata: metadata, cancellation: cancellation))
    }

    package consuming func resumableUpload(_ upload: ResumableUpload) -> Request {
        options[ResumableUploadOption.self] = upload
        if upload.metadata.isEmpty {
            options.remove(UploadMetadataOption.self)
        } else {
            options[UploadMetadataOption.self] = true
        }
        return self
    }
}

extension ResumableUpload: RedactedDisplay {
    /// The names of the metadata, and the treatment of a cancelled call.
    package var description: String {
        let names = metadata.keys.sorted().joined(separator: ", ")
        return "resumable upload" + (identity == nil ? "" : " with an identity")
            + (names.isEmpty ? "" : " (metadata: \(names))") + (cancellation.map { ", cancellation: \($0)" } ?? "")
    }
}
