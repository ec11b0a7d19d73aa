import HTTPChainCore

/// An upload's entry in the store, used by one call at a time.
struct SavedUpload: Sendable {
    let store: any UploadStore
    let key: UploadKey
    let request: Request

    /// Returns the upload of an earlier call, or `nil` if there is none or the server has discarded it.
    func find(length: Int64) async throws -> StoredUpload? {
        guard let upload = try await request.withinDeadline({ [store, key] in try await store.upload(for: key) })
        else { return nil }
        guard upload.length == length, !upload.isExpired(at: request.environment.time.date) else {
            try await forget()
            return nil
        }
        return upload
    }

    func keep(_ upload: StoredUpload) async throws {
        try await request.withinDeadline { [store, key] in try await store.keep(upload, for: key) }
    }

    func forget() async throws {
        try await request.withinDeadline { [store, key] in try await store.forget(key) }
    }
}
