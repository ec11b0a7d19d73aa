/// An index of calls by the hashes of their keys and values, to find duplicates.
///
/// It finds candidates, because different calls may have equal hashes.
struct CallIndex: Sendable {
    /// The hashes of a call's key and value; each is `nil` if that is missing or isn't `Hashable`.
    struct Hashes: Sendable {
        let key: Int?
        let value: Int?

        init(key: (any Hashable & Sendable)?, value: (any Sendable)?) {
            self.key = key.map(Self.hash)
            self.value = (value as? any Hashable).map(Self.hash)
        }

        /// Returns a hash that is equal for values that are equal according to ``CallInfo/hasKey(_:)``.
        ///
        /// An optional has the hash of its content.
        private static func hash(_ value: any Hashable) -> Int {
            if let content = (value as? any OptionalContent)?.content { return hash(content) }
            return AnyHashable(value).hashValue
        }

        /// The hash that finds duplicates of this call.
        var twin: (isKey: Bool, hash: Int)? { key.map { (true, $0) } ?? value.map { (false, $0) } }
    }

    private var keys: [Int: Set<CallID>] = [:]
    private var values: [Int: Set<CallID>] = [:]
    private var hashes: [CallID: Hashes] = [:]

    init() {}

    mutating func insert(_ id: CallID, _ hashes: Hashes) {
        self.hashes[id] = hashes
        if let hash = hashes.key { keys[hash, default: []].insert(id) }
        if let hash = hashes.value { values[hash, default: []].insert(id) }
    }

    mutating func remove(_ id: CallID) {
        guard let hashes = hashes.removeValue(forKey: id) else { return }
        if let hash = hashes.key { Self.remove(id, from: &keys, at: hash) }
        if let hash = hashes.value { Self.remove(id, from: &values, at: hash) }
    }

    /// Returns the calls that may be duplicates of a call with these hashes, in the order in which they began.
    func candidates(for hashes: Hashes) -> [CallID] {
        guard let twin = hashes.twin else { return [] }
        return (twin.isKey ? keys : values)[twin.hash]?.sorted { $0.number < $1.number } ?? []
    }

    private static func remove(_ id: CallID, from table: inout [Int: Set<CallID>], at hash: Int) {
        table[hash]?.remove(id)
        if table[hash]?.isEmpty == true { table[hash] = nil }
    }
}

/// An optional with `Hashable` content.
private protocol OptionalContent {
    var content: (any Hashable)? { get }
}

extension Optional: OptionalContent where Wrapped: Hashable {
    fileprivate var content: (any Hashable)? { self }
}
