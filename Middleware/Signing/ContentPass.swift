import Foundation
import HTTPChainCore
import HTTPChainSupport

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// What reads content piece by piece for a signature.
protocol ContentHash: Sendable {
    mutating func update(_ bytes: Data)
}

extension SHA256: ContentHash {
    mutating func update(_ bytes: Data) { update(data: bytes) }
}

extension HMAC: ContentHash where H: Sendable {
    mutating func update(_ bytes: Data) { update(data: bytes) }
}

/// Reads the content of a request once before it is sent, in constant memory.
enum ContentPass {
    /// From so many bytes on, hashing is left to a thread that may take its time.
    private static let longChunk = 32_768

    /// - Throws: ``SigningError/Problem/bodyReadableOnce``; what reading the body throws.
    static func read<Hash: ContentHash>(_ body: HTTPBody, into hash: Hash) async throws -> Hash {
        guard body.isReplayable else { throw SigningError(.bodyReadableOnce) }
        var hash = hash
        if body.isEmpty { return hash }
        var reader = try await body.makeReader()
        while let chunk = try await reader.read() {
            try Task.checkCancellation()
            if chunk.count < longChunk {
                hash.update(chunk)
            } else {
                // A body in memory is never waited for: hashed here, a large one would keep a thread of Swift's busy.
                hash = try await FileExecutor.shared.run { [hash] in
                    var hash = hash
                    hash.update(chunk)
                    return hash
                }
            }
        }
        return hash
    }
}
