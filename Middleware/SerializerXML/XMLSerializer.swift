#if XML
public import Foundation
public import HTTPChainCore
public import HTTPChainSerializer
import HTTPChainSupport
public import XMLCoder

/// XML, by XMLCoder; the trait `XML` brings it.
///
/// ```swift
/// SerializerMiddleware(.json, .xml(root: "order"))
/// ```
///
/// It reads `application/xml`, `text/xml` and every type with the suffix `+xml`. A key path begins inside the root
/// element. Entities that a document declares are not expanded, and nothing it refers to is loaded. White
/// space within an element's text is kept, and what only lays a document out is not. The charset of the `Content-Type`
/// decides over the document's own declaration, and a byte order mark over both (RFC 7303 §3.2). A document that is
/// nested deeper than 128 levels is a `DecodingError`.
public struct XMLSerializer: Serializer {
    /// Always "XML".
    public let name = "XML"
    /// Always `application/xml`.
    public let contentType = "application/xml"
    /// XML under its names, and what is built on it.
    public let acceptedTypes = ["application/xml", "text/xml", "application/*+xml"]

    private let root: String?
    private let dates: DateCoding
    private let configureEncoder: @Sendable (XMLEncoder) -> Void
    private let configureDecoder: @Sendable (XMLDecoder) -> Void

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
        dates: DateCoding = .iso8601,
        encoder: @escaping @Sendable (XMLEncoder) -> Void = { _ in },
        decoder: @escaping @Sendable (XMLDecoder) -> Void = { _ in }
    ) {
        self.root = root
        self.dates = dates
        configureEncoder = encoder
        configureDecoder = decoder
    }

    /// The value as a document, in the charset that the `Content-Type` names, else in UTF-8.
    public func encode(_ value: any Encodable, contentType: String) throws -> Data {
        try document(value, root: root ?? Self.elementName(of: value), contentType)
    }

    /// The value as a document whose root element is the first key, with an element for each further key in it.
    public func encode(_ value: any Encodable, under root: BodyKeyPath, contentType: String) throws -> Data {
        let inner = BodyKeyPath(keys: Array(root.keys.dropFirst()))
        guard let first = root.keys.first else { return try encode(value, contentType: contentType) }
        let content: any Encodable = inner.isWhole ? value : RootedValue(value: value, path: inner)
        return try document(content, root: first, contentType)
    }

    /// The value of a document.
    public func decode<Value: Decodable>(
        _ type: Value.Type,
        from data: Data,
        contentType: String?
    ) throws -> Value {
        // Trimming would also take the spaces beside an entity within a text.
        let decoder = XMLDecoder(trimValueWhitespaces: false, removeWhitespaceElements: true)
        decoder.dateDecodingStrategy = .custom { [dates] decoder in
            let container = try decoder.singleValueContainer()
            if let date = dates.date(from: try container.decode(String.self)) { return date }
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "the text is not a date as \(dates) writes it"
            )
        }
        configureDecoder(decoder)
        let document = try XMLCharset(contentType).utf8(of: data)
        try XMLNesting.check(document, for: .xml)
        do {
            return try decoder.decode(type, from: document)
        } catch DecodingError.keyNotFound(let key, let context)
            where context.codingPath.last?.stringValue == key.stringValue
        {
            // XMLCoder counts the missing element as part of the way to it.
            throw DecodingError.keyNotFound(
                key,
                DecodingError.Context(
                    codingPath: context.codingPath.dropLast(),
                    debugDescription: context.debugDescription,
                    underlyingError: context.underlyingError
                )
            )
        }
    }

    private func document(_ value: any Encodable, root: String, _ contentType: String) throws -> Data {
        let encoder = XMLEncoder()
        encoder.dateEncodingStrategy = .custom { [dates] date, encoder in
            var container = encoder.singleValueContainer()
            guard let text = dates.text(of: date) else {
                throw EncodingError.invalidValue(
                    date,
                    EncodingError.Context(
                        codingPath: encoder.codingPath,
                        debugDescription: "the date is not finite or too far off"
                    )
                )
            }
            try container.encode(text)
        }
        configureEncoder(encoder)
        return try Self.document(NullKeeping.unwrapped(value), root, encoder, charset: XMLCharset(contentType))
    }

    private static func document(
        _ value: some Encodable,
        _ root: String,
        _ encoder: XMLEncoder,
        charset: XMLCharset
    ) throws -> Data {
        let header = XMLHeader(version: 1.0, encoding: charset.name ?? "UTF-8")
        return try charset.bytes(ofUTF8: try encoder.encode(value, withRootKey: root, header: header))
    }

    /// The name of the value's type, as far as it can be the name of an element.
    private static func elementName(of value: any Encodable) -> String {
        let original = (value as? any StandInValue)?.original ?? value
        let name = String(describing: type(of: original)).unicodeScalars.prefix {
            $0 == "_" || $0.properties.isIDContinue
        }
        return name.isEmpty ? "root" : String(name)
    }
}

extension Serializer where Self == XMLSerializer {
    /// XML whose root element is named after the type.
    public static var xml: XMLSerializer { XMLSerializer() }

    /// XML with a name for the root element and a style of dates.
    public static func xml(root: String? = nil, dates: DateCoding = .iso8601) -> XMLSerializer {
        XMLSerializer(root: root, dates: dates)
    }
}
#endif
