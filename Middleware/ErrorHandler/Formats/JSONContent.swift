public import Foundation
import HTTPChainCore
import HTTPChainSupport

extension ErrorHandler {
    /// A handler for a custom type, decoded from JSON.
    ///
    /// A type with only optional members decodes from any object. If the types of several services could be confused,
    /// use ``limited(to:)`` or different content types.
    ///
    /// - Parameters:
    ///   - type: The type of the details in the thrown ``ServiceError``.
    ///   - contentTypes: The media types to decode. Defaults to `application/json` and all types with the suffix
    ///     `+json`.
    ///   - decoder: Creates the decoder and configures it.
    public static func decoding<Details: Decodable & Sendable>(
        _ type: Details.Type,
        contentTypes: [String] = ["application/json", "application/*+json"],
        decoder: @escaping @Sendable () -> JSONDecoder = { JSONDecoder() }
    ) -> ErrorHandler {
        .content("\(type)", contentTypes: contentTypes) { try decoder().decode(type, received: $0) }
    }
}

/// The members of a JSON object.
///
/// Members of the expected type are removed as they are read.
struct LenientObject {
    private(set) var rest: [String: JSONValue]

    init?(_ value: JSONValue?) {
        guard let members = value?.object else { return nil }
        rest = members
    }

    /// Removes a member and returns it, converted by `read`.
    ///
    /// If `read` returns `nil`, the member stays in `rest`.
    mutating func take<Value>(_ name: String, _ read: (JSONValue) -> Value?) -> Value? {
        guard let value = rest[name].flatMap(read) else { return nil }
        rest[name] = nil
        return value
    }

    mutating func string(_ name: String) -> String? { take(name, \.string) }
}

extension JSONValue {
    /// Decodes a document.
    static func decoding(_ bytes: Data) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, received: bytes)
    }
}
