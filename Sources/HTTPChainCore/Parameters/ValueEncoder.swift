package import Foundation

/// Writes values that are not a request's body themselves, such as the typed parts of a form: the chain's serializer, as
/// stages further in reach it.
package struct ValueEncoder: Sendable {
    /// The bytes of a value, and their `Content-Type`; the type that is wanted may be given.
    package let encode: @Sendable (any Encodable & Sendable, _ contentType: String?) throws -> (Data, String)

    /// Takes the closure.
    package init(_ encode: @escaping @Sendable (any Encodable & Sendable, String?) throws -> (Data, String)) {
        self.encode = encode
    }
}

/// Set by who brings such values.
package enum WantsValueEncoder: RequestOption {
    package static var defaultValue: Bool { false }
}

/// Set by the serializer for requests that want it.
package enum ValueEncoderOption: RequestOption {
    package static var defaultValue: ValueEncoder? { nil }
}
