public import Foundation
public import HTTPChainCore
import HTTPChainSupport

/// JSON, RFC 8259, by Foundation's coders.
///
/// It reads `application/json`, `text/json` and every type with the suffix `+json`.
public struct JSONSerializer: Serializer {
    /// The relation between the keys of objects and the names of properties.
    public enum Keys: Sendable, Hashable {
        /// They are the same.
        case asDeclared
        /// `first_name` is `firstName`.
        case snakeCase
    }

    /// Always "JSON".
    public let name = "JSON"
    /// `application/json` unless another was given.
    public let contentType: String
    /// JSON under its names, and what is built on it.
    public var acceptedTypes: [String] {
        guard let own = MediaType(contentType), !Self.reads(contentType) else { return Self.names }
        return Self.names + [own.essence]
    }

    private static let names = ["application/json", "text/json", "*/*+json"]

    /// Whether a content type is one of JSON.
    static func reads(_ contentType: String) -> Bool {
        MediaType(contentType).map { type in names.contains { type.matches($0) } } ?? false
    }

    private let keys: Keys
    private let dates: DateCoding
    private let configureEncoder: @Sendable (JSONEncoder) -> Void
    private let configureDecoder: @Sendable (JSONDecoder) -> Void

    /// Makes the serializer.
    ///
    /// - Parameters:
    ///   - keys: How keys relate to names; they are the same by default.
    ///   - dates: How dates are written; as RFC 3339 by default.
    ///   - contentType: What is sent as `Content-Type`, and read beside the other types.
    ///   - encoder: Sets more on the encoder; one is made for each value.
    ///   - decoder: Sets more on the decoder; one is made for each value.
    public init(
        keys: Keys = .asDeclared,
        dates: DateCoding = .iso8601,
        contentType: String = "application/json",
        encoder: @escaping @Sendable (JSONEncoder) -> Void = { _ in },
        decoder: @escaping @Sendable (JSONDecoder) -> Void = { _ in }
    ) {
        self.keys = keys
        self.dates = dates
        self.contentType = contentType
        configureEncoder = encoder
        configureDecoder = decoder
    }

    /// The value as JSON, UTF-8.
    public func encode(_ value: any Encodable, contentType: String) throws -> Data {
        try makeEncoder().encode(NullKeeping.unwrapped(value))
    }

    /// The value of JSON in UTF-8, UTF-16 or UTF-32.
    public func decode<Value: Decodable>(
        _ type: Value.Type,
        from data: Data,
        contentType: String?
    ) throws -> Value {
        try makeDecoder().decode(type, received: data)
    }

    func makeEncoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        if keys == .snakeCase { encoder.keyEncodingStrategy = .convertToSnakeCase }
        dates.apply(to: encoder)
        configureEncoder(encoder)
        return encoder
    }

    func makeDecoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        if keys == .snakeCase { decoder.keyDecodingStrategy = .convertFromSnakeCase }
        dates.apply(to: decoder)
        configureDecoder(decoder)
        return decoder
    }
}

extension Serializer where Self == JSONSerializer {
    /// JSON with keys as declared and dates as RFC 3339.
    public static var json: JSONSerializer { JSONSerializer() }

    /// JSON with a style of keys and of dates; for more, see `JSONSerializer`'s initialiser.
    public static func json(
        keys: JSONSerializer.Keys = .asDeclared,
        dates: DateCoding = .iso8601
    ) -> JSONSerializer {
        JSONSerializer(keys: keys, dates: dates)
    }
}
