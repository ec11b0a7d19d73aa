package import Foundation
import HTTPChainCore
import HTTPChainSupport
package import HTTPTypes

extension HTTPFields {
    /// Removes the digests of a message's content (RFC 9530 §2, RFC 1864), because the message now has other content.
    ///
    /// `Repr-Digest` stays: it is the digest of the whole representation, of which the content may be a part.
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

    /// The fields of a stored response that later ones never update, RFC 9111 §3.2, because they describe the bytes of
    /// their own message.
    private static let neverUpdated: Set<String> = [
        "content-length", "content-encoding", "content-range", "content-digest", "content-md5",
    ]

    /// Returns the fields of a response to store.
    ///
    /// Fields named by `no-cache` are omitted, because they must not be used without validation (§5.2.2.4), and in a
    /// shared cache also those named by `private` (§5.2.2.7). An applicable targeted field decides (RFC 9213 §2.2).
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

    /// §3.4: the combined fields of parts; newer fields replace stored ones.
    ///
    /// The digests of a stored complete response stay; those of a stored part don't cover the combined content.
    func combinedFields(of stored: CacheEntry, with metadata: CacheMetadata) -> HTTPFields {
        var fields = updatedFields(
            stored.response.metadata.head.headerFields,
            with: metadata.head.headerFields,
            metadata.responseTime
        )
        if stored.response.metadata.content != .complete { fields.removeContentDigests() }
        return fields
    }

    /// §3.2: the fields of the new response replace those with the same name.
    ///
    /// - Parameter isEmpty: Whether the new response has no content and doesn't describe any, like a 304: its
    ///   `Content-Type` is then that of an empty message, and ignored.
    package func updatedFields(
        _ old: HTTPFields,
        with new: HTTPFields,
        _ received: Date,
        isEmpty: Bool = false
    ) -> HTTPFields {
        guard new.count <= Self.fieldLimit else { return old }
        let replacing = storedFields(new, by: directives(of: new), received)
            .filter { !Self.neverUpdated.contains($0.name.canonicalName) && !(isEmpty && $0.name == .contentType) }
        // The age of a response that has just been validated restarts.
        let replaced = Set(replacing.map(\.name)).union([.age, .date])
        let kept = old.filter { !replaced.contains($0.name) }
        // Otherwise, each validation could add just as many fields under other names.
        guard kept.count + replacing.count <= 2 * Self.fieldLimit else { return old }
        return HTTPFields(kept + replacing)
    }
}
