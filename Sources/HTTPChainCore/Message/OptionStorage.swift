/// Typed values keyed by type: the few of them a message carries are found faster in an array than by hashing, and an
/// empty one costs nothing.
struct OptionStorage: Sendable {
    struct Entry: Sendable {
        let type: Any.Type
        var value: any Sendable
        let isCredential: Bool

        var key: ObjectIdentifier { ObjectIdentifier(type) }
        // Made when it is asked for: making it costs more than all the rest.
        var name: String { String(describing: type) }
    }

    private(set) var entries: [Entry] = []

    func contains(_ key: Any.Type) -> Bool {
        let identifier = ObjectIdentifier(key)
        return entries.contains { $0.key == identifier }
    }

    func value<Value>(_ key: Any.Type, as _: Value.Type) -> Value? {
        let identifier = ObjectIdentifier(key)
        for entry in entries where entry.key == identifier {
            return entry.value as? Value
        }
        return nil
    }

    mutating func set(_ value: any Sendable, for key: Any.Type, isCredential: Bool = false) {
        let identifier = ObjectIdentifier(key)
        for index in entries.indices where entries[index].key == identifier {
            entries[index].value = value
            return
        }
        entries.append(Entry(type: key, value: value, isCredential: isCredential))
    }

    mutating func remove(_ key: Any.Type) {
        let identifier = ObjectIdentifier(key)
        entries.removeAll { $0.key == identifier }
    }

    mutating func removeCredentials() {
        entries.removeAll { $0.isCredential }
    }
}
