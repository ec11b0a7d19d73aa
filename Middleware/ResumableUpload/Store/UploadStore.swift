/// Keeps incomplete uploads, so that a later call with the same content can resume them.
///
/// A store is read once for each upload. It's updated when the upload is created, after each part, and when the upload
/// ends. It keeps uploads unchanged, and may remove the oldest at any time, after which an upload starts again.
public protocol UploadStore: Sendable {
    /// Returns the upload of a key; `nil` if there is none.
    func upload(for key: UploadKey) async throws -> StoredUpload?
    /// Keeps an upload, replacing the key's existing one.
    func keep(_ upload: StoredUpload, for key: UploadKey) async throws
    /// Removes the upload of a key, if there is one.
    func forget(_ key: UploadKey) async throws
}
