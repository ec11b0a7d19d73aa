import Foundation

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// The hash functions used by the fields.
enum HashKind: Hashable {
    case md5, sha256, sha512

    /// The size of a digest in bytes.
    var size: Int {
        switch self {
        case .md5: 16
        case .sha256: 32
        case .sha512: 64
        }
    }
}

/// An incremental digest.
enum ContentHash {
    case md5(Insecure.MD5)
    case sha256(SHA256)
    case sha512(SHA512)

    init(_ kind: HashKind) {
        switch kind {
        case .md5: self = .md5(Insecure.MD5())
        case .sha256: self = .sha256(SHA256())
        case .sha512: self = .sha512(SHA512())
        }
    }

    mutating func update(_ bytes: Data) {
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
        }
    }

    var digest: Data {
        switch self {
        case .md5(let hash): Data(hash.finalize())
        case .sha256(let hash): Data(hash.finalize())
        case .sha512(let hash): Data(hash.finalize())
        }
    }
}

/// Computes several digests of the same content in one pass.
struct ContentHashes {
    private var hashes: [HashKind: ContentHash]

    init(_ kinds: some Sequence<HashKind>) {
        hashes = Dictionary(kinds.map { ($0, ContentHash($0)) }, uniquingKeysWith: { first, _ in first })
    }

    mutating func update(_ bytes: Data) {
        for kind in hashes.keys { hashes[kind]?.update(bytes) }
    }

    func digest(_ kind: HashKind) -> Data {
        hashes[kind]?.digest ?? Data()
    }
}
