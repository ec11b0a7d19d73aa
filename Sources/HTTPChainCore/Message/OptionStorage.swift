/// Typed values keyed by type.
///
/// A message has few values, so a list is faster than hashing. Copies of a message share its entries, so setting a
/// value while a stage keeps a copy of the message allocates one entry and copies none.
///
/// Inlinable, so that a stage's look-up is specialized for its option. Otherwise the runtime resolves the types for
/// each look-up, which takes longer than the rest of the stage.
@usableFromInline
struct OptionStorage: Sendable {
    /// A value, with a reference to the values that were set before it.
    @usableFromInline
    final class Entry: Sendable {
        let key: any Any.Type
        /// An ``OptionBox`` of the key's value type.
        let box: any AnyObject & Sendable
        let isCredential: Bool
        /// Whether the value may be left unread; see ``RequestOption/isHarmless(_:)``.
        let isHarmless: Bool
        let previous: Entry?

        init(
            _ box: any AnyObject & Sendable,
            for key: any Any.Type,
            isCredential: Bool,
            isHarmless: Bool,
            after previous: Entry?
        ) {
            self.key = key
            self.box = box
            self.isCredential = isCredential
            self.isHarmless = isHarmless
            self.previous = previous
        }

        // These functions are recursive, because a loop would retain each entry.

        @usableFromInline
        func box(of key: any Any.Type) -> (any AnyObject & Sendable)? {
            self.key == key ? box : previous?.box(of: key)
        }

        @usableFromInline
        func contains(_ key: any Any.Type) -> Bool {
            self.key == key || (previous?.contains(key) ?? false)
        }

        /// Whether each value is harmless, or has one of the keys.
        func isRead(by keys: [ObjectIdentifier]) -> Bool {
            (isHarmless || keys.contains(ObjectIdentifier(key))) && (previous?.isRead(by: keys) ?? true)
        }

        func contains(where isFound: (Entry) -> Bool) -> Bool {
            isFound(self) || (previous?.contains(where: isFound) ?? false)
        }
    }

    @usableFromInline private(set) var last: Entry?
    /// Whether a chain has checked that its stages read the options; chains inside it don't check again.
    var isChecked = false
    /// Whether a caller may wait for the value of an ``AwaitedOption``.
    var isAwaited = false

    @usableFromInline
    init() {}

    var isEmpty: Bool { last == nil }

    /// The values with their keys, in the order in which the keys were first set.
    var entries: [Entry] {
        var entries: [Entry] = []
        var next = last
        while let entry = next {
            entries.append(entry)
            next = entry.previous
        }
        return entries.reversed()
    }

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
        guard let box = last?.box(of: key) else { return nil }
        return unsafeDowncast(box, to: OptionBox<Value>.self)
    }

    @inlinable
    func contains(_ key: any Any.Type) -> Bool { last?.contains(key) ?? false }

    func contains(where isFound: (Entry) -> Bool) -> Bool { last?.contains(where: isFound) ?? false }

    /// The descriptions of the values, in the order they were first set.
    var texts: [String] { entries.compactMap { ($0.box as? any TextBox)?.text } }

    /// The values, of any type, in the order in which they were first set.
    var values: [any Sendable] { entries.compactMap { ($0.box as? any TextBox)?.anyValue } }

    /// The names of the keys; they are computed on demand, because this is slower than everything else here.
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
        guard contains(key) else {
            last = Entry(box, for: key, isCredential: isCredential, isHarmless: isHarmless, after: last)
            return
        }
        replaceEntries { entry in
            guard entry.key == key else { return entry }
            return Entry(box, for: key, isCredential: entry.isCredential, isHarmless: isHarmless, after: nil)
        }
    }

    @usableFromInline
    mutating func remove(_ key: any Any.Type) {
        if contains(key) { replaceEntries { $0.key == key ? nil : $0 } }
    }

    mutating func keep(where isKept: (any Any.Type) -> Bool) {
        replaceEntries { isKept($0.key) ? $0 : nil }
    }

    mutating func removeCredentials() {
        if contains(where: \.isCredential) { replaceEntries { $0.isCredential ? nil : $0 } }
    }

    /// Replaces each entry, or removes it; entries set before the first that changes stay shared.
    private mutating func replaceEntries(_ replacement: (Entry) -> Entry?) {
        last = entries.reduce(nil as Entry?) { previous, old in
            guard let new = replacement(old) else { return previous }
            if new === old, previous === old.previous { return old }
            return Entry(
                new.box,
                for: new.key,
                isCredential: new.isCredential,
                isHarmless: new.isHarmless,
                after: previous
            )
        }
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
