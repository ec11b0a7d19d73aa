package import Foundation

/// A serializer of this package.
///
/// Outside the package, only the members of ``Serializer`` are visible.
package protocol FormattedSerializer: Serializer {
    /// The name, the media types, and the properties that differ from the defaults.
    var format: SerializerFormat { get }

    /// Encodes a value.
    func data(of value: any Encodable, contentType: String) throws -> Data

    /// Encodes a value nested under keys.
    ///
    /// By default, it is nested in objects with one key each.
    func data(of value: any Encodable, under root: BodyKeyPath, in context: SerializationContext) throws -> Data

    /// Decodes a value.
    func value<Value: Decodable>(_ type: Value.Type, from data: Data, contentType: String?) throws -> Value

    /// Decodes the value at a path.
    ///
    /// By default, this uses a type that follows the path.
    func value<Value: Decodable>(
        _ type: Value.Type,
        at path: BodyKeyPath,
        from data: Data,
        in context: SerializationContext
    ) throws -> Value
}

/// A serializer of this package: for forms, text, property lists, unchanged bytes or XML.
///
/// ```swift
/// SerializerMiddleware(.json, .form, .text)
/// ```
public struct BuiltInSerializer: FormattedSerializer {
    private let wrapped: any FormattedSerializer

    package init(_ serializer: some FormattedSerializer) {
        wrapped = serializer
    }

    package var format: SerializerFormat { wrapped.format }

    package func data(of value: any Encodable, contentType: String) throws -> Data {
        try wrapped.data(of: value, contentType: contentType)
    }

    package func data(
        of value: any Encodable,
        under root: BodyKeyPath,
        in context: SerializationContext
    ) throws -> Data {
        try wrapped.data(of: value, under: root, in: context)
    }

    package func value<Value: Decodable>(
        _ type: Value.Type,
        from data: Data,
        contentType: String?
    ) throws -> Value {
        try wrapped.value(type, from: data, contentType: contentType)
    }

    package func value<Value: Decodable>(
        _ type: Value.Type,
        at path: BodyKeyPath,
        from data: Data,
        in context: SerializationContext
    ) throws -> Value {
        try wrapped.value(type, at: path, from: data, in: context)
    }
}

/// The properties of a serializer.
package struct SerializerFormat: Sendable {
    let name: String
    let contentType: String
    let acceptedTypes: [String]
    /// Whether a value is added to the query of a GET, HEAD or DELETE request, as for forms.
    let placesValuesInQuery: Bool
    /// Whether an empty body is a valid value, as for text.
    let decodesEmptyBodies: Bool
    /// Whether values have keys, unlike text and bytes.
    ///
    /// Without keys, the stage's key path and root key don't apply.
    let hasKeys: Bool

    package init(
        _ name: String,
        _ contentType: String,
        accepting acceptedTypes: [String]? = nil,
        placesValuesInQuery: Bool = false,
        decodesEmptyBodies: Bool = false,
        hasKeys: Bool = true
    ) {
        self.name = name
        self.contentType = contentType
        self.acceptedTypes = acceptedTypes ?? [contentType]
        self.placesValuesInQuery = placesValuesInQuery
        self.decodesEmptyBodies = decodesEmptyBodies
        self.hasKeys = hasKeys
    }
}

extension FormattedSerializer {
    /// The name of the format.
    public var name: String { format.name }
    /// The content type that it encodes.
    public var contentType: String { format.contentType }
    /// The media types that it decodes.
    public var acceptedTypes: [String] { format.acceptedTypes }
    /// Whether an empty body is a valid value, as for text.
    public var decodesEmptyBodies: Bool { format.decodesEmptyBodies }

    /// Encodes a value.
    public func encode(_ value: any Encodable, contentType: String) throws -> Data {
        try data(of: value, contentType: contentType)
    }

    /// Decodes a value.
    public func decode<Value: Decodable>(_ type: Value.Type, from data: Data, contentType: String?) throws -> Value {
        try value(type, from: data, contentType: contentType)
    }

    package func data(
        of value: any Encodable,
        under root: BodyKeyPath,
        in context: SerializationContext
    ) throws -> Data {
        try rooted(value, under: root, in: context)
    }

    package func value<Value: Decodable>(
        _ type: Value.Type,
        at path: BodyKeyPath,
        from data: Data,
        in context: SerializationContext
    ) throws -> Value {
        try nested(type, at: path, from: data, in: context)
    }
}

extension Serializer {
    /// Whether a value is added to the query of a GET, HEAD or DELETE request, as for forms.
    var placesValuesInQuery: Bool { (self as? any FormattedSerializer)?.format.placesValuesInQuery ?? false }
    /// Whether values have keys, unlike text and bytes.
    var hasKeys: Bool { (self as? any FormattedSerializer)?.format.hasKeys ?? true }

    /// Encodes a value nested under keys.
    ///
    /// The path must not be empty.
    func encode(_ value: any Encodable, under root: BodyKeyPath, in context: SerializationContext) throws -> Data {
        if let own = self as? any FormattedSerializer { return try own.data(of: value, under: root, in: context) }
        return try rooted(value, under: root, in: context)
    }

    /// Decodes the value at a path, which must not be empty.
    func decode<Value: Decodable>(
        _ type: Value.Type,
        at path: BodyKeyPath,
        from data: Data,
        in context: SerializationContext
    ) throws -> Value {
        if let own = self as? any FormattedSerializer {
            return try own.value(type, at: path, from: data, in: context)
        }
        return try nested(type, at: path, from: data, in: context)
    }

    fileprivate func rooted(
        _ value: any Encodable,
        under root: BodyKeyPath,
        in context: SerializationContext
    ) throws -> Data {
        try encode(RootedValue(value: value, path: root), contentType: context.contentType ?? contentType)
    }

    fileprivate func nested<Value: Decodable>(
        _ type: Value.Type,
        at path: BodyKeyPath,
        from data: Data,
        in context: SerializationContext
    ) throws -> Value {
        try NestedValueScope.$path.withValue(path) {
            try decode(NestedValue<Value>.self, from: data, contentType: context.contentType).value
        }
    }
}
