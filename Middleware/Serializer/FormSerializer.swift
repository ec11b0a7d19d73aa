public import Foundation
public import HTTPChainCore

/// Forms, `application/x-www-form-urlencoded` as the WHATWG URL Standard §5 writes and reads them.
///
/// ```swift
/// SerializerMiddleware(.json, .form(ParameterEncoder(arrays: .brackets, keys: .snakeCase)))
///
/// struct Order: Codable, Sendable { var plantIDs = [1, 2], isGift = true }
/// try await chain.send(.post("orders", body: .value(Order())).encoded(by: .form))
/// // plant_ids%5B%5D=1&plant_ids%5B%5D=2&is_gift=true
/// ```
///
/// Names and values are written by a ``/HTTPChainCore/ParameterEncoder``, the one that queries have too, and what it
/// writes is read back in every style but for what leaves no trace: nil, empty lists and values without keys. Names
/// that nest are read from brackets and, where the style has them, from dots. Read, an empty text is nil for an optional
/// type.
///
/// A value goes to the query of a GET, HEAD or DELETE request, whose body has no meaning (RFC 9110 §9.3).
public struct FormSerializer: Serializer {
    /// Always "form".
    public let name = "form"
    /// Always `application/x-www-form-urlencoded`.
    public let contentType = "application/x-www-form-urlencoded"
    /// A value goes to the query of a GET, HEAD or DELETE request.
    public let placesValuesInQuery = true
    /// No bytes are a form without fields.
    public let decodesEmptyBodies = true
    /// The encoder of names and values.
    public let encoder: ParameterEncoder

    /// Makes the serializer.
    ///
    /// - Parameter encoder: How names and values are written, and read.
    public init(_ encoder: ParameterEncoder = ParameterEncoder()) {
        self.encoder = encoder
    }

    /// The value as pairs of names and texts; it must have keys at its top level.
    public func encode(_ value: any Encodable, contentType: String) throws -> Data {
        var encoder = encoder
        if (value as? any StandInValue)?.keepsNulls ?? false { encoder.nils = .empty }
        var writer = ParameterWriter(encoder, isForm: true)
        try writer.append(contentsOf: value)
        return Data(writer.output)
    }

    /// The value of pairs of names and texts.
    public func decode<Value: Decodable>(
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

extension Serializer where Self == FormSerializer {
    /// Forms in the usual style.
    public static var form: FormSerializer { FormSerializer() }

    /// Forms in a style.
    public static func form(_ encoder: ParameterEncoder) -> FormSerializer { FormSerializer(encoder) }
}
