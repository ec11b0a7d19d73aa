package import Foundation
public import HTTPChainCore

/// Text in a character encoding: strings, and values that can be written as text, such as numbers, dates and UUIDs.
package struct PlainTextSerializer: Serializer, FormattedSerializer {
    package let format: SerializerFormat
    private let charset: String
    private let dates: DateCoding

    package init(charset: String = "utf-8", dates: DateCoding = .iso8601) {
        self.charset = charset
        self.dates = dates
        format = SerializerFormat(
            "text",
            "text/plain; charset=\(charset)",
            accepting: ["text/*"],
            decodesEmptyBodies: true,
            hasKeys: false
        )
    }

    package func data(of value: any Encodable, contentType: String) throws -> Data {
        let original = (value as? any StandInValue)?.original ?? value
        guard value is NullKeeping || !(value is any StandInValue) else {
            throw SerializerError.notEncodable(original, by: self, "text has no keys to put it under")
        }
        let text: String
        if let string = original as? String {
            text = string
        } else {
            let style = ParameterEncoder(nils: .empty, dates: dates)
            let encoded = try ParameterValue(encoding: original)
            guard let word = encoded.isNull ? "" : style.text(of: encoded) else {
                throw SerializerError.notEncodable(original, by: self, "it is more than one word")
            }
            text = word
        }
        return try TextCharset.data(of: text, charset: MediaType(contentType)?.charset ?? charset)
    }

    package func value<Value: Decodable>(
        _ type: Value.Type,
        from data: Data,
        contentType: String?
    ) throws -> Value {
        let text = try TextCharset.text(of: data, charset: MediaType(contentType)?.charset ?? charset)
        if let value = text as? Value { return value }
        let trimmed = text.trimming(\.properties.isWhitespace)
        let decoder = FormDecoder(
            node: FormNode(FormValue(text: trimmed)),
            codingPath: [],
            style: ParameterEncoder(dates: dates)
        )
        return try decoder.decode(type)
    }
}

extension Serializer where Self == BuiltInSerializer {
    /// Text in UTF-8: strings, and values that can be written as text, such as numbers, dates and UUIDs.
    public static var text: BuiltInSerializer { text() }

    /// Text with custom settings.
    ///
    /// Text is encoded with the charset in the call's `Content-Type`, or otherwise the default. It is decoded according
    /// to the byte order mark, otherwise the charset in the response's `Content-Type`, and otherwise the default.
    ///
    /// - Parameters:
    ///   - charset: The default character encoding; UTF-8 by default.
    ///   - dates: The style of dates; RFC 3339 by default.
    public static func text(charset: String = "utf-8", dates: DateCoding = .iso8601) -> BuiltInSerializer {
        BuiltInSerializer(PlainTextSerializer(charset: charset, dates: dates))
    }
}
