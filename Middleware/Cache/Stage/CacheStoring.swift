import HTTPTypes

extension CacheRecorder {
    /// Applies the application's filter to metadata; returns nil if nothing may be stored.
    func filtered(_ metadata: CacheMetadata, _ request: HTTPRequest) -> CacheMetadata? {
        guard let filter else { return metadata }
        guard let wanted = filter(metadata, request) else { return nil }
        var result = metadata
        result.head.headerFields = wanted.head.headerFields
        result.classification = wanted.classification
        result.lifetime = wanted.lifetime
        return result
    }

    /// Applies the application's filter to updates.
    func filtered(
        _ updates: [(entry: CacheEntry, metadata: CacheMetadata?)],
        _ request: HTTPRequest
    ) -> [(entry: CacheEntry, metadata: CacheMetadata?)] {
        updates.map { ($0.entry, $0.metadata.flatMap { filtered($0, request) }) }
    }
}

extension CacheQuestion {
    /// Whether the call contacts the server regardless of what is stored.
    var isRefresh: Bool { settings.use == .refresh && key != nil }
}

extension HTTPFields {
    /// Asks caches on the path to validate, RFC 9111 §5.2.1.4.
    mutating func askForValidation() {
        guard !RequestDirectives(self).noCache else { return }
        append(HTTPField(name: .cacheControl, value: "no-cache"))
    }
}
