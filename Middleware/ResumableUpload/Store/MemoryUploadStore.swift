import HTTPChainCore

/// Stores uploads in memory, so that another call of the same process can resume them.
package final class MemoryUploadStore: UploadStore {
    private struct State {
        var uploads: [UploadKey: StoredUpload] = [:]
        /// The keys, least recently updated first.
        var order: [UploadKey] = []
    }

    private let limit: Int
    private let state = Locked(State())

    /// Makes a store.
    ///
    /// - Parameter limit: The maximum number of uploads; 1000 by default. Beyond it, the least recently updated one is
    ///   removed.
    package init(limit: Int = 1000) {
        self.limit = max(1, limit)
    }

    /// The number of uploads.
    package var count: Int { state.withLock { $0.uploads.count } }

    /// Returns the upload of a key, or `nil` if there is none.
    package func upload(for key: UploadKey) -> StoredUpload? { state.withLock { $0.uploads[key] } }

    /// Stores an upload, replacing the key's existing one.
    package func keep(_ upload: StoredUpload, for key: UploadKey) {
        state.withLock { state in
            if state.uploads.updateValue(upload, forKey: key) != nil { state.order.removeAll { $0 == key } }
            state.order.append(key)
            if state.order.count > limit { state.uploads[state.order.removeFirst()] = nil }
        }
    }

    /// Removes the upload of a key, if there is one.
    package func forget(_ key: UploadKey) {
        state.withLock { state in
            if state.uploads.removeValue(forKey: key) != nil { state.order.removeAll { $0 == key } }
        }
    }
}
