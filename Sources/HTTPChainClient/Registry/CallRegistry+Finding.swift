extension CallRegistry {
    /// Whether a call made from an equal value is running.
    public func contains<Value: Hashable & Sendable>(_ value: Value) -> Bool {
        contains { $0.isMade(fromEqualOf: value) }
    }

    /// Whether a call made from a value of a type is running.
    ///
    /// - Parameter type: A request type, or a protocol for a group of them (`(any ShopRequest).self`).
    public func contains<Value>(type: Value.Type) -> Bool {
        contains { $0.isMade(from: type) }
    }

    /// Whether a call with a key is running.
    public func contains(key: some Hashable & Sendable) -> Bool {
        contains { $0.hasKey(key) }
    }

    /// Whether a call with a tag is running.
    public func contains(tag: String) -> Bool {
        contains { $0.tags.contains(tag) }
    }

    /// Cancels the calls made from an equal value; returns their number.
    @discardableResult
    public func cancel<Value: Hashable & Sendable>(_ value: Value) -> Int {
        cancel { $0.isMade(fromEqualOf: value) }
    }

    /// Cancels the calls made from values of a type; returns their number.
    ///
    /// - Parameter type: A request type, or a protocol for a group of them (`(any ShopRequest).self`).
    @discardableResult
    public func cancel<Value>(type: Value.Type) -> Int {
        cancel { $0.isMade(from: type) }
    }

    /// Cancels the calls with a key; returns their number.
    @discardableResult
    public func cancel(key: some Hashable & Sendable) -> Int {
        cancel { $0.hasKey(key) }
    }

    /// Cancels the calls with a tag; returns their number.
    @discardableResult
    public func cancel(tag: String) -> Int {
        cancel { $0.tags.contains(tag) }
    }
}

extension CallInfo {
    /// Whether the call was made from a value that equals this one.
    func isMade<Value: Hashable>(fromEqualOf other: Value) -> Bool {
        guard let value = value as? Value else { return false }
        return value == other
    }

    /// Whether the call has this key.
    func hasKey<Key: Hashable>(_ other: Key) -> Bool {
        guard let key = key as? Key else { return false }
        return key == other
    }

    /// Whether the call duplicates one with this key, or with this value if the key is `nil`.
    func isTwin(of value: (any Sendable)?, _ key: (any Hashable & Sendable)?) -> Bool {
        if let key { return hasKey(key) }
        guard let value = value as? any Hashable else { return false }
        return isMade(fromEqualOf: value)
    }
}
