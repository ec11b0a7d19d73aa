public import Foundation
import HTTPChainCore
import HTTPTypes

/// A serializer made of closures, for a service's own formats.
///
/// ```swift
/// let orders = DataMapper("orders", contentType: "application/vnd.shop.orders") { value in
///     guard let order = value as? Order else { throw NotAnOrder() }
///     return order.record
/// } decode: { data, type in
///     try Order(record: data)
/// }
/// ```
///
/// A call chooses it by name with ``HTTPChainCore/Request/serializer(_:)-(String)``. To change values after decoding,
/// regardless of the serializer, use ``AfterDecoding``.
public struct DataMapper: Serializer, FormattedSerializer {
    package let format: SerializerFormat
    private let makeData: @Sendable (_ value: any Encodable, _ call: SerializationContext) throws -> Data
    private let makeValue:
        @Sendable (_ data: Data, _ type: any Decodable.Type, _ call: SerializationContext) throws -> Any

    /// Makes a mapper.
    ///
    /// - Parameters:
    ///   - name: The name by which a call chooses it.
    ///   - contentType: The content type that it encodes.
    ///   - acceptedTypes: The content types that it decodes. If the list is empty, the one that it encodes.
    ///   - encode: Encodes a value.
    ///   - decode: Decodes a value.
    public init(
        _ name: String,
        contentType: String,
        accepting acceptedTypes: [String] = [],
        encode: @escaping @Sendable (_ value: any Encodable) throws -> Data,
        decode: @escaping @Sendable (_ data: Data, _ type: any Decodable.Type) throws -> Any
    ) {
        self.init(name, contentType: contentType, accepting: acceptedTypes) { value, _ in
            try encode(value)
        } decode: { data, type, _ in
            try decode(data, type)
        }
    }

    /// Makes a mapper whose closures receive information about the call: its route, method and options, and the head of
    /// the response.
    ///
    /// - Parameters:
    ///   - name: The name by which a call chooses it.
    ///   - contentType: The content type that it encodes.
    ///   - acceptedTypes: The content types that it decodes. If the list is empty, the one that it encodes.
    ///   - encode: Encodes a value.
    ///   - decode: Decodes a value.
    public init(
        _ name: String,
        contentType: String,
        accepting acceptedTypes: [String] = [],
        encode: @escaping @Sendable (_ value: any Encodable, _ call: SerializationContext) throws -> Data,
        decode:
            @escaping @Sendable (
                _ data: Data, _ type: any Decodable.Type, _ call: SerializationContext
            ) throws -> Any
    ) {
        // It is unknown whether the closures' formats have keys.
        format = SerializerFormat(
            name,
            contentType,
            accepting: acceptedTypes.isEmpty ? [MediaType(contentType)?.essence ?? contentType] : acceptedTypes,
            hasKeys: false
        )
        makeData = encode
        makeValue = decode
    }

    package func data(of value: any Encodable, contentType: String) throws -> Data {
        try encode(value, in: SerializationContext(method: .post, route: "", contentType: contentType))
    }

    /// Calls the closure with the original value of the call.
    public func encode(_ value: any Encodable, in context: SerializationContext) throws -> Data {
        try makeData((value as? any StandInValue)?.original ?? value, context)
    }

    /// Nests the JSON returned by the closure under keys.
    ///
    /// - Throws: ``SerializerError`` if the content type isn't JSON, because only JSON supports keys here.
    package func data(
        of value: any Encodable,
        under root: BodyKeyPath,
        in context: SerializationContext
    ) throws -> Data {
        guard JSONSerializer.reads(context.contentType ?? contentType) else {
            let original = (value as? any StandInValue)?.original ?? value
            let detail = "only JSON can be put under the root key \(root); write the key in the mapper's closure"
            throw SerializerError.notEncodable(original, by: self, detail)
        }
        return try root.wrapping(json: encode(value, in: context))
    }

    package func value<Value: Decodable>(
        _ type: Value.Type,
        from data: Data,
        contentType: String?
    ) throws -> Value {
        try decode(type, from: data, in: SerializationContext(method: .get, route: "", contentType: contentType))
    }

    /// Calls the closure.
    public func decode<Value: Decodable>(
        _ type: Value.Type,
        from data: Data,
        in context: SerializationContext
    ) throws -> Value {
        let made = try makeValue(data, type, context)
        guard let value = made as? Value else {
            let detail = "the data mapper \(name) made a value of type \(Swift.type(of: made)) of it"
            throw DecodingError.typeMismatch(type, .init(detail))
        }
        return value
    }

    /// Calls the closure with the JSON at a path.
    ///
    /// - Throws: ``SerializerError`` if the path doesn't exist, unless the type is optional; an error if the content
    ///   isn't JSON.
    package func value<Value: Decodable>(
        _ type: Value.Type,
        at path: BodyKeyPath,
        from data: Data,
        in context: SerializationContext
    ) throws -> Value {
        let empty = EmptyContent.value(of: type)
        guard let part = try path.part(ofJSON: data, mayBeMissing: empty != nil) else {
            if let empty { return empty }
            return try decode(type, from: Data("null".utf8), in: context)
        }
        return try decode(type, from: part, in: context)
    }
}

extension BodyKeyPath {
    /// Returns JSON, nested in objects with one key each.
    fileprivate func wrapping(json: Data) throws -> Data {
        var wrapped = Data()
        for key in keys { wrapped += try Data("{".utf8) + JSONEncoder().encode(key) + Data(":".utf8) }
        return wrapped + json + Data(repeating: UInt8(ascii: "}"), count: keys.count)
    }

    /// Returns the JSON at this path in a document, or `nil` if a value at or along the path is null.
    ///
    /// - Parameter mayBeMissing: Whether a missing member or element counts as null.
    fileprivate func part(ofJSON data: Data, mayBeMissing: Bool) throws -> Data? {
        var value = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
        for (depth, key) in keys.enumerated() {
            if value is NSNull { return nil }
            let next: Any?
            var available: [String] = []
            var isMismatch = false
            switch value {
            case let object as [String: Any]:
                next = object[key]
                available = object.keys.sorted()
            case let array as [Any]:
                let index = Int(key)
                next = index.flatMap { array.indices.contains($0) ? array[$0] : nil }
                available = array.indices.prefix(3).map { "\($0)" }
                isMismatch = index == nil
            default:
                next = nil
                isMismatch = true
            }
            guard let next else {
                if mayBeMissing, !isMismatch { return nil }
                let place = BodyKeyPath(keys: Array(keys.prefix(depth)))
                throw SerializerError(.keyPathMissing(key: key, path: self, place: place, available: available))
            }
            value = next
        }
        if value is NSNull { return nil }
        return try JSONSerialization.data(withJSONObject: value, options: [.fragmentsAllowed, .withoutEscapingSlashes])
    }
}
