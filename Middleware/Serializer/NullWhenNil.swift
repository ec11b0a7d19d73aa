import HTTPChainCore

/// A property that is encoded as null if it is `nil`, instead of being omitted.
///
/// ```swift
/// struct Profile: Codable, Sendable {
///     @NullWhenNil var nickname: String?   // {"nickname": null} clears it on the server
///     var motto: String?                   // omitted if nil
/// }
/// ```
///
/// It can be decoded from null and from a missing value. To encode all `nil` properties of a value as null, see
/// ``HTTPChainCore/Request/encoding(nilAsNull:)``.
@propertyWrapper
public struct NullWhenNil<Value> {
    /// The value.
    public var wrappedValue: Value?

    /// Wraps a value.
    public init(wrappedValue: Value?) {
        self.wrappedValue = wrappedValue
    }
}

extension NullWhenNil: Sendable where Value: Sendable {}
extension NullWhenNil: Equatable where Value: Equatable {}
extension NullWhenNil: Hashable where Value: Hashable {}

extension NullWhenNil: Encodable where Value: Encodable {
    /// Encodes the value, or null.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let wrappedValue { try container.encode(wrappedValue) } else { try container.encodeNil() }
    }
}

extension NullWhenNil: ExplicitNull where Value: Encodable {
    package var isExplicitNull: Bool { wrappedValue == nil }
}

extension NullWhenNil: Decodable where Value: Decodable {
    /// Decodes the value, or null.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        wrappedValue = container.decodeNil() ? nil : try container.decode(Value.self)
    }
}

extension KeyedDecodingContainer {
    /// Decodes a property that may be missing.
    public func decode<Value: Decodable>(
        _ type: NullWhenNil<Value>.Type,
        forKey key: Key
    ) throws -> NullWhenNil<Value> {
        try decodeIfPresent(type, forKey: key) ?? NullWhenNil(wrappedValue: nil)
    }
}
