package import Foundation

/// Encodes values that aren't a request's body, such as the typed parts of a form.
///
/// It gives inner stages access to the chain's serializer.
package struct ValueEncoder: Sendable {
    /// Returns the bytes of a value and their `Content-Type`; the caller may request a content type.
    package let encode: @Sendable (any Encodable & Sendable, _ contentType: String?) throws -> (Data, String)

    /// Whether the call itself specifies how its values are encoded, which overrides the settings of inner stages.
    package let isChosenByCall: Bool

    /// Makes an encoder from a closure.
    package init(
        isChosenByCall: Bool,
        _ encode: @escaping @Sendable (any Encodable & Sendable, String?) throws -> (Data, String)
    ) {
        self.isChosenByCall = isChosenByCall
        self.encode = encode
    }
}

/// The option by which a stage requests a ``ValueEncoder``.
package enum ValueEncoderWantedNote: RequestNote {
    package static var defaultValue: Bool { false }
}

/// The value encoder, set by the serializer for requests that need it.
package enum ValueEncoderNote: RequestNote {
    package static var defaultValue: ValueEncoder? { nil }
}
