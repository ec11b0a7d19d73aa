/// Typed values keyed by type: the few of them a message carries are found faster in an array than by hashing, and an
/// empty one costs nothing.
///
/// Inlinable, so that a stage's look-up is compiled for the option at hand: otherwise the runtime works out the types
/// of each look-up anew, which takes longer than passing the stage.
@usableFromInline
struct OptionStorage: Sendable {
    @usableFromInline
    struct Entry: Sendable {
        @usableFromInline let key: any Any.Type
        /// An ``OptionBox`` of the value type that belongs to the key.
        @usableFromInline var box: any AnyObject & Sendable
        let isCredential: Bool
    }

    @usableFromInline private(set) var entries: [Entry] = []

    @usableFromInline
    init() {}

    /// The value of a key.
    ///
    /// Its type is not checked: a key is set and read with the value type that it declares, and no other.
    @inlinable
    func value<Value: Sendable>(_ key: any Any.Type, as _: Value.Type) -> Value? {
        box(key, as: Value.self)?.value
    }

    /// The value of a key where it lies.
    @inlinable
    func box<Value: Sendable>(_ key: any Any.Type, as _: Value.Type) -> OptionBox<Value>? {
        if entries.isEmpty { return nil }
        for index in entries.indices where entries[index].key == key {
            return unsafeDowncast(entries[index].box, to: OptionBox<Value>.self)
        }
        return nil
    }

    @inlinable
    func contains(_ key: any Any.Type) -> Bool {
        if entries.isEmpty { return false }
        for index in entries.indices where entries[index].key == key { return true }
        return false
    }

    /// The values in words, in the order they were first set.
    var texts: [String] { entries.compactMap { ($0.box as? any TextBox)?.text } }

    /// The values, whatever their types, in the order they were first set.
    var values: [any Sendable] { entries.compactMap { ($0.box as? any TextBox)?.anyValue } }

    /// The names of the keys, made only when somebody asks: it takes the runtime longer than all the rest.
    var names: [String] { entries.map { String(describing: $0.key) } }

    @inlinable
    mutating func set<Value: Sendable>(_ value: Value, for key: any Any.Type, isCredential: Bool = false) {
        put(OptionBox(value), for: key, isCredential: isCredential)
    }

    @usableFromInline
    mutating func put(_ box: any AnyObject & Sendable, for key: any Any.Type, isCredential: Bool) {
        for index in entries.indices where entries[index].key == key {
            entries[index].box = box
            return
        }
        // A call through a chain has some four to eight of them.
        if entries.isEmpty { entries.reserveCapacity(8) }
        entries.append(Entry(key: key, box: box, isCredential: isCredential))
    }

    @usableFromInline
    mutating func remove(_ key: any Any.Type) {
        if contains(key) { entries.removeAll { $0.key == key } }
    }

    mutating func removeCredentials() {
        if entries.contains(where: \.isCredential) { entries.removeAll { $0.isCredential } }
    }
}

/// A value of whatever type, which can be put into words.
private protocol TextBox {
    var text: String { get }
    var anyValue: any Sendable { get }
}

extension OptionBox: TextBox {
    var text: String { "\(value)" }
    var anyValue: any Sendable { value }
}

/// One value behind a reference: its type is known to whoever has its key, and needs no cast.
@usableFromInline
final class OptionBox<Value: Sendable>: Sendable {
    @usableFromInline let value: Value

    @inlinable
    init(_ value: Value) {
        self.value = value
    }
}
