public import HTTPChainCore
import HTTPTypes

/// The key of an upload in a store: a digest of the upload's target, content and user, which doesn't reveal them.
public struct UploadKey: Sendable, Hashable, CustomStringConvertible, DescribedValue {
    /// 64 hexadecimal digits.
    package let words: String

    /// - Returns: `nil` if the content has no identity, or if the request's user is unknown. In these cases, a later
    ///   call can't be recognized as the same.
    init?(
        _ request: Request,
        _ content: UploadContent,
        over name: UploadProtocol,
        described upload: ResumableUpload,
        owner: UploadOwner
    ) async throws {
        guard let owner = owner.name else { return nil }
        var identity = upload.identity.map { "given \($0)" }
        if identity == nil { identity = try await content.identity() }
        guard let identity else { return nil }
        let metadata = upload.metadata.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
        let parts =
            [
                name.rawValue, request.method.rawValue, request.url, request.headers[.contentType] ?? "",
                "\(content.length)", owner, identity,
            ] + metadata
        // The lengths are included, so that different lists of parts never result in the same text.
        words = SHA256Digest.hex(of: parts.map { "\($0.utf8.count):\($0)" }.joined())
    }
}
