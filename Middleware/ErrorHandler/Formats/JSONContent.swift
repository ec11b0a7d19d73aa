public import Foundation
import HTTPChainCore
import HTTPChainSupport

extension ErrorHandler {
    /// A handler for a type of your own, decoded from JSON.
    ///
    /// Give each service's type to the stage with ``limited(to:)`` or with content types of its own where they could be
    /// taken for one another: a type whose members are all optional decodes from any object.
    ///
    /// - Parameters:
    ///   - type: The type; the call fails with a ``ServiceError`` that has it as its details.
    ///   - contentTypes: The media types it is read from; `application/json` and all with the suffix `+json` by default.
    ///   - decoder: Makes the decoder, with the settings wanted.
    public static func decoding<Details: Decodable & Sendable>(
        _ type: Details.Type,
        contentTypes: [String] = ["application/json", "application/*+json"],
        decoder: @escaping @Sendable () -> JSONDecoder = { JSONDecoder() }
    ) -> ErrorHandler {
        .content("\(type)", contentTypes: contentTypes) { try decoder().decode(type, received: $0.bytes) }
    }
}

/// The members of a JSON object, taken one by one as far as each is what it should be.
struct LenientObject {
    private(set) var rest: [String: JSONValue]

    init?(_ value: JSONValue?) {
        guard let members = value?.object else { return nil }
        rest = members
    }

    /// A member that is what `read` makes of it; one that is something else stays among the rest.
    mutating func take<Value>(_ name: String, _ read: (JSONValue) -> Value?) -> Value? {
        guard let value = rest[name].flatMap(read) else { return nil }
        rest[name] = nil
        return value
    }

    mutating func string(_ name: String) -> String? { take(name, \.string) }
}

extension JSONValue {
    /// The object that a whole document is.
    static func decoding(_ bytes: Data) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, received: bytes)
    }
}
