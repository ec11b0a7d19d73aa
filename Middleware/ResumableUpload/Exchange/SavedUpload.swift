import HTTPChainCore

/// The place of one upload in the store, which one call at a time has.
struct SavedUpload: Sendable {
    private let store: any UploadStore
    private let key: UploadKey
    private let request: Request

    init(_ key: UploadKey, in store: any UploadStore, for request: Request) {
        self.key = key
        self.store = store
        self.request = request
    }

    /// The upload that an earlier call left; nil when there is none, or the server is done with it.
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
