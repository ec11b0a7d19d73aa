/// Typed values keyed by type: the few of them a message carries are found faster in an array than by hashing, and an
/// empty one costs nothing.
@usableFromInline
struct OptionStorage: Sendable {
    @usableFromInline
    struct Entry: Sendable {
        @usableFromInline let key: Any.Type
        @usableFromInline var value: any Sendable
        let isCredential: Bool

        /// Made when it is asked for: options are set for each call, and listed for few.
        var name: String { String(describing: key) }
    }

    @usableFromInline private(set) var entries: [Entry] = []

    /// Inlined into the stage that asks: only there is the type known, and most requests carry few options or none.
    @inlinable
    func value<Value>(_ key: Any.Type, as _: Value.Type) -> Value? {
        for entry in entries where entry.key == key {
            return entry.value as? Value
        }
        return nil
    }

    mutating func set(_ value: any Sendable, for key: Any.Type, isCredential: Bool = false) {
        for index in entries.indices where entries[index].key == key {
            entries[index].value = value
            return
        }
        entries.append(Entry(key: key, value: value, isCredential: isCredential))
    }

    mutating func remove(_ key: Any.Type) {
        entries.removeAll { $0.key == key }
    }

    mutating func removeCredentials() {
        entries.removeAll { $0.isCredential }
    }
}
