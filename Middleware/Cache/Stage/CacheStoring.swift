public import HTTPTypes

/// An application's filter for what is stored, in addition to the rules.
///
/// ```swift
/// let cache = CacheMiddleware(
///     store: .memory(limit: .megabytes(50)),
///     storing: .by { metadata, request in
///         guard metadata.head.headerFields[.contentType] != "text/event-stream" else { return nil }
///         var metadata = metadata
///         metadata.head.headerFields[.setCookie] = nil
///         return metadata
///     }
/// )
/// ```
///
/// The filter runs before a response that the rules allow is stored, and again whenever its description changes: after
/// a 304 and after a response to HEAD (RFC 9111 §4.3.4, §4.3.5). The caller's response is unchanged.
public struct CacheStoring: Sendable {
    private let decide: (@Sendable (CacheMetadata, HTTPRequest) -> CacheMetadata?)?

    private init(_ decide: (@Sendable (CacheMetadata, HTTPRequest) -> CacheMetadata?)?) {
        self.decide = decide
    }

    /// Stores responses as received.
    public static var asReceived: CacheStoring { CacheStoring(nil) }

    /// Rewrites what is stored, or prevents storing, with a closure.
    ///
    /// - Parameter decide: Receives the metadata to be stored and the caller's request. Returns the metadata to store,
    ///   or nil to store nothing and remove what was stored before. It may change header fields, class and lifetime;
    ///   changes to status, variant, times and content are ignored. It must return quickly.
    public static func by(
        _ decide: @escaping @Sendable (_ metadata: CacheMetadata, _ request: HTTPRequest) -> CacheMetadata?
    ) -> CacheStoring {
        CacheStoring(decide)
    }

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
