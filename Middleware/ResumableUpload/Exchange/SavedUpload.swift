import HTTPChainCore

/// An upload's entry in the store, used by one call at a time.
struct SavedUpload: Sendable {
    private let store: any UploadStore
    private let key: UploadKey
    private let request: Request

    init(_ key: UploadKey, in store: any UploadStore, for request: Request) {
        self.key = key
        self.store = store
        self.request = request
    }

    /// Returns the upload of an earlier call; nil if there is none, or the server has discarded it.
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
