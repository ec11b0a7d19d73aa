import HTTPChainCore
import HTTPTypes

/// The name of an upload in a store: a digest of its target, its content and whose it is, of which nothing can be told
/// from it.
public struct UploadKey: Sendable, Hashable, CustomStringConvertible {
    /// 64 hexadecimal digits.
    public let description: String

    /// - Returns: nil when the content has no name, or nobody can tell whose the request is: then no later call can be
    ///   the same.
    init?(
        _ request: Request,
        _ content: UploadContent,
        over name: UploadProtocol,
        described upload: ResumableUpload,
        partition: UserPartition
    ) async throws {
        guard case .user(let owner) = try await partition.owner(of: request) else { return nil }
        var identity = upload.identity.map { "given \($0)" }
        if identity == nil { identity = try await content.identity() }
        guard let identity else { return nil }
        let metadata = upload.metadata.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
        let parts =
            [
                name.rawValue, request.method.rawValue, request.url, request.headers[.contentType] ?? "",
                "\(content.length)", owner, identity,
            ] + metadata
        // With their lengths, so that no two lists of parts are the same text.
        description = SHA256Digest.hex(of: parts.map { "\($0.utf8.count):\($0)" }.joined())
    }
}
