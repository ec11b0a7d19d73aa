package import Foundation
public import HTTPChainCore

/// Forms; see ``Serializer/form(_:)``.
package struct FormSerializer: Serializer, FormattedSerializer {
    /// The encoder of names and values.
    package let encoder: ParameterEncoder

    package var format: SerializerFormat {
        SerializerFormat(
            "form",
            "application/x-www-form-urlencoded",
            placesValuesInQuery: true,
            decodesEmptyBodies: true
        )
    }

    /// Makes the serializer.
    ///
    /// - Parameter encoder: The encoder for names and values. Its style is also used for decoding.
    package init(_ encoder: ParameterEncoder = ParameterEncoder()) {
        self.encoder = encoder
    }

    /// Encodes a value as pairs of names and texts.
    ///
    /// The value must have keys at its top level.
    package func data(of value: any Encodable, contentType: String) throws -> Data {
        var encoder = encoder
        if (value as? any StandInValue)?.keepsNulls ?? false { encoder.nils = .empty }
        var writer = ParameterWriter(encoder, isForm: true)
        try writer.append(contentsOf: value)
        return Data(writer.output)
    }

    package func value<Value: Decodable>(
        _ type: Value.Type,
        from data: Data,
        contentType: String?
    ) throws -> Value {
        let node = FormNode()
        for (name, value) in FormText.read(data, arrays: encoder.arrays) {
            node.insert(value, at: try FormText.path(of: name, nesting: encoder.nesting))
        }
        return try FormDecoder(node: node, codingPath: [], style: encoder).decode(type)
    }
}

extension Serializer where Self == BuiltInSerializer {
    /// Forms in the default style: see ``form(_:)``.
    public static var form: BuiltInSerializer { BuiltInSerializer(FormSerializer()) }

    /// Forms, `application/x-www-form-urlencoded` as in §5 of the WHATWG URL Standard, in a custom style.
    ///
    /// ```swift
    /// SerializerMiddleware(.json, .form(ParameterEncoder(arrays: .brackets, keys: .snakeCase)))
    ///
    /// struct Order: Codable, Sendable { var plantIDs = [1, 2], isGift = true }
    /// try await chain.send(.post("orders", body: .value(Order())).encoding(by: .form))
    /// // plant_ids%5B%5D=1&plant_ids%5B%5D=2&is_gift=true
    /// ```
    ///
    /// A ``/HTTPChainCore/ParameterEncoder`` encodes names and values, as in queries. All styles can be decoded, except
    /// for values that aren't represented at all: `nil`, empty lists and values without keys. Nested names are decoded
    /// from brackets and, if the style uses them, from dots. When an optional type is decoded, an empty text is `nil`.
    ///
    /// For a GET, HEAD or DELETE request, whose body has no meaning (RFC 9110 §9.3), the value is added to the query.
    ///
    /// - Parameter encoder: The encoder for names and values. Its style is also used for decoding.
    public static func form(_ encoder: ParameterEncoder) -> BuiltInSerializer {
        BuiltInSerializer(FormSerializer(encoder))
    }
}
