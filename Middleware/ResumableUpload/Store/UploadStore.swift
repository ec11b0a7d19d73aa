/// Stores incomplete uploads, so that a later call with the same content can resume them.
///
/// A store is read once for each upload. It is updated when the upload is created, after each part, and when the upload
/// ends. It stores uploads unchanged. It may remove the oldest at any time; such an upload is then restarted.
public protocol UploadStore: Sendable {
    /// Returns the upload of a key, or `nil` if there is none.
    func upload(for key: UploadKey) async throws -> StoredUpload?
    /// Stores an upload, replacing the key's existing one.
    func keep(_ upload: StoredUpload, for key: UploadKey) async throws
    /// Removes the upload of a key, if there is one.
    func forget(_ key: UploadKey) async throws
}
