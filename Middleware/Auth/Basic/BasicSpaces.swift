import HTTPChainCore
import HTTPTypes

/// The known protection spaces of servers: which credentials are sent where preemptively, RFC 7617 §2.2.
struct BasicSpaces: Sendable {
    private struct Entry: Sendable {
        let origin: Origin
        let realm: String?
        /// The paths of the space begin with this.
        let prefix: String
        var ready: ReadyCredentials
    }

    /// Realms and paths are the server's, so that there must be an end to them.
    static let capacity = 256

    private var entries: [Entry] = []

    /// The credentials of the deepest space that the path is in.
    func ready(for path: String, at origin: Origin) -> ReadyCredentials? {
        // By its place: a copy of each entry would cost more than the look at it.
        var best: Int?
        for index in entries.indices
        where entries[index].origin == origin && path.utf8.starts(with: entries[index].prefix.utf8) {
            if best.map({ entries[$0].prefix.utf8.count < entries[index].prefix.utf8.count }) ?? true { best = index }
        }
        return best.map { entries[$0].ready }
    }

    mutating func remember(_ ready: ReadyCredentials, realm: String?, prefix: String, at origin: Origin) {
        entries.removeAll { $0.origin == origin && $0.prefix == prefix }
        for index in entries.indices where entries[index].origin == origin && entries[index].realm == realm {
            entries[index].ready = ready
        }
        if entries.count >= Self.capacity { entries.removeFirst() }
        entries.append(Entry(origin: origin, realm: realm, prefix: prefix, ready: ready))
    }

    /// The realm that a field's value was sent for; `nil` when it is not known.
    func realm(of value: String, at origin: Origin) -> String? {
        entries.first { $0.origin == origin && $0.realm != nil && $0.ready.value == value }?.realm
    }

    /// Forgets credentials that a realm rejected, wherever they were to be sent for it.
    mutating func forget(_ value: String, realm: String?, at origin: Origin) {
        entries.removeAll { entry in
            entry.origin == origin && entry.ready.value == value && (entry.realm == nil || entry.realm == realm)
        }
    }

    /// The directory of a request's path: all that is at its depth or deeper is taken to be in the same space.
    static func prefix(of path: String?) -> String {
        let path = (path ?? "/").utf8.prefix { $0 != UInt8(ascii: "?") }
        guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else { return "/" }
        return String(Substring(path[...slash]))
    }
}
