#if XML
public import Foundation
public import HTTPChainSerializer
public import XMLCoder

/// XML, by XMLCoder; the trait `XML` brings it.
///
/// ```swift
/// SerializerMiddleware(.json, .xml(root: "order"))
/// ```
///
/// It reads `application/xml`, `text/xml` and every type with the suffix `+xml`. A key path begins inside the root
/// element. Entities that a document declares are not expanded, and nothing it refers to is loaded.
public struct XMLSerializer: Serializer {
    /// Always "XML".
    public let name = "XML"
    /// Always `application/xml`.
    public let contentType = "application/xml"
    /// XML under its names, and what is built on it.
    public let acceptedTypes = ["application/xml", "text/xml", "application/*+xml"]

    private let root: String?
    private let dates: Dates
    private let configureEncoder: @Sendable (XMLEncoder) -> Void
    private let configureDecoder: @Sendable (XMLDecoder) -> Void

    /// How dates are written.
    public enum Dates: Sendable, Hashable {
        /// RFC 3339, such as `2026-01-31T09:30:00Z`.
        case iso8601
        /// Seconds since 1970, as a number.
        case secondsSince1970
        /// As XMLCoder does by default: seconds since 2001, as a number.
        case foundation
    }

    /// Makes the serializer.
    ///
    /// - Parameters:
    ///   - root: The name of the root element; the name of the value's type when nil. A root key of the call or the
    ///     stage takes its place.
    ///   - dates: How dates are written; as RFC 3339 by default.
    ///   - encoder: Sets more on the encoder; one is made for each value.
    ///   - decoder: Sets more on the decoder; one is made for each value.
    public init(
        root: String? = nil,
        dates: Dates = .iso8601,
        encoder: @escaping @Sendable (XMLEncoder) -> Void = { _ in },
        decoder: @escaping @Sendable (XMLDecoder) -> Void = { _ in }
    ) {
        self.root = root
        self.dates = dates
        configureEncoder = encoder
        configureDecoder = decoder
    }

    /// The value as a document in UTF-8.
    public func encode(_ value: any Encodable, contentType: String) throws -> Data {
        try document(value, root: root ?? Self.elementName(of: value))
    }

    /// The value as a document whose root element is the first key, with an element for each further key in it.
    public func encode(_ value: any Encodable, under root: BodyKeyPath, contentType: String) throws -> Data {
        let inner = BodyKeyPath(keys: Array(root.keys.dropFirst()))
        guard let first = root.keys.first else { return try encode(value, contentType: contentType) }
        let content: any Encodable = inner.isWhole ? value : RootedValue(value: value, path: inner)
        return try document(content, root: first)
    }

    /// The value of a document.
    public func decode<Value: Decodable>(
        _ type: Value.Type,
        from data: Data,
        contentType: String?
    ) throws -> Value {
        let decoder = XMLDecoder()
        switch dates {
        case .iso8601: decoder.dateDecodingStrategy = .iso8601
        case .secondsSince1970: decoder.dateDecodingStrategy = .secondsSince1970
        case .foundation: decoder.dateDecodingStrategy = .deferredToDate
        }
        configureDecoder(decoder)
        return try decoder.decode(type, from: data)
    }

    private func document(_ value: some Encodable, root: String) throws -> Data {
        let encoder = XMLEncoder()
        switch dates {
        case .iso8601: encoder.dateEncodingStrategy = .iso8601
        case .secondsSince1970: encoder.dateEncodingStrategy = .secondsSince1970
        case .foundation: encoder.dateEncodingStrategy = .deferredToDate
        }
        configureEncoder(encoder)
        return try encoder.encode(value, withRootKey: root, header: XMLHeader(version: 1.0, encoding: "UTF-8"))
    }

    /// The name of the value's type, as far as it can be the name of an element.
    private static func elementName(of value: any Encodable) -> String {
        let original = (value as? any StandInValue)?.original ?? value
        let name = String(describing: type(of: original)).prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        return name.isEmpty ? "root" : String(name)
    }
}

extension Serializer where Self == XMLSerializer {
    /// XML whose root element is named after the type.
    public static var xml: XMLSerializer { XMLSerializer() }

    /// XML with a name for the root element and a style of dates.
    public static func xml(root: String? = nil, dates: XMLSerializer.Dates = .iso8601) -> XMLSerializer {
        XMLSerializer(root: root, dates: dates)
    }
}
#endif
