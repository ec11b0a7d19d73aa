public import Foundation
import HTTPChainCore

/// Turns values into the bytes of one format, and back.
///
/// A conforming type says which media types it speaks and does the two conversions; key paths, root keys, null for nil
/// and empty bodies work with any serializer whose conversions go through `Encodable` and `Decodable`.
///
/// ```swift
/// struct CBORSerializer: Serializer {
///     let name = "CBOR"
///     let contentType = "application/cbor"
///     func encode(_ value: any Encodable, contentType: String) throws -> Data { try CBOREncoder().encode(value) }
///     func decode<Value: Decodable>(_ type: Value.Type, from data: Data, contentType: String?) throws -> Value {
///         try CBORDecoder().decode(type, from: data)
///     }
/// }
/// ```
public protocol Serializer: Sendable {
    /// The name of the serializer in `explain()`, in errors, and in a call that chooses it by name.
    var name: String { get }

    /// The content type that it writes: the value of `Content-Type`.
    var contentType: String { get }

    /// The media types it reads; by default the one it writes.
    ///
    /// `text/*`, `application/*+json` and `*/*+json` stand for all such types. Of several serializers that read a type, the
    /// one that names it most precisely is chosen.
    var acceptedTypes: [String] { get }

    /// Whether a value goes to the query of a GET, HEAD or DELETE request instead of its body; `false` by default.
    var placesValuesInQuery: Bool { get }

    /// Whether no bytes at all are a value like any other, as for text; `false` by default.
    var decodesEmptyBodies: Bool { get }

    /// Whether values of the format have keys; `true` by default.
    ///
    /// The stage's key path and root key do not hold for a format without.
    var hasKeys: Bool { get }

    /// The bytes of a value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - contentType: The `Content-Type` that is sent: the serializer's own, or one that the call brings.
    /// - Throws: Any error; the stage makes it a ``SerializerError``.
    func encode(_ value: any Encodable, contentType: String) throws -> Data

    /// The bytes of a value, for a call; by default ``encode(_:contentType:)``.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - context: The call: its route, its options.
    /// - Throws: Any error; the stage makes it a ``SerializerError``.
    func encode(_ value: any Encodable, in context: SerializationContext) throws -> Data

    /// The value of bytes, for a call; by default ``decode(_:from:contentType:)``.
    ///
    /// - Parameters:
    ///   - type: The type wanted.
    ///   - data: The bytes.
    ///   - context: The call, with the head of the response.
    /// - Throws: Any error; the stage makes it a `DecodingFailure`.
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data, in context: SerializationContext) throws -> Value

    /// The bytes of a value that stands under keys; by default ``encode(_:contentType:)`` of objects around it.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - root: The keys, outermost first; never empty.
    ///   - contentType: The `Content-Type` that is sent.
    /// - Throws: Any error; the stage makes it a ``SerializerError``.
    func encode(_ value: any Encodable, under root: BodyKeyPath, contentType: String) throws -> Data

    /// The value of bytes.
    ///
    /// - Parameters:
    ///   - type: The type wanted.
    ///   - data: The bytes; empty only where ``decodesEmptyBodies`` says so.
    ///   - contentType: The `Content-Type` of the response, if it has one.
    /// - Throws: Any error; the stage makes it a `DecodingFailure`.
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data, contentType: String?) throws -> Value

    /// The value at a place within bytes; by default ``decode(_:from:contentType:)`` of a type that goes there.
    ///
    /// - Parameters:
    ///   - type: The type wanted.
    ///   - path: The keys, outermost first; never empty.
    ///   - data: The bytes.
    ///   - contentType: The `Content-Type` of the response, if it has one.
    /// - Throws: ``SerializerError`` when there is no such key; any other error.
    func decode<Value: Decodable>(
        _ type: Value.Type,
        at path: BodyKeyPath,
        from data: Data,
        contentType: String?
    ) throws -> Value
}

extension Serializer {
    /// The type it writes.
    public var acceptedTypes: [String] { [MediaType(contentType)?.essence ?? contentType] }

    /// In the body.
    public var placesValuesInQuery: Bool { false }

    /// No bytes are no value.
    public var decodesEmptyBodies: Bool { false }

    /// Values have keys.
    public var hasKeys: Bool { true }

    /// The value within objects that have one key each.
    public func encode(_ value: any Encodable, under root: BodyKeyPath, contentType: String) throws -> Data {
        try encode(RootedValue(value: value, path: root), contentType: contentType)
    }

    /// The value that is found by going from key to key.
    public func decode<Value: Decodable>(
        _ type: Value.Type,
        at path: BodyKeyPath,
        from data: Data,
        contentType: String?
    ) throws -> Value {
        try NestedValueScope.$path.withValue(path) {
            try decode(NestedValue<Value>.self, from: data, contentType: contentType).value
        }
    }

    /// Leaves the call alone: most formats are the same for each.
    public func encode(_ value: any Encodable, in context: SerializationContext) throws -> Data {
        try encode(value, contentType: context.contentType ?? contentType)
    }

    /// Leaves the call alone: most formats are the same for each.
    public func decode<Value: Decodable>(
        _ type: Value.Type,
        from data: Data,
        in context: SerializationContext
    ) throws -> Value {
        try decode(type, from: data, contentType: context.contentType)
    }

    /// How precisely the serializer names a media type that it reads, nil for one that it does not.
    func precision(of type: MediaType) -> Int? {
        acceptedTypes.compactMap { type.precision(of: $0) }.max()
    }
}
