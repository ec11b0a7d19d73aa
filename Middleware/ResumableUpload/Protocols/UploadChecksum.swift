import Foundation
import HTTPChainCore

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// The algorithm for a checksum of each part of an upload, which a tus server uses to detect corruption.
///
/// The names are those of `Tus-Checksum-Algorithm`. All servers with the extension support SHA-1 (tus "Checksum").
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum UploadChecksum: String, Sendable, Hashable {
    /// SHA-1.
    ///
    /// It detects corruption, but doesn't prevent forged content.
    case sha1
    /// SHA-256.
    case sha256
    /// SHA-512.
    case sha512

    /// Returns the value of `Upload-Checksum`: the algorithm, and the checksum in Base64.
    func fieldValue(of content: HTTPBody) async throws -> String {
        let digest =
            switch self {
            case .sha1: try await Self.digest(of: content, with: Insecure.SHA1())
            case .sha256: try await Self.digest(of: content, with: SHA256())
            case .sha512: try await Self.digest(of: content, with: SHA512())
            }
        return "\(rawValue) \(digest.base64EncodedString())"
    }

    /// Returns the SHA-256 of content.
    static func sha256(of content: HTTPBody) async throws -> Data { try await digest(of: content, with: SHA256()) }

    private static func digest(of content: HTTPBody, with function: some HashFunction) async throws -> Data {
        var function = function
        for try await chunk in content { function.update(data: chunk) }
        return Data(function.finalize())
    }
}
