public import Foundation

/// Unchanged bytes: only for `Data` and optional `Data`.
public struct RawSerializer: Serializer {
    /// Always "raw".
    public let name = "raw"
    /// The content type of the bytes.
    public let contentType: String
    /// All types.
    public let acceptedTypes = ["*/*"]
    /// `false`: bytes have no structure.
    public let hasKeys = false
    /// `true`: an empty body is empty `Data`.
    public let decodesEmptyBodies = true

    /// Makes the serializer; the content type is `application/octet-stream` by default.
    public init(contentType: String = "application/octet-stream") {
        self.contentType = contentType
    }

    /// The bytes.
    public func encode(_ value: any Encodable, contentType: String) throws -> Data {
        let value = (value as? any StandInValue)?.original ?? value
        guard let data = value as? Data else {
            throw SerializerError.notEncodable(value, by: self, "it takes Data alone")
        }
        return data
    }

    /// The bytes.
    public func decode<Value: Decodable>(
        _ type: Value.Type,
        from data: Data,
        contentType: String?
    ) throws -> Value {
        guard let value = data as? Value else {
            throw DecodingError.typeMismatch(
                type,
                DecodingError.Context(codingPath: [], debugDescription: "raw bytes can be given as Data alone")
            )
        }
        return value
    }
}

extension Serializer where Self == RawSerializer {
    /// Unchanged bytes.
    public static var raw: RawSerializer { RawSerializer() }

    /// Unchanged bytes, sent with a media type.
    public static func raw(_ contentType: String) -> RawSerializer { RawSerializer(contentType: contentType) }
}
