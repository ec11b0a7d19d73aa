import Foundation
import HTTPChainCore
import HTTPTypes

extension CacheRules {
    /// The fields that are never stored: fields of the connection and of a proxy, RFC 9111 §3.1, RFC 9110 §7.6.1.
    private static let neverStored: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "te", "transfer-encoding", "upgrade", "proxy-authenticate",
        "proxy-authentication-info", "proxy-authorization",
    ]

    /// The fields that a 304 does not change in a stored response, RFC 9111 §3.2: what describes the stored bytes.
    private static let neverUpdated: Set<String> = ["content-length", "content-encoding", "content-range"]

    /// The fields of a response that are stored.
    ///
    /// Fields that `no-cache` names are left out, because they must not be used without validation (§5.2.2.4), and in
    /// a shared cache those that `private` names (§5.2.2.7); the targeted field that counts says which (RFC 9213 §2.2).
    ///
    /// - Parameter directives: The directives of the fields that count for this cache.
    func storedFields(_ fields: HTTPFields, by directives: ResponseDirectives, _ received: Date) -> HTTPFields {
        var dropped = Set(directives.noCacheFields)
        if isShared { dropped.formUnion(directives.privateFields) }
        for line in fields[values: .connection] {
            dropped.formUnion(line.pieces(at: ",").map { $0.trimmed.lowercased() })
        }
        let isDropped = { (name: String) in Self.neverStored.contains(name) || dropped.contains(name) }
        var stored =
            fields.contains { isDropped($0.name.canonicalName) }
            ? HTTPFields(fields.filter { !isDropped($0.name.canonicalName) }) : fields
        // RFC 9110 §6.6.1: who receives a response without a date gives it one.
        if !stored.contains(.date) { stored[.date] = HTTPDate(received).description }
        return stored
    }

    /// §3.4: the fields of parts that are combined, the newer before the stored.
    func combinedFields(of stored: CacheEntry, with metadata: CacheMetadata) -> HTTPFields {
        updatedFields(
            stored.response.metadata.head.headerFields,
            with: metadata.head.headerFields,
            metadata.responseTime
        )
    }

    /// §3.2: the fields of the new response take the place of those with the same name.
    func updatedFields(_ old: HTTPFields, with new: HTTPFields, _ received: Date) -> HTTPFields {
        guard new.count <= Self.fieldLimit else { return old }
        let replacing = storedFields(new, by: directives(of: new), received)
            .filter { !Self.neverUpdated.contains($0.name.canonicalName) }
        // The age of a response that has just been validated begins anew.
        let replaced = Set(replacing.map(\.name)).union([.age, .date])
        let kept = old.filter { !replaced.contains($0.name) }
        // Each validation could add as many under other names.
        guard kept.count + replacing.count <= 2 * Self.fieldLimit else { return old }
        return HTTPFields(kept + replacing)
    }
}
