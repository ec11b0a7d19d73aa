import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// The known protection spaces of servers, and the credentials to send to them preemptively, RFC 7617 §2.2.
struct BasicSpaces: Sendable {
    private struct Entry: Sendable {
        let origin: Origin
        let realm: String?
        /// The prefix of the space's paths.
        let prefix: String
        var ready: ReadyCredentials
    }

    /// Limited, because servers choose realms and paths.
    static let capacity = 256

    private var entries: [Entry] = []
    private var generation: UInt64 = 0

    /// Whether there are no credentials to send preemptively.
    var isEmpty: Bool { entries.isEmpty }

    /// Forgets the credentials of earlier generations.
    ///
    /// - Returns: Whether the given generation is the latest. Only credentials of the latest may be remembered and
    ///   sent.
    mutating func enter(_ generation: UInt64) -> Bool {
        if generation > self.generation { self = BasicSpaces(generation: generation) }
        return generation == self.generation
    }

    init(generation: UInt64 = 0) {
        self.generation = generation
    }

    /// Returns the credentials of the deepest space that contains the path.
    func ready(for path: String, at origin: Origin) -> ReadyCredentials? {
        // Uses indices, because copying each entry would cost more than looking at it.
        var best: Int?
        for index in entries.indices
        where entries[index].origin == origin && path.utf8.starts(with: entries[index].prefix.utf8) {
            if best.map({ entries[$0].prefix.utf8.count < entries[index].prefix.utf8.count }) ?? true { best = index }
        }
        return best.map { entries[$0].ready }
    }

    mutating func remember(_ ready: ReadyCredentials, realm: String?, prefix: String, at origin: Origin) {
        entries.removeAll { $0.origin == origin && $0.prefix.hasSameBytes(as: prefix) }
        for index in entries.indices
        where entries[index].origin == origin && entries[index].realm.hasSameBytes(as: realm) {
            entries[index].ready = ready
        }
        if entries.count >= Self.capacity { entries.removeFirst() }
        entries.append(Entry(origin: origin, realm: realm, prefix: prefix, ready: ready))
    }

    /// Returns the realm that a field's value was sent for, or `nil` if it isn't known.
    func realm(of value: String, at origin: Origin) -> String? {
        entries.first { $0.origin == origin && $0.realm != nil && $0.ready.value == value }?.realm
    }

    /// Removes credentials that a realm rejected, from all paths that they would be sent to.
    mutating func forget(_ value: String, realm: String?, at origin: Origin) {
        entries.removeAll { entry in
            entry.origin == origin && entry.ready.value == value
                && (entry.realm == nil || entry.realm.hasSameBytes(as: realm))
        }
    }

    /// Returns the directory of a request's path; all paths in it count as the same space.
    static func prefix(of path: String?) -> String {
        let path = (path ?? "/").utf8.prefix { $0 != UInt8(ascii: "?") }
        guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else { return "/" }
        return String(Substring(path[...slash]))
    }
}
