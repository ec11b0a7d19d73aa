/// Typed values keyed by type.
///
/// A message has few values, so an array is faster than hashing, and an empty array costs nothing.
///
/// Inlinable, so that a stage's look-up is compiled for its option. Otherwise the runtime resolves the types for each
/// look-up, which takes longer than the rest of the stage.
@usableFromInline
struct OptionStorage: Sendable {
    @usableFromInline
    struct Entry: Sendable {
        @usableFromInline let key: any Any.Type
        /// An ``OptionBox`` of the key's value type.
        @usableFromInline var box: any AnyObject & Sendable
        let isCredential: Bool
        /// Whether the value may be left unread; see ``RequestOption/isHarmless(_:)``.
        var isHarmless: Bool
    }

    @usableFromInline private(set) var entries: [Entry] = []
    /// Whether a chain has checked that its stages read the options; chains inside it don't check again.
    var isChecked = false
    /// Whether a caller may wait for the value of an ``AwaitedOption``.
    var isAwaited = false

    @usableFromInline
    init() {}

    /// Returns the value of a key.
    ///
    /// The type isn't checked: a key is only set and read with the value type that it declares.
    @inlinable
    func value<Value: Sendable>(_ key: any Any.Type, as _: Value.Type) -> Value? {
        box(key, as: Value.self)?.value
    }

    /// Returns the box of a key's value.
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

    /// The descriptions of the values, in the order they were first set.
    var texts: [String] { entries.compactMap { ($0.box as? any TextBox)?.text } }

    /// The values, of any type, in the order in which they were first set.
    var values: [any Sendable] { entries.compactMap { ($0.box as? any TextBox)?.anyValue } }

    /// The names of the keys; computed on demand, because the runtime takes longer for this than everything else here.
    var names: [String] { entries.map { String(describing: $0.key) } }

    @inlinable
    mutating func set<Value: Sendable>(
        _ value: Value,
        for key: any Any.Type,
        isCredential: Bool = false,
        isHarmless: Bool = true
    ) {
        put(OptionBox(value), for: key, isCredential: isCredential, isHarmless: isHarmless)
    }

    @usableFromInline
    mutating func put(
        _ box: any AnyObject & Sendable,
        for key: any Any.Type,
        isCredential: Bool,
        isHarmless: Bool
    ) {
        for index in entries.indices where entries[index].key == key {
            entries[index].box = box
            entries[index].isHarmless = isHarmless
            return
        }
        // A call through a chain typically has four to eight options.
        if entries.isEmpty { entries.reserveCapacity(8) }
        entries.append(Entry(key: key, box: box, isCredential: isCredential, isHarmless: isHarmless))
    }

    @usableFromInline
    mutating func remove(_ key: any Any.Type) {
        if contains(key) { entries.removeAll { $0.key == key } }
    }

    mutating func keep(where isKept: (any Any.Type) -> Bool) {
        entries.removeAll { !isKept($0.key) }
    }

    mutating func removeCredentials() {
        if entries.contains(where: \.isCredential) { entries.removeAll { $0.isCredential } }
    }
}

/// A value of any type, with its description.
private protocol TextBox {
    var text: String { get }
    var anyValue: any Sendable { get }
}

extension OptionBox: TextBox {
    var text: String { "\(value)" }
    var anyValue: any Sendable { value }
}

/// A value behind a reference; its type is determined by its key, so no cast is needed.
@usableFromInline
final class OptionBox<Value: Sendable>: Sendable {
    @usableFromInline let value: Value

    @inlinable
    init(_ value: Value) {
        self.value = value
    }
}
