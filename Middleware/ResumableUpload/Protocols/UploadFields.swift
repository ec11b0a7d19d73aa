import HTTPChainSupport
import HTTPTypes

/// The header fields of both protocols.
extension HTTPField.Name {
    static let uploadChecksum = Self(constant: "Upload-Checksum")
    static let uploadComplete = Self(constant: "Upload-Complete")
    static let uploadDraftInteropVersion = Self(constant: "Upload-Draft-Interop-Version")
    static let uploadExpires = Self(constant: "Upload-Expires")
    static let uploadLength = Self(constant: "Upload-Length")
    static let uploadLimit = Self(constant: "Upload-Limit")
    static let uploadMetadata = Self(constant: "Upload-Metadata")
    static let uploadOffset = Self(constant: "Upload-Offset")
    static let tusChecksumAlgorithm = Self(constant: "Tus-Checksum-Algorithm")
    static let tusExtension = Self(constant: "Tus-Extension")
    static let tusMaxSize = Self(constant: "Tus-Max-Size")
    static let tusResumable = Self(constant: "Tus-Resumable")
}
