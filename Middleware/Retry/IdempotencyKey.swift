public import HTTPChainCore
import HTTPChainSupport

/// Whether a call gets an `Idempotency-Key`, regardless of the stage's default.
package enum IdempotencyKeyOption: RequestOption {
    package typealias Value = CallSetting<Bool>
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".retry(idempotencyKey:)", reader: "RetryMiddleware()", phase: .retry)
    }
    /// Returns whether a chain without the stage may ignore the value.
    package static func isHarmless(_ value: Value) -> Bool {
        value != .value(true)
    }
}

extension Request {
    /// Returns the request with or without a generated `Idempotency-Key`.
    ///
    /// The key is the same for all attempts, so that a request can be retried although its method isn't idempotent. The
    /// server must support the field.
    ///
    /// An existing key is kept. To use a custom key, set the field in the server's format.
    ///
    /// - Parameter isGenerated: Whether to add a key. `false` overrides a stage that adds keys.
    public consuming func retry(idempotencyKey isGenerated: Bool) -> Request {
        options[IdempotencyKeyOption.self] = isGenerated ? .value(true) : .off
        return self
    }
}

package enum IdempotencyKey {
    /// Returns a UUID (version 4, RFC 9562 §5.4) as a structured field string, which is in quotes (RFC 9651 §3.3.3).
    package static func make(_ random: some RandomSource) -> String {
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
