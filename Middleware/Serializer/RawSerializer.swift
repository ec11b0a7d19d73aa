public import Foundation

/// Bytes as they are: for `Data` and optional `Data`, and nothing else.
public struct RawSerializer: Serializer {
    /// Always "raw".
    public let name = "raw"
    /// The content type of the bytes.
    public let contentType: String
    /// Anything.
    public let acceptedTypes = ["*/*"]
    /// Bytes are just bytes.
    public let hasKeys = false
    /// No bytes are empty `Data`.
    public let decodesEmptyBodies = true

    /// Makes the serializer; `application/octet-stream` is written unless another type is given.
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
    /// Bytes as they are.
    public static var raw: RawSerializer { RawSerializer() }

    /// Bytes as they are, sent as a media type.
    public static func raw(_ contentType: String) -> RawSerializer { RawSerializer(contentType: contentType) }
}
