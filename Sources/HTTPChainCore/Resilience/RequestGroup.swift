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
    @usableFromInline let entries: UntypedGroupTable

    /// - Parameters:
    ///   - group: The grouping rule.
    ///   - limit: The maximum number of groups, at least 1.
    ///   - make: A closure that makes the entry of a key.
    package init(_ group: RequestGroup, limit: Int, make: @escaping @Sendable (String) -> Entry) {
        entries = UntypedGroupTable(group, limit: limit, make: make)
    }

    /// Returns the entry of a request's group, or `nil` if it belongs to none.
    @inlinable
    package func entry(for request: borrowing Request) -> Entry? {
        guard let entry = entries.entry(for: request) else { return nil }
        return unsafeDowncast(entry, to: Entry.self)
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

/// The storage of a ``GroupTable``.
///
/// Only the table has the type of the entries.
@usableFromInline
final class UntypedGroupTable: Sendable {
    @usableFromInline typealias Entry = any AnyObject & Sendable

    private struct Slot: Sendable {
        let entry: Entry
        var lastUse: UInt64
    }

    /// An origin as spelled in requests, so that a typical request finds its group without parsing.
    private struct Spelling: Hashable, Sendable {
        let scheme: String
        let authority: String
    }

    private struct State: Sendable {
        var recent: (spelling: Spelling, entry: Entry)?
        var spellings: [Spelling: String] = [:]
        var slots: [String: Slot] = [:]
        var uses: UInt64 = 0
    }

    private let group: RequestGroup
    private let limit: Int
    private let make: @Sendable (String) -> Entry
    private let single: Entry?
    private let state = Locked(State())

    init(_ group: RequestGroup, limit: Int, make: @escaping @Sendable (String) -> Entry) {
        self.group = group
        self.limit = max(1, limit)
        self.make = make
        if case .all = group.kind { single = make("") } else { single = nil }
    }

    @usableFromInline
    func entry(for request: borrowing Request) -> Entry? {
        if let single { return single }
        switch group.kind {
        case .all: return single
        case .key(let key): return key(request).map { entry(of: $0) }
        case .origin:
            guard let scheme = request.head.scheme, let authority = request.head.authority else { return nil }
            return state.withLock { state in
                if let recent = state.recent, recent.spelling.authority == authority, recent.spelling.scheme == scheme {
                    return recent.entry
                }
                return entry(Spelling(scheme: scheme, authority: authority), in: &state)
            }
        }
    }

    private func entry(_ spelling: Spelling, in state: inout State) -> Entry? {
        let key: String
        if let known = state.spellings[spelling] {
            key = known
        } else {
            guard let origin = Origin(scheme: spelling.scheme, authority: spelling.authority) else { return nil }
            key = origin.withoutRootDot.description
            if state.spellings.count >= limit { state.spellings.removeAll() }
            state.spellings[spelling] = key
        }
        let entry = entry(of: key, in: &state)
        state.recent = (spelling, entry)
        return entry
    }

    func entry(of key: String) -> Entry {
        if let single { return single }
        return state.withLock { entry(of: key, in: &$0) }
    }

    func existing(_ key: String) -> Entry? {
        single ?? state.withLock { $0.slots[key]?.entry }
    }

    private func entry(of key: String, in state: inout State) -> Entry {
        state.uses += 1
        let now = state.uses
        if let index = state.slots.index(forKey: key) {
            state.slots.values[index].lastUse = now
            return state.slots.values[index].entry
        }
        if state.slots.count >= limit, let oldest = state.slots.min(by: { $0.value.lastUse < $1.value.lastUse })?.key {
            state.slots[oldest] = nil
            state.recent = nil
        }
        let entry = make(key)
        state.slots[key] = Slot(entry: entry, lastUse: now)
        return entry
    }

    var all: [(key: String, entry: Entry)] {
        if let single { return [("", single)] }
        return state.withLock { $0.slots.map { ($0.key, $0.value.entry) } }.sorted { $0.0 < $1.0 }
    }
}
