import Foundation

/// A value whose `nil` properties are encoded as null instead of being omitted.
///
/// Synthesized `encode(to:)` methods call `encodeIfPresent`, which omits `nil`. Here, that method encodes null, at
/// every depth.
package struct NullKeeping: StandInValue {
    let value: any Encodable

    package init(_ value: any Encodable) {
        self.value = value
    }

    package var original: any Encodable { (value as? any StandInValue)?.original ?? value }

    package var keepsNulls: Bool { true }

    package func encode(to encoder: any Encoder) throws {
        try value.encode(to: NullKeepingEncoder(inner: encoder))
    }

    /// Returns the value to pass to an encoder.
    ///
    /// Top-level dates and dictionaries are unchanged, because encoders treat them specially.
    package static func unwrapped(_ value: any Encodable) -> any Encodable {
        guard let keeping = value as? NullKeeping else { return value }
        return wrapping(keeping.value)
    }

    /// Returns the value to pass to a container.
    ///
    /// Types that the format treats specially are unchanged.
    static func wrapping(_ value: some Encodable) -> any Encodable {
        switch value {
        case is Date, is Data, is URL, is Decimal: value
        case let dictionary as any StringKeyed: dictionary.keepingNulls
        default: NullKeeping(value)
        }
    }
}

/// A dictionary.
///
/// Dictionaries are left unchanged, because formats don't apply their key style to the keys.
private protocol StringKeyed {
    var keepingNulls: any Encodable { get }
}

extension Dictionary: StringKeyed where Key == String, Value: Encodable {
    fileprivate var keepingNulls: any Encodable { mapValues { NullKeepingElement(value: $0) } }
}

private struct NullKeepingElement: Encodable {
    let value: any Encodable

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(NullKeeping.wrapping(value))
    }
}

private struct NullKeepingEncoder: Encoder {
    let inner: any Encoder

    var codingPath: [any CodingKey] { inner.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { inner.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(NullKeepingObject(inner: inner.container(keyedBy: type)))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        NullKeepingArray(inner: inner.unkeyedContainer())
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        NullKeepingSingle(inner: inner.singleValueContainer())
    }
}

private struct NullKeepingSingle: SingleValueEncodingContainer {
    var inner: any SingleValueEncodingContainer

    var codingPath: [any CodingKey] { inner.codingPath }
    mutating func encodeNil() throws { try inner.encodeNil() }
    mutating func encode<Scalar: Encodable & LosslessStringConvertible>(_ value: Scalar) throws {
        try inner.encode(value)
    }
    mutating func encode<Value: Encodable>(_ value: Value) throws { try inner.encode(NullKeeping.wrapping(value)) }
}

private struct NullKeepingArray: UnkeyedEncodingContainer {
    var inner: any UnkeyedEncodingContainer

    var codingPath: [any CodingKey] { inner.codingPath }
    var count: Int { inner.count }
    mutating func encodeNil() throws { try inner.encodeNil() }
    mutating func encode<Scalar: Encodable & LosslessStringConvertible>(_ value: Scalar) throws {
        try inner.encode(value)
    }
    mutating func encode<Value: Encodable>(_ value: Value) throws { try inner.encode(NullKeeping.wrapping(value)) }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(NullKeepingObject(inner: inner.nestedContainer(keyedBy: type)))
    }
    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        NullKeepingArray(inner: inner.nestedUnkeyedContainer())
    }
    mutating func superEncoder() -> any Encoder { NullKeepingEncoder(inner: inner.superEncoder()) }
}

private struct NullKeepingObject<Key: CodingKey>: KeyedEncodingContainerProtocol {
    var inner: KeyedEncodingContainer<Key>

    var codingPath: [any CodingKey] { inner.codingPath }
    mutating func encodeNil(forKey key: Key) throws { try inner.encodeNil(forKey: key) }

    mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try inner.encode(NullKeeping.wrapping(value), forKey: key)
    }

    private mutating func write<Value: Encodable>(_ value: Value?, _ key: Key) throws {
        if let value {
            try inner.encode(NullKeeping.wrapping(value), forKey: key)
        } else {
            try inner.encodeNil(forKey: key)
        }
    }

    mutating func encode<Scalar: Encodable & LosslessStringConvertible>(_ value: Scalar, forKey key: Key) throws {
        try inner.encode(value, forKey: key)
    }

    mutating func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try write(value, key) }
    mutating func encodeIfPresent(_ value: String?, forKey key: Key) throws { try write(value, key) }
    mutating func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try write(value, key) }
    mutating func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try write(value, key) }
    mutating func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try write(value, key) }
    mutating func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try write(value, key) }
    mutating func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try write(value, key) }
    mutating func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try write(value, key) }
    mutating func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try write(value, key) }
    mutating func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try write(value, key) }
    mutating func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try write(value, key) }
    mutating func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try write(value, key) }
    mutating func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try write(value, key) }
    mutating func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try write(value, key) }
    mutating func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws { try write(value, key) }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(NullKeepingObject<Nested>(inner: inner.nestedContainer(keyedBy: type, forKey: key)))
    }
    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        NullKeepingArray(inner: inner.nestedUnkeyedContainer(forKey: key))
    }
    mutating func superEncoder() -> any Encoder { NullKeepingEncoder(inner: inner.superEncoder()) }
    mutating func superEncoder(forKey key: Key) -> any Encoder {
        NullKeepingEncoder(inner: inner.superEncoder(forKey: key))
    }
}
