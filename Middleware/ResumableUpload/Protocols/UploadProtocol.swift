public import HTTPChainCore

/// A protocol for resumable uploads.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum UploadProtocol: String, Sendable, Hashable, CustomStringConvertible, DescribedValue {
    /// tus 1.0.0, https://tus.io/protocols/resumable-upload, with the extensions creation, creation-with-upload,
    /// expiration, checksum and termination.
    case tus
    /// draft-ietf-httpbis-resumable-upload, drafts 09 to 12 (interop version 8).
    case draft

    /// The name and the version.
    package var words: String {
        switch self {
        case .tus: "tus \(Tus.version)"
        case .draft: "draft-ietf-httpbis-resumable-upload, interop version \(Draft.interopVersion)"
        }
    }
}
