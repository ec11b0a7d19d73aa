import Foundation

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// The hash function H of an algorithm, fed piece by piece.
enum DigestHash {
    case md5(Insecure.MD5)
    case sha256(SHA256)
    case sha512(SHA512)
    case sha512256(SHA512256)

    init(_ algorithm: DigestAlgorithm) {
        switch algorithm {
        case .md5, .md5Session: self = .md5(Insecure.MD5())
        case .sha256, .sha256Session: self = .sha256(SHA256())
        case .sha512, .sha512Session: self = .sha512(SHA512())
        case .sha512256, .sha512256Session: self = .sha512256(SHA512256())
        }
    }

    mutating func update(_ bytes: some DataProtocol & ContiguousBytes) {
        switch self {
        case .md5(var hash):
            hash.update(data: bytes)
            self = .md5(hash)
        case .sha256(var hash):
            hash.update(data: bytes)
            self = .sha256(hash)
        case .sha512(var hash):
            hash.update(data: bytes)
            self = .sha512(hash)
        case .sha512256(var hash):
            hash.update(bytes)
            self = .sha512256(hash)
        }
    }

    /// The hash of what came so far, in lower-case hexadecimal digits.
    var hex: [UInt8] {
        switch self {
        case .md5(let hash): Self.hex(hash.finalize())
        case .sha256(let hash): Self.hex(hash.finalize())
        case .sha512(let hash): Self.hex(hash.finalize())
        case .sha512256(let hash): Self.hex(hash.finalize())
        }
    }

    /// H(bytes) in lower-case hexadecimal digits.
    static func hex(_ bytes: [UInt8], _ algorithm: DigestAlgorithm) -> [UInt8] {
        switch algorithm {
        case .md5, .md5Session: return hex(Insecure.MD5.hash(data: bytes))
        case .sha256, .sha256Session: return hex(SHA256.hash(data: bytes))
        case .sha512, .sha512Session: return hex(SHA512.hash(data: bytes))
        case .sha512256, .sha512256Session:
            var hash = SHA512256()
            hash.update(bytes)
            return hex(hash.finalize())
        }
    }

    /// Bytes in lower-case hexadecimal digits.
    static func hex(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var digits: [UInt8] = []
        digits.reserveCapacity(128)
        for byte in bytes {
            digits.append(digit(byte >> 4))
            digits.append(digit(byte & 0xF))
        }
        return digits
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
