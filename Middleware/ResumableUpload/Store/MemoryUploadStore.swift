import HTTPChainCore

/// Keeps uploads in memory: they go on in another call of the same process.
public final class MemoryUploadStore: UploadStore {
    private struct State {
        var uploads: [UploadKey: StoredUpload] = [:]
        /// The keys, the one that was kept longest ago first.
        var order: [UploadKey] = []
    }

    private let limit: Int
    private let state = Locked(State())

    /// Makes a store.
    ///
    /// - Parameter limit: How many uploads it keeps at most; 1000 by default. One more takes the place of the one that
    ///   was told of longest ago.
    public init(limit: Int = 1000) {
        self.limit = max(1, limit)
    }

    /// The number of uploads that are kept.
    public var count: Int { state.withLock { $0.uploads.count } }

    /// The upload of a key; `nil` where there is none.
    public func upload(for key: UploadKey) -> StoredUpload? { state.withLock { $0.uploads[key] } }

    /// Keeps an upload in place of what there is for the key.
    public func keep(_ upload: StoredUpload, for key: UploadKey) {
        state.withLock { state in
            if state.uploads.updateValue(upload, forKey: key) != nil { state.order.removeAll { $0 == key } }
            state.order.append(key)
            if state.order.count > limit { state.uploads[state.order.removeFirst()] = nil }
        }
    }

    /// Forgets the upload of a key, if there is one.
    public func forget(_ key: UploadKey) {
        state.withLock { state in
            if state.uploads.removeValue(forKey: key) != nil { state.order.removeAll { $0 == key } }
        }
    }
}
