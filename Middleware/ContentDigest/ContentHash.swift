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

    /// The hash function in its initial state.
    fileprivate var function: any HashFunction & Sendable {
        switch self {
        case .md5: Insecure.MD5()
        case .sha256: SHA256()
        case .sha512: SHA512()
        }
    }
}

/// Computes several digests of the same content in one pass.
struct ContentHashes {
    private var functions: [HashKind: any HashFunction & Sendable]

    init(_ kinds: some Sequence<HashKind>) {
        functions = Dictionary(kinds.map { ($0, $0.function) }, uniquingKeysWith: { first, _ in first })
    }

    mutating func update(_ bytes: Data) {
        for kind in functions.keys { functions[kind]?.update(data: bytes) }
    }

    func digest(_ kind: HashKind) -> Data {
        functions[kind].map { Data($0.finalize()) } ?? Data()
    }
}
