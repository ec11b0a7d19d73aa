public import Foundation
import HTTPChainCore

/// Encodes values in a format, and decodes them.
///
/// A conforming type declares its media types and implements the two conversions. Key paths, root keys, null for `nil`,
/// and empty bodies work with any serializer whose conversions use `Encodable` and `Decodable`.
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
    /// The name of the serializer in `explain()` and in errors, by which calls can also choose it.
    var name: String { get }

    /// The content type that it encodes, used as the value of `Content-Type`.
    var contentType: String { get }

    /// The media types that it decodes.
    ///
    /// By default, the one that it encodes.
    ///
    /// `text/*`, `application/*+json` and `*/*+json` match all such types. If several serializers decode a type, the
    /// one with the most specific match is chosen.
    var acceptedTypes: [String] { get }

    /// Whether an empty body is a valid value, as for text; `false` by default.
    var decodesEmptyBodies: Bool { get }

    /// Encodes a value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - contentType: The `Content-Type` that is sent: that of the serializer or of the call.
    /// - Throws: Any error. The stage converts it to a ``SerializerError``.
    func encode(_ value: any Encodable, contentType: String) throws -> Data

    /// Encodes a value for a call.
    ///
    /// By default, this uses ``encode(_:contentType:)``.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - context: The call, with its route and options.
    /// - Throws: Any error. The stage converts it to a ``SerializerError``.
    func encode(_ value: any Encodable, in context: SerializationContext) throws -> Data

    /// Decodes a value for a call.
    ///
    /// By default, this uses ``decode(_:from:contentType:)``.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - data: The bytes.
    ///   - context: The call, with the head of the response.
    /// - Throws: Any error. The stage converts it to a `DecodingFailure`.
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data, in context: SerializationContext) throws -> Value

    /// Decodes a value.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - data: The bytes. They are empty only if ``decodesEmptyBodies`` is `true`.
    ///   - contentType: The `Content-Type` of the response, if it has one.
    /// - Throws: Any error. The stage converts it to a `DecodingFailure`.
    func decode<Value: Decodable>(_ type: Value.Type, from data: Data, contentType: String?) throws -> Value
}

extension Serializer {
    /// The type that it encodes.
    public var acceptedTypes: [String] { [MediaType(contentType)?.essence ?? contentType] }

    /// `false`: an empty body isn't a value.
    public var decodesEmptyBodies: Bool { false }

    /// Ignores the context, because most formats don't depend on it.
    public func encode(_ value: any Encodable, in context: SerializationContext) throws -> Data {
        try encode(value, contentType: context.contentType ?? contentType)
    }

    /// Ignores the context, because most formats don't depend on it.
    public func decode<Value: Decodable>(
        _ type: Value.Type,
        from data: Data,
        in context: SerializationContext
    ) throws -> Value {
        try decode(type, from: data, contentType: context.contentType)
    }

    /// Returns how specifically the serializer matches a media type, or `nil` if it doesn't match.
    func precision(of type: MediaType) -> Int? {
        acceptedTypes.compactMap { type.precision(of: $0) }.max()
    }
}
