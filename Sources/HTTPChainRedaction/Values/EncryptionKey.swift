public import Foundation

/// A 256-bit key that encrypts an application's stored data, such as responses or tokens.
///
/// It prints as `<secret>`, even in a mirror and a debugger's dump. Keep it where the system keeps secrets, such as in
/// the keychain, and never next to the data that it encrypts.
///
/// ```swift
/// let key = EncryptionKey.random()
/// let text = key.base64
/// let same = EncryptionKey(base64: text)
/// ```
public struct EncryptionKey: Sendable, Hashable {
    /// The size of a key in bytes: 32.
    package static let size = 32

    package let bytes: Data

    /// Creates a key from unguessable bytes.
    ///
    /// Don't use the bytes of a password.
    ///
    /// - Returns: `nil` if there aren't 32 bytes.
    public init?(_ bytes: some DataProtocol) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = Data(bytes)
    }

    /// Creates a key from the text of ``base64``.
    ///
    /// - Returns: `nil` if the text isn't base64 of 32 bytes (RFC 4648 §4).
    public init?(base64 text: Secret) {
        guard let bytes = Data(base64Encoded: text.revealed) else { return nil }
        self.init(bytes)
    }

    /// The key as text, for storage (RFC 4648 §4).
    public var base64: Secret { Secret(bytes.base64EncodedString()) }

    /// Creates a key from the system's random numbers.
    public static func random() -> EncryptionKey {
        var numbers = SystemRandomNumberGenerator()
        return EncryptionKey(wellFormed: Data((0..<size).map { _ in UInt8.random(in: 0...255, using: &numbers) }))
    }

    private init(wellFormed bytes: Data) {
        self.bytes = bytes
    }
}

extension EncryptionKey: RedactedDisplay {
    /// Always `<secret>`.
    public var description: String { "<secret>" }
}
