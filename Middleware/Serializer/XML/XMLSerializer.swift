#if XML
package import Foundation
public import HTTPChainCore
public import HTTPChainSerializer
import HTTPChainSupport
public import XMLCoder

/// XML; see `.xml(root:dates:encoder:decoder:)`.
package struct XMLSerializer: Serializer, FormattedSerializer {
    package var format: SerializerFormat {
        SerializerFormat(
            "XML",
            "application/xml",
            accepting: ["application/xml", "text/xml", "application/*+xml"]
        )
    }

    private let root: String?
    private let dates: DateCoding
    private let configureEncoder: @Sendable (XMLEncoder) -> Void
    private let configureDecoder: @Sendable (XMLDecoder) -> Void

    package init(
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

    /// Returns the value as a document, in the charset of the `Content-Type`, or in UTF-8 if it has none.
    package func data(of value: any Encodable, contentType: String) throws -> Data {
        try document(value, root: root ?? Self.elementName(of: value), contentType)
    }

    /// Returns the value as a document.
    ///
    /// The first key is the root element, and there is a nested element for each further key.
    package func data(
        of value: any Encodable,
        under root: BodyKeyPath,
        in context: SerializationContext
    ) throws -> Data {
        let contentType = context.contentType ?? contentType
        let inner = BodyKeyPath(keys: Array(root.keys.dropFirst()))
        guard let first = root.keys.first else { return try data(of: value, contentType: contentType) }
        let content: any Encodable = inner.isWhole ? value : RootedValue(value: value, path: inner)
        return try document(content, root: first, contentType)
    }

    /// Decodes a value from a document.
    package func value<Value: Decodable>(
        _ type: Value.Type,
        from data: Data,
        contentType: String?
    ) throws -> Value {
        // Trimming would also remove spaces next to an entity within a text.
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
        try XMLDepth.check(document)
        do {
            return try decoder.decode(type, from: document)
        } catch DecodingError.keyNotFound(let key, let context)
            where context.codingPath.last?.stringValue == key.stringValue
        {
            // XMLCoder includes the missing element in its path.
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
        let charset = XMLCharset(contentType)
        let header = XMLHeader(version: 1.0, encoding: charset.name ?? "UTF-8")
        let document = try encoder.encode(NullKeeping.unwrapped(value), withRootKey: root, header: header)
        return try charset.bytes(ofUTF8: document)
    }

    /// Returns the name of the value's type, without characters that are invalid in an element name.
    private static func elementName(of value: any Encodable) -> String {
        let original = (value as? any StandInValue)?.original ?? value
        let name = String(describing: type(of: original)).unicodeScalars.prefix {
            $0 == "_" || $0.properties.isIDContinue
        }
        return name.isEmpty ? "root" : String(name)
    }
}

extension Serializer where Self == BuiltInSerializer {
    /// XML with a root element named after the type.
    public static var xml: BuiltInSerializer { xml() }

    /// XML, using XMLCoder.
    ///
    /// Requires the package trait `XML`.
    ///
    /// ```swift
    /// SerializerMiddleware(.json, .xml(root: "order"))
    /// ```
    ///
    /// It decodes `application/xml`, `text/xml` and every type with the suffix `+xml`. A key path begins inside the
    /// root element. External document types aren't loaded. Whitespace within an element's text is kept, and whitespace
    /// that is used only for layout is removed. The charset of the `Content-Type` overrides the document's own
    /// declaration, and a byte order mark overrides both (RFC 7303 §3.2). A `DecodingError` is thrown for a document
    /// that is nested deeper than 128 levels (20 on Apple platforms, whose threads have small stacks), that has a
    /// document type with internal declarations, or that has a processing instruction without data.
    ///
    /// - Parameters:
    ///   - root: The name of the root element, or `nil` to use the name of the value's type. A root key of the call or
    ///     the stage replaces it.
    ///   - dates: The style of dates; RFC 3339 by default.
    ///   - encoder: Configures the encoder, which is created for each value.
    ///   - decoder: Configures the decoder, which is created for each value.
    public static func xml(
        root: String? = nil,
        dates: DateCoding = .iso8601,
        encoder: @escaping @Sendable (XMLEncoder) -> Void = { _ in },
        decoder: @escaping @Sendable (XMLDecoder) -> Void = { _ in }
    ) -> BuiltInSerializer {
        BuiltInSerializer(XMLSerializer(root: root, dates: dates, encoder: encoder, decoder: decoder))
    }
}
#endif
