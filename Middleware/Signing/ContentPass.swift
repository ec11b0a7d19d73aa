import Foundation
import HTTPChainCore
import HTTPChainSupport

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// Consumes content in chunks for a signature.
protocol ContentHash: Sendable {
    mutating func update(_ bytes: Data)
}

extension SHA256: ContentHash {
    mutating func update(_ bytes: Data) { update(data: bytes) }
}

extension HMAC: ContentHash where H: Sendable {
    mutating func update(_ bytes: Data) { update(data: bytes) }
}

/// Reads a request's content once before it is sent, in constant memory.
enum ContentPass {
    /// The chunk size from which on hashing runs on a separate thread.
    private static let longChunk = 32_768

    /// - Throws: ``SigningError/Problem/bodyReadableOnce``; rethrows errors from reading the body.
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
                // Reading a body in memory never suspends, so hashing a large body here would block a thread of Swift's
                // pool.
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
