package import Foundation

/// Unchanged bytes, only for `Data` and `Data?`.
package struct RawSerializer: Serializer, FormattedSerializer {
    package let format: SerializerFormat

    package init(contentType: String = "application/octet-stream") {
        format = SerializerFormat(
            "raw",
            contentType,
            accepting: ["*/*"],
            decodesEmptyBodies: true,
            hasKeys: false
        )
    }

    package func data(of value: any Encodable, contentType: String) throws -> Data {
        let value = (value as? any StandInValue)?.original ?? value
        guard let data = value as? Data else {
            throw SerializerError.notEncodable(value, by: self, "it encodes only Data")
        }
        return data
    }

    package func value<Value: Decodable>(
        _ type: Value.Type,
        from data: Data,
        contentType: String?
    ) throws -> Value {
        guard let value = data as? Value else {
            throw DecodingError.typeMismatch(type, .init("raw bytes must be Data"))
        }
        return value
    }
}

extension Serializer where Self == BuiltInSerializer {
    /// Unchanged bytes, sent as `application/octet-stream`, only for `Data` and `Data?`.
    public static var raw: BuiltInSerializer { raw() }

    /// Unchanged bytes, only for `Data` and `Data?`.
    ///
    /// - Parameter contentType: The media type with which they are sent; `application/octet-stream` by default.
    public static func raw(_ contentType: String = "application/octet-stream") -> BuiltInSerializer {
        BuiltInSerializer(RawSerializer(contentType: contentType))
    }
}
