public import Foundation

/// Forms, `application/x-www-form-urlencoded` as the WHATWG URL Standard §5 writes and reads them.
///
/// Objects and arrays within a value become names with brackets or dots, and come back from either. In the query of a
/// GET, HEAD or DELETE request they go where the value would have no place in the body.
///
/// Nil is left out; where nil is to be null, it is an empty text. Read, an empty text is nil for an optional type.
public struct FormSerializer: Serializer {
    /// How values within objects are named.
    public enum Nesting: Sendable, Hashable {
        /// `user[name]=…`
        case brackets
        /// `user.name=…`
        case dots
    }

    /// How the elements of arrays are named.
    public enum Arrays: Sendable, Hashable {
        /// `tag[]=a&tag[]=b`
        case brackets
        /// `tag=a&tag=b`; elements that are objects or arrays themselves are numbered.
        case repeated
        /// `tag[0]=a&tag[1]=b`, or `tag.0=a&tag.1=b` where nesting has dots.
        case indexed
    }

    /// How truth values are written.
    public enum Booleans: Sendable, Hashable {
        /// `true` and `false`.
        case words
        /// `1` and `0`.
        case digits
    }

    /// Always "form".
    public let name = "form"
    /// Always `application/x-www-form-urlencoded`.
    public let contentType = "application/x-www-form-urlencoded"
    /// A value goes to the query of a GET, HEAD or DELETE request.
    public let placesValuesInQuery = true
    /// No bytes are a form without fields.
    public let decodesEmptyBodies = true

    let nesting: Nesting
    let arrays: Arrays
    let values: FormValueStyle

    /// Makes the serializer.
    ///
    /// - Parameters:
    ///   - nesting: How values within objects are named; with brackets by default.
    ///   - arrays: How the elements of arrays are named; with empty brackets by default.
    ///   - booleans: How truth values are written; as words by default. Read are both, and `on`, `off`, `yes`, `no`.
    ///   - dates: How dates are written; as RFC 3339 by default.
    public init(
        nesting: Nesting = .brackets,
        arrays: Arrays = .brackets,
        booleans: Booleans = .words,
        dates: DateCoding = .iso8601
    ) {
        self.nesting = nesting
        self.arrays = arrays
        values = FormValueStyle(booleans: booleans, dates: dates)
    }

    /// The value as pairs of names and texts; it must have keys at its top level.
    public func encode(_ value: any Encodable, contentType: String) throws -> Data {
        let writer = FormWriter()
        try writer.write(value, style: values, codingPath: [])
        let original = (value as? any StandInValue)?.original ?? value
        guard writer.isObject else {
            throw SerializerError.notEncodable(original, by: self, "a form needs a value with keys at its top level")
        }
        return Data(FormText.write(writer.pairs(nesting: nesting, arrays: arrays)).utf8)
    }

    /// The value of pairs of names and texts.
    public func decode<Value: Decodable>(
        _ type: Value.Type,
        from data: Data,
        contentType: String?
    ) throws -> Value {
        let node = FormNode()
        for (name, value) in FormText.read(data) {
            node.insert(value, at: try FormText.path(of: name, nesting: nesting))
        }
        return try FormDecoder(node: node, codingPath: [], dates: values.dates).decode(type)
    }
}

extension Serializer where Self == FormSerializer {
    /// Forms with brackets in their names.
    public static var form: FormSerializer { FormSerializer() }

    /// Forms in a style.
    public static func form(
        nesting: FormSerializer.Nesting = .brackets,
        arrays: FormSerializer.Arrays = .brackets,
        booleans: FormSerializer.Booleans = .words,
        dates: DateCoding = .iso8601
    ) -> FormSerializer {
        FormSerializer(nesting: nesting, arrays: arrays, booleans: booleans, dates: dates)
    }
}
