/// Keeps the uploads that are not complete, so that a later call with the same content goes on with them.
///
/// A store is asked once for each upload, told when it was created, after each part, and when it is over. It keeps what
/// it is given as it is, and may forget the oldest at any time: then an upload begins anew.
public protocol UploadStore: Sendable {
    /// The upload of a key; `nil` where there is none.
    func upload(for key: UploadKey) async throws -> StoredUpload?
    /// Keeps an upload in place of what there is for the key.
    func keep(_ upload: StoredUpload, for key: UploadKey) async throws
    /// Forgets the upload of a key, if there is one.
    func forget(_ key: UploadKey) async throws
}
