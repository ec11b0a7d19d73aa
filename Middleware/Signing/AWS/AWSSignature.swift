package import Foundation
package import HTTPChainCore
import HTTPChainSupport

#if canImport(CryptoKit)
package import CryptoKit
#else
package import Crypto
#endif

/// Computes AWS Signature Version 4 ("Create a string to sign", "Calculate the signature").
package struct AWSSignature {
    static let algorithm = "AWS4-HMAC-SHA256"
    static let unsignedPayload = "UNSIGNED-PAYLOAD"
    /// The SHA-256 of empty content.
    static let emptyPayload = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    package let region: String
    package let service: String
    /// The time as `20150830T123600Z`.
    let timestamp: String

    package init(region: String, service: String, date: Date) {
        self.region = region
        self.service = service
        timestamp = HTTPDate(date).basicISO8601
    }

    private var day: String { String(timestamp.unicodeScalars.prefix(8)) }

    /// The day, region and service of a derived key.
    var scope: String { "\(day)/\(region)/\(service)/aws4_request" }

    func stringToSign(_ canonicalRequest: String) -> String {
        let hash = Self.text(SHA256.hash(data: Data(canonicalRequest.utf8)).hexadecimal)
        return "\(Self.algorithm)\n\(timestamp)\n\(scope)\n\(hash)"
    }

    package func signature(of canonicalRequest: String, by secret: Secret) -> String {
        signature(ofString: stringToSign(canonicalRequest), by: signingKey(secret))
    }

    package func signature(ofString text: String, by key: SymmetricKey) -> String {
        Self.text(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key).hexadecimal)
    }

    /// Derives the key for the scope from the secret.
    package func signingKey(_ secret: Secret) -> SymmetricKey {
        var key = SymmetricKey(data: Data("AWS4\(secret.revealed)".utf8))
        for part in [day, region, service, "aws4_request"] {
            key = SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: Data(part.utf8), using: key))
        }
        return key
    }

    /// Returns the SHA-256 of a body, in hexadecimal digits.
    static func hash(of body: HTTPBody) async throws -> String {
        text(try await ContentPass.read(body, into: SHA256()).finalize().hexadecimal)
    }

    package static func text(_ digits: [UInt8]) -> String { String(decoding: digits, as: UTF8.self) }
}
