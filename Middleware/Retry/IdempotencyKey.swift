public import HTTPChainCore
import HTTPChainSupport
public import HTTPTypes

extension HTTPField.Name {
    /// `Idempotency-Key`: a name for what the client wants done, by which a server knows a request that it has seen
    /// before (draft-ietf-httpapi-idempotency-key-header).
    public static let idempotencyKey = Self(constant: "Idempotency-Key")
}

/// Whether one call gets an `Idempotency-Key`, whatever ``RetryMiddleware`` does by default.
public enum GeneratesIdempotencyKey: RequestOption {
    /// As the stage is set.
    public static var defaultValue: Bool? { nil }
}

extension Request {
    /// The request with an `Idempotency-Key` of its own that all of its attempts carry, so that it can be sent again
    /// whatever its method; the server has to know the field.
    ///
    /// A key that the request has already stays as it is: set the field to use one of yours, in the form the server
    /// wants.
    ///
    /// - Parameter isIdempotent: `false` for no key, where the stage is set to make them.
    public consuming func idempotent(_ isIdempotent: Bool = true) -> Request {
        options[GeneratesIdempotencyKey.self] = isIdempotent
        return self
    }
}

enum IdempotencyKey {
    /// A UUID (version 4, RFC 9562 §5.4) as a string of structured fields, RFC 9651 §3.3.3: in quotes.
    static func make(_ random: some RandomSource) -> String {
        var bytes = random.bytes(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        var text = Array("\"".utf8)
        for (index, digit) in bytes.hexadecimal.enumerated() {
            if [8, 12, 16, 20].contains(index) { text.append(UInt8(ascii: "-")) }
            text.append(digit)
        }
        text.append(UInt8(ascii: "\""))
        return String(decoding: text, as: UTF8.self)
    }
}
