import HTTPTypes

/// The application's filter for what is stored, in addition to the rules.
struct CacheStoring: Sendable {
    let decide: (@Sendable (CacheMetadata, HTTPRequest) -> CacheMetadata?)?

    /// Whether a closure decides what is stored.
    var isByClosure: Bool { decide != nil }

    /// Returns the metadata to store; nil to store nothing.
    func apply(to metadata: CacheMetadata, _ request: HTTPRequest) -> CacheMetadata? {
        guard let decide else { return metadata }
        guard let wanted = decide(metadata, request) else { return nil }
        var result = metadata
        result.head.headerFields = wanted.head.headerFields
        result.classification = wanted.classification
        result.lifetime = wanted.lifetime
        return result
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
