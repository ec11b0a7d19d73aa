package import Foundation
import HTTPChainSupport

#if canImport(CryptoKit)
package import CryptoKit
#else
package import Crypto
#endif

/// The hash function H of an algorithm, computed incrementally.
package enum DigestHash {
    case md5(Insecure.MD5)
    case sha256(SHA256)
    case sha512(SHA512)
    case sha512256(SHA512256)

    package init(_ algorithm: DigestAlgorithm) {
        switch algorithm {
        case .md5, .md5Session: self = .md5(Insecure.MD5())
        case .sha256, .sha256Session: self = .sha256(SHA256())
        case .sha512, .sha512Session: self = .sha512(SHA512())
        case .sha512256, .sha512256Session: self = .sha512256(SHA512256())
        }
    }

    package mutating func update(_ bytes: some DataProtocol & ContiguousBytes) {
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

    /// The hash so far, in lower-case hexadecimal digits.
    package var hex: [UInt8] {
        switch self {
        case .md5(let hash): hash.finalize().hexadecimal
        case .sha256(let hash): hash.finalize().hexadecimal
        case .sha512(let hash): hash.finalize().hexadecimal
        case .sha512256(let hash): hash.finalize().hexadecimal
        }
    }

    /// H(bytes) in lower-case hexadecimal digits.
    package static func hex(_ bytes: [UInt8], _ algorithm: DigestAlgorithm) -> [UInt8] {
        switch algorithm {
        case .md5, .md5Session: return Insecure.MD5.hash(data: bytes).hexadecimal
        case .sha256, .sha256Session: return SHA256.hash(data: bytes).hexadecimal
        case .sha512, .sha512Session: return SHA512.hash(data: bytes).hexadecimal
        case .sha512256, .sha512256Session:
            var hash = SHA512256()
            hash.update(bytes)
            return hash.finalize().hexadecimal
        }
    }
}
