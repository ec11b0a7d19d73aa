import HTTPChainSupport
import HTTPTypes

/// Header fields of both protocols that no other module uses.
extension HTTPField.Name {
    static let uploadChecksum = Self(constant: "Upload-Checksum")
    static let uploadComplete = Self(constant: "Upload-Complete")
    static let uploadDraftInteropVersion = Self(constant: "Upload-Draft-Interop-Version")
    static let uploadExpires = Self(constant: "Upload-Expires")
    static let uploadLimit = Self(constant: "Upload-Limit")
    static let uploadMetadata = Self(constant: "Upload-Metadata")
    static let tusExtension = Self(constant: "Tus-Extension")
    static let tusMaxSize = Self(constant: "Tus-Max-Size")
}
