import HTTPTypes

/// A rule that determines which requests share a circuit breaker, a limit or a measurement.
///
/// ```swift
/// RequestGroup.origin                                   // one for each scheme, host and port
/// RequestGroup.by("tenant") { $0.options[Tenant.self] } // one for each tenant
/// ```
public struct RequestGroup: CustomStringConvertible, Sendable {
    enum Kind: Sendable {
        case all
        case origin
        case key(@Sendable (borrowing Request) -> String?)
    }

    let kind: Kind
    /// Whether a closure separates the requests, which may separate users.
    package var isByKey: Bool { if case .key = kind { true } else { false } }
    var isOfAll: Bool { if case .all = kind { true } else { false } }
    /// The name of the rule, for display.
    public let description: String

    /// A single group for all requests, whose key is the empty string.
    public static let all = RequestGroup(kind: .all, description: "all together")

    /// A group for each origin, whose key is the origin: "https://api.example.com".
    ///
    /// The key has no trailing dot, because the server is the same with and without it.
    public static let origin = RequestGroup(kind: .origin, description: "origin")

    /// Returns a group for each key.
    ///
    /// - Parameters:
    ///   - name: The name of the key, for display.
    ///   - key: A closure that returns the key of a request, which must not be a secret. If it returns `nil`, the
    ///     request belongs to no group and passes.
    public static func by(_ name: String, _ key: @escaping @Sendable (borrowing Request) -> String?) -> RequestGroup {
        RequestGroup(kind: .key(key), description: name)
    }
}

/// A table with an entry for each group of requests, created on first use.
///
/// Evicts the least recently used entries if there are too many.
///
/// The entries are stored in a non-generic table and only typed on access. Otherwise the runtime would resolve types
/// for each request, which takes longer than the look-up.
@usableFromInline
package struct GroupTable<Entry: AnyObject & Sendable>: Sendable {
    private let group: RequestGroup
    private let entries: KeyedEntries

    /// - Parameters:
    ///   - group: The grouping rule.
    ///   - limit: The maximum number of groups, at least 1.
    ///   - make: A closure that makes the entry of a key.
    package init(_ group: RequestGroup, limit: Int, make: @escaping @Sendable (String) -> Entry) {
        self.group = group
        entries = KeyedEntries(isSingle: group.isOfAll, limit: limit, make: make)
    }

    /// Returns the entry of a request's group, or `nil` if it belongs to none.
    @inlinable
    package func entry(for request: borrowing Request) -> Entry? {
        guard let entry = untypedEntry(for: request) else { return nil }
        return unsafeDowncast(entry, to: Entry.self)
    }

    @usableFromInline
    func untypedEntry(for request: borrowing Request) -> (any AnyObject & Sendable)? {
        switch group.kind {
        case .all: return entries.entry(of: "")
        case .key(let key): return key(request).map { entries.entry(of: $0) }
        case .origin:
            guard let scheme = request.head.scheme, let authority = request.head.authority else { return nil }
            return entries.entry(scheme: scheme, authority: authority)
        }
    }

    /// Returns the entry of a key.
    package func entry(of key: String) -> Entry { unsafeDowncast(entries.entry(of: key), to: Entry.self) }

    /// Returns the entry of a key, if it exists.
    package func existing(_ key: String) -> Entry? {
        entries.existing(key).map { unsafeDowncast($0, to: Entry.self) }
    }

    /// All entries with their keys, sorted by key.
    package var all: [(key: String, entry: Entry)] {
        entries.all.map { ($0, unsafeDowncast($1, to: Entry.self)) }
    }
}
