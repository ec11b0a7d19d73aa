import Foundation
public import HTTPChainCore
import HTTPChainSupport

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// A proof that an authorization code is exchanged by its requester: PKCE, RFC 7636, with the method S256.
///
/// A code intercepted on the way back from the browser is useless without the verifier.
public struct ProofKey: Sendable, Hashable {
    /// The secret that is sent with the code, RFC 7636 §4.1.
    package let verifier: Secret
    /// The value that is sent with the authorization request: the verifier's SHA-256 in base64url, RFC 7636 §4.2.
    public let challenge: String

    /// Makes a key from 32 random bytes, as recommended by RFC 7636 §4.1.
    package init(random: some RandomSource) {
        self.init(wellFormed: Base64URL.encode(random.bytes(32)))
    }

    /// Makes a key from an existing verifier.
    ///
    /// - Returns: `nil` if it isn't 43 to 128 letters, digits and `-._~` (RFC 7636 §4.1).
    public init?(verifier: Secret) {
        let text = verifier.revealed
        guard (43...128).contains(text.utf8.count), text.utf8.allSatisfy(ASCII.isUnreserved) else { return nil }
        self.init(wellFormed: text)
    }

    private init(wellFormed text: String) {
        verifier = Secret(text)
        challenge = Base64URL.encode(Array(SHA256.hash(data: Data(text.utf8))))
    }
}
