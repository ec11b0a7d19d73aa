public import HTTPTypes

/// The choice of responses to store, where the application has a say beside the rules.
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
/// It is asked when a response is to be stored that the rules let be stored, and again each time its description changes:
/// with a 304 and with the answer to HEAD (RFC 9111 §4.3.4, §4.3.5). The caller's response is as it came.
public struct CacheStoring: Sendable {
    private let decide: (@Sendable (CacheMetadata, HTTPRequest) -> CacheMetadata?)?

    private init(_ decide: (@Sendable (CacheMetadata, HTTPRequest) -> CacheMetadata?)?) {
        self.decide = decide
    }

    /// Responses are stored as they came.
    public static var asReceived: CacheStoring { CacheStoring(nil) }

    /// A closure rewrites what is stored, or refuses to store.
    ///
    /// - Parameter decide: Is given what would be stored, and the caller's request. It returns what is stored instead, and
    ///   nil to store nothing; what was stored before is then removed. Header fields, class and lifetime may be changed;
    ///   status, variant, times and content stay as they are. It must return quickly.
    public static func by(
        _ decide: @escaping @Sendable (_ metadata: CacheMetadata, _ request: HTTPRequest) -> CacheMetadata?
    ) -> CacheStoring {
        CacheStoring(decide)
    }

    /// Returns the metadata that is to be stored; nil for nothing.
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
    /// Whether the call asks the server, whatever is stored.
    var isRefresh: Bool { settings.use == .refresh && key != nil }
}

extension HTTPFields {
    /// Tells caches on the way to ask the server, RFC 9111 §5.2.1.4.
    mutating func askForValidation() {
        guard !RequestDirectives(self).noCache else { return }
        append(HTTPField(name: .cacheControl, value: "no-cache"))
    }
}
