import HTTPTypes

/// The header fields of both protocols.
extension HTTPField.Name {
    static let uploadChecksum = upload("Upload-Checksum")
    static let uploadComplete = upload("Upload-Complete")
    static let uploadDraftInteropVersion = upload("Upload-Draft-Interop-Version")
    static let uploadExpires = upload("Upload-Expires")
    static let uploadLength = upload("Upload-Length")
    static let uploadLimit = upload("Upload-Limit")
    static let uploadMetadata = upload("Upload-Metadata")
    static let uploadOffset = upload("Upload-Offset")
    static let tusChecksumAlgorithm = upload("Tus-Checksum-Algorithm")
    static let tusExtension = upload("Tus-Extension")
    static let tusMaxSize = upload("Tus-Max-Size")
    static let tusResumable = upload("Tus-Resumable")

    private static func upload(_ name: String) -> Self { Self(name) ?? .via }
}
