public import Foundation
public import HTTPChainCore

/// A key of 256 bits that stored responses are encrypted with.
///
/// It prints as `<secret>`, to a mirror and a debugger's dump as well. Keep it where the system keeps secrets, such as
/// the keychain, and never beside what it encrypts.
///
/// ```swift
/// let key = CacheEncryptionKey.random()
/// let text = key.base64
/// let same = CacheEncryptionKey(base64: text)
/// ```
public struct CacheEncryptionKey: Sendable, Hashable {
    /// The number of bytes that a key has: 32.
    public static let size = 32

    let bytes: Data

    /// Takes bytes that nobody can guess; a password is none.
    ///
    /// - Returns: `nil` when they are not ``size`` bytes.
    public init?(_ bytes: some DataProtocol) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = Data(bytes)
    }

    /// Reads a key that ``base64`` gave.
    ///
    /// - Returns: `nil` when it is no base64 of ``size`` bytes (RFC 4648 §4).
    public init?(base64 text: Secret) {
        guard let bytes = Data(base64Encoded: text.revealed) else { return nil }
        self.init(bytes)
    }

    /// The key as text, for where it is kept (RFC 4648 §4).
    public var base64: Secret { Secret(bytes.base64EncodedString()) }

    /// Makes a key of the system's random numbers.
    public static func random() -> CacheEncryptionKey {
        var numbers = SystemRandomNumberGenerator()
        return CacheEncryptionKey(wellFormed: Data((0..<size).map { _ in UInt8.random(in: 0...255, using: &numbers) }))
    }

    private init(wellFormed bytes: Data) {
        self.bytes = bytes
    }
}

extension CacheEncryptionKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always `<secret>`.
    public var description: String { "<secret>" }
    /// Always `<secret>`.
    public var debugDescription: String { description }
    /// Shows nothing inside.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
