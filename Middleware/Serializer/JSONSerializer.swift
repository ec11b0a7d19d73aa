public import Foundation
public import HTTPChainCore
import HTTPChainSupport

/// JSON, RFC 8259, using Foundation's coders.
///
/// ``Serializer/json(keys:dates:contentType:encoder:decoder:)`` makes one. It decodes `application/json`, `text/json` and
/// every type with the suffix `+json`, in UTF-8, UTF-16 or UTF-32.
public struct JSONSerializer: Serializer, FormattedSerializer {
    /// The mapping between keys of objects and names of properties.
    public enum Keys: Sendable, Hashable {
        /// Keys are the same as names.
        case asDeclared
        /// The key `first_name` corresponds to the property `firstName`.
        case snakeCase
    }

    package let format: SerializerFormat

    private static let names = ["application/json", "text/json", "*/*+json"]

    /// Whether a content type is a JSON type.
    static func reads(_ contentType: String) -> Bool {
        MediaType(contentType).map { type in names.contains { type.matches($0) } } ?? false
    }

    private let keys: Keys
    private let dates: DateCoding
    private let configureEncoder: @Sendable (JSONEncoder) -> Void
    private let configureDecoder: @Sendable (JSONDecoder) -> Void

    package init(
        keys: Keys = .asDeclared,
        dates: DateCoding = .iso8601,
        contentType: String = "application/json",
        encoder: @escaping @Sendable (JSONEncoder) -> Void = { _ in },
        decoder: @escaping @Sendable (JSONDecoder) -> Void = { _ in }
    ) {
        self.keys = keys
        self.dates = dates
        let own = Self.reads(contentType) ? nil : MediaType(contentType)?.essence
        format = SerializerFormat("JSON", contentType, accepting: Self.names + (own.map { [$0] } ?? []))
        configureEncoder = encoder
        configureDecoder = decoder
    }

    package func data(of value: any Encodable, contentType: String) throws -> Data {
        try makeEncoder().encode(NullKeeping.unwrapped(value))
    }

    package func value<Value: Decodable>(
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
    /// JSON with unchanged keys and RFC 3339 dates.
    public static var json: JSONSerializer { JSONSerializer() }

    /// JSON with custom settings.
    ///
    /// ```swift
    /// SerializerMiddleware(.json(decoder: { $0.dateDecodingStrategy = .secondsSince1970 }))
    /// ```
    ///
    /// - Parameters:
    ///   - keys: The mapping of keys; unchanged by default.
    ///   - dates: The style of dates; RFC 3339 by default.
    ///   - contentType: The `Content-Type` to send. It is also decoded, in addition to the other types.
    ///   - encoder: Configures the encoder, which is created for each value.
    ///   - decoder: Configures the decoder, which is created for each value.
    public static func json(
        keys: JSONSerializer.Keys = .asDeclared,
        dates: DateCoding = .iso8601,
        contentType: String = "application/json",
        encoder: @escaping @Sendable (JSONEncoder) -> Void = { _ in },
        decoder: @escaping @Sendable (JSONDecoder) -> Void = { _ in }
    ) -> JSONSerializer {
        JSONSerializer(keys: keys, dates: dates, contentType: contentType, encoder: encoder, decoder: decoder)
    }

    /// Unavailable: a decoder is created for each value.
    ///
    /// Configure it with a closure.
    @available(*, unavailable, message: "set the decoder that is made for each value: .json(decoder: { $0… })")
    public static func json(encoder: JSONEncoder = JSONEncoder(), decoder: JSONDecoder) -> JSONSerializer { .json }

    /// Unavailable: an encoder is created for each value.
    ///
    /// Configure it with a closure.
    @available(*, unavailable, message: "set the encoder that is made for each value: .json(encoder: { $0… })")
    public static func json(encoder: JSONEncoder) -> JSONSerializer { .json }
}
