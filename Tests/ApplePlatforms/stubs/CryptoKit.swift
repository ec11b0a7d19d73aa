// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

// What HTTPChain uses of CryptoKit, as Apple documents it (all of it iOS 13, macOS 10.15; PEM, DER and HKDF iOS 14,
// macOS 11). Sendable as in the interface of SDK 26: `@preconcurrency public protocol HashFunction : Sendable`.
import Foundation

// https://developer.apple.com/documentation/cryptokit/digest
@preconcurrency public protocol Digest: ContiguousBytes, CustomStringConvertible, Hashable, Sendable, Sequence
where Element == UInt8 {
    static var byteCount: Int { get }
}
// https://developer.apple.com/documentation/cryptokit/hashfunction
@preconcurrency public protocol HashFunction: Sendable {
    associatedtype Digest: CryptoKit.Digest
    static var blockByteCount: Int { get }
    init()
    mutating func update(bufferPointer: UnsafeRawBufferPointer)
    func finalize() -> Digest
}
extension HashFunction {
    public static func hash<D: DataProtocol>(data: D) -> Digest { fatalError() }
    public mutating func update<D: DataProtocol>(data: D) {}
}
public struct StubDigest<Hash>: Digest {
    public static var byteCount: Int { 0 }
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
    public func makeIterator() -> Array<UInt8>.Iterator { [].makeIterator() }
    public var description: String { "" }
}
// https://developer.apple.com/documentation/cryptokit/sha256
public struct SHA256: HashFunction {
    public typealias Digest = StubDigest<SHA256>; public static var blockByteCount: Int { 64 }
    public init() {}; public mutating func update(bufferPointer: UnsafeRawBufferPointer) {};
    public func finalize() -> Digest { fatalError() }
}
// https://developer.apple.com/documentation/cryptokit/sha384
public struct SHA384: HashFunction {
    public typealias Digest = StubDigest<SHA384>; public static var blockByteCount: Int { 64 }
    public init() {}; public mutating func update(bufferPointer: UnsafeRawBufferPointer) {};
    public func finalize() -> Digest { fatalError() }
}
// https://developer.apple.com/documentation/cryptokit/sha512
public struct SHA512: HashFunction {
    public typealias Digest = StubDigest<SHA512>; public static var blockByteCount: Int { 64 }
    public init() {}; public mutating func update(bufferPointer: UnsafeRawBufferPointer) {};
    public func finalize() -> Digest { fatalError() }
}
// https://developer.apple.com/documentation/cryptokit/insecure
public enum Insecure {
    public struct MD5: HashFunction {
        public typealias Digest = StubDigest<MD5>; public static var blockByteCount: Int { 64 }
        public init() {}; public mutating func update(bufferPointer: UnsafeRawBufferPointer) {};
        public func finalize() -> Digest { fatalError() }
    }
    public struct SHA1: HashFunction {
        public typealias Digest = StubDigest<SHA1>; public static var blockByteCount: Int { 64 }
        public init() {}; public mutating func update(bufferPointer: UnsafeRawBufferPointer) {};
        public func finalize() -> Digest { fatalError() }
    }
}
// https://developer.apple.com/documentation/cryptokit/symmetrickeysize
public struct SymmetricKeySize: Sendable {
    public let bitCount: Int; public static var bits256: Self { Self(bitCount: 256) }
}
// https://developer.apple.com/documentation/cryptokit/symmetrickey
public struct SymmetricKey: ContiguousBytes, Sendable, Equatable {
    public init<D: ContiguousBytes>(data: D) {}
    public init(size: SymmetricKeySize) {}
    public var bitCount: Int { 0 }
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
}
// https://developer.apple.com/documentation/cryptokit/messageauthenticationcode
public protocol MessageAuthenticationCode: Hashable, ContiguousBytes, CustomStringConvertible, Sequence, Sendable
where Element == UInt8 {}
// https://developer.apple.com/documentation/cryptokit/hashedauthenticationcode
public struct HashedAuthenticationCode<H: HashFunction>: MessageAuthenticationCode {
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
    public func makeIterator() -> Array<UInt8>.Iterator { [].makeIterator() }
    public var description: String { "" }
    public static func == (a: Self, b: Self) -> Bool { true }
    public func hash(into hasher: inout Hasher) {}
}
// https://developer.apple.com/documentation/cryptokit/hmac
public struct HMAC<H: HashFunction>: Sendable {
    public typealias Key = SymmetricKey
    public typealias MAC = HashedAuthenticationCode<H>
    public init(key: SymmetricKey) {}
    public mutating func update<D: DataProtocol>(data: D) {}
    public func finalize() -> MAC { fatalError() }
    public static func authenticationCode<D: DataProtocol>(for data: D, using key: SymmetricKey) -> MAC { fatalError() }
    public static func isValidAuthenticationCode<D: DataProtocol>(
        _ mac: MAC,
        authenticating data: D,
        using key: SymmetricKey
    ) -> Bool { false }
    public static func isValidAuthenticationCode<C: ContiguousBytes, D: DataProtocol>(
        _ mac: C,
        authenticating data: D,
        using key: SymmetricKey
    ) -> Bool { false }
}
// https://developer.apple.com/documentation/cryptokit/hkdf
public struct HKDF<H: HashFunction>: Sendable {
    public static func deriveKey<Salt: DataProtocol, Info: DataProtocol>(
        inputKeyMaterial: SymmetricKey,
        salt: Salt,
        info: Info,
        outputByteCount: Int
    ) -> SymmetricKey { fatalError() }
    public static func deriveKey<Info: DataProtocol>(inputKeyMaterial: SymmetricKey, info: Info, outputByteCount: Int)
        -> SymmetricKey
    { fatalError() }
    public static func deriveKey<Salt: DataProtocol>(inputKeyMaterial: SymmetricKey, salt: Salt, outputByteCount: Int)
        -> SymmetricKey
    { fatalError() }
}
// https://developer.apple.com/documentation/cryptokit/aes
public enum AES: Sendable {
    public enum GCM: Sendable {
        public struct Nonce: ContiguousBytes, Sequence, Sendable {
            public init() {}
            public init<D: DataProtocol>(data: D) throws {}
            public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
            public func makeIterator() -> Array<UInt8>.Iterator { [].makeIterator() }
        }
        public struct SealedBox: Sendable {
            public var tag: Data { Data() }
            public var ciphertext: Data { Data() }
            public var nonce: Nonce { Nonce() }
            public var combined: Data? { nil }
            public init<D: DataProtocol>(combined: D) throws {}
            public init<C: DataProtocol, T: DataProtocol>(nonce: Nonce, ciphertext: C, tag: T) throws {}
        }
        public static func seal<P: DataProtocol, A: DataProtocol>(
            _ message: P,
            using key: SymmetricKey,
            nonce: Nonce? = nil,
            authenticating authenticatedData: A
        ) throws -> SealedBox { fatalError() }
        public static func seal<P: DataProtocol>(_ message: P, using key: SymmetricKey, nonce: Nonce? = nil) throws
            -> SealedBox
        { fatalError() }
        public static func open<A: DataProtocol>(
            _ sealedBox: SealedBox,
            using key: SymmetricKey,
            authenticating authenticatedData: A
        ) throws -> Data { fatalError() }
        public static func open(_ sealedBox: SealedBox, using key: SymmetricKey) throws -> Data { fatalError() }
    }
}
// https://developer.apple.com/documentation/cryptokit/p256
public enum P256: Sendable {
    public enum Signing: Sendable {
        public struct ECDSASignature: ContiguousBytes, Sendable {
            public init<D: DataProtocol>(rawRepresentation: D) throws {}
            public init<D: DataProtocol>(derRepresentation: D) throws {}
            public var rawRepresentation: Data { Data() }
            public var derRepresentation: Data { Data() }
            public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
        }
        public struct PublicKey: Sendable {
            public init(pemRepresentation: String) throws {}
            public func isValidSignature<D: DataProtocol>(_ signature: ECDSASignature, for data: D) -> Bool { false }
            public func isValidSignature<D: Digest>(_ signature: ECDSASignature, for digest: D) -> Bool { false }
        }
        public struct PrivateKey: Sendable {
            public init(pemRepresentation: String) throws {}
            public init(compactRepresentable: Bool = true) {}
            public var publicKey: PublicKey { fatalError() }
            public func signature<D: DataProtocol>(for data: D) throws -> ECDSASignature { fatalError() }
            public func signature<D: Digest>(for digest: D) throws -> ECDSASignature { fatalError() }
        }
    }
}
// https://developer.apple.com/documentation/cryptokit/p384
public enum P384: Sendable {
    public enum Signing: Sendable {
        public struct ECDSASignature: ContiguousBytes, Sendable {
            public init<D: DataProtocol>(rawRepresentation: D) throws {}
            public var rawRepresentation: Data { Data() }
            public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { fatalError() }
        }
        public struct PublicKey: Sendable {
            public init(pemRepresentation: String) throws {}
            public func isValidSignature<D: DataProtocol>(_ signature: ECDSASignature, for data: D) -> Bool { false }
        }
        public struct PrivateKey: Sendable {
            public init(pemRepresentation: String) throws {}
            public func signature<D: DataProtocol>(for data: D) throws -> ECDSASignature { fatalError() }
        }
    }
}
// https://developer.apple.com/documentation/cryptokit/curve25519
public enum Curve25519: Sendable {
    public enum Signing: Sendable {
        public struct PublicKey: Sendable {
            public init<D: ContiguousBytes>(rawRepresentation: D) throws {}
            public func isValidSignature<S: DataProtocol, D: DataProtocol>(_ signature: S, for data: D) -> Bool {
                false
            }
        }
        public struct PrivateKey: Sendable {
            public init() {}
            public init<D: ContiguousBytes>(rawRepresentation: D) throws {}
            public func signature<D: DataProtocol>(for data: D) throws -> Data { fatalError() }
        }
    }
}
