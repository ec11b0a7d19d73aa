package import Foundation
import HTTPChainCore
import HTTPChainSupport
package import HTTPTypes

extension HTTPFields {
    /// Removes the digests of a message's content (RFC 9530 §2, RFC 1864), because the message now has other content.
    ///
    /// `Repr-Digest` is kept, because it is the digest of the whole representation, of which the content may be a part.
    mutating func removeContentDigests() {
        self[.contentDigest] = nil
        self[.contentMD5] = nil
    }
}

extension CacheRules {
    /// The fields that are never stored: fields of the connection and of a proxy, RFC 9111 §3.1, RFC 9110 §7.6.1.
    private static let neverStored: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "te", "transfer-encoding", "upgrade", "proxy-authenticate",
        "proxy-authentication-info", "proxy-authorization",
    ]

    /// The fields of a stored response that later responses never update, RFC 9111 §3.2, because they describe the
    /// bytes of their own message.
    private static let neverUpdated: Set<String> = [
        "content-length", "content-encoding", "content-range", "content-digest", "content-md5",
    ]

    /// Returns the fields of a response to store.
    ///
    /// Fields named by `no-cache` are omitted, because they must not be used without validation (§5.2.2.4). In a shared
    /// cache, those named by `private` are omitted, too (§5.2.2.7). If a targeted field applies, its directives are
    /// used instead (RFC 9213 §2.2).
    ///
    /// - Parameter directives: The directives that apply to this cache.
    func storedFields(_ fields: HTTPFields, by directives: ResponseDirectives, _ received: Date) -> HTTPFields {
        var dropped = Set(directives.noCacheFields)
        if isShared { dropped.formUnion(directives.privateFields) }
        for line in fields[values: .connection] {
            dropped.formUnion(line.pieces(at: ",").map { $0.trimming().lowercased() })
        }
        let isDropped = { (name: String) in Self.neverStored.contains(name) || dropped.contains(name) }
        var stored =
            fields.contains { isDropped($0.name.canonicalName) }
            ? HTTPFields(fields.filter { !isDropped($0.name.canonicalName) }) : fields
        // RFC 9110 §6.6.1: a recipient adds the date to a response without one.
        if !stored.contains(.date) { stored[.date] = HTTPDate(received).description }
        return stored
    }

    /// §3.4: combines the fields of parts; newer fields replace stored ones.
    ///
    /// The digests of a complete stored response are kept. Those of a stored part are removed, because they don't cover
    /// the combined content.
    func combinedFields(of stored: CacheEntry, with metadata: CacheMetadata) -> HTTPFields {
        var fields = updatedFields(
            stored.response.metadata.head.headerFields,
            with: metadata.head.headerFields,
            metadata.responseTime
        )
        if stored.response.metadata.content != .complete { fields.removeContentDigests() }
        return fields
    }

    /// §3.2: the fields of the new response replace stored fields with the same name.
    ///
    /// - Parameter isEmpty: Whether the new response has no content and doesn't describe any, like a 304. Its
    ///   `Content-Type` is then ignored, because it describes an empty message.
    package func updatedFields(
        _ old: HTTPFields,
        with new: HTTPFields,
        _ received: Date,
        isEmpty: Bool = false
    ) -> HTTPFields {
        guard new.count <= Self.fieldLimit else { return old }
        let replacing = storedFields(new, by: directives(of: new), received)
            .filter { !Self.neverUpdated.contains($0.name.canonicalName) && !(isEmpty && $0.name == .contentType) }
        // A response that has just been validated has a new age and date.
        let replaced = Set(replacing.map(\.name)).union([.age, .date])
        let kept = old.filter { !replaced.contains($0.name) }
        // Without this limit, each validation could add as many fields again under other names.
        guard kept.count + replacing.count <= 2 * Self.fieldLimit else { return old }
        return HTTPFields(kept + replacing)
    }
}
