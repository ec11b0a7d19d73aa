public import Foundation
public import HTTPChainCore

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// A key that verifies message signatures, with its algorithm and identifier.
public struct MessageVerificationKey: Sendable {
    /// The algorithm, which is the only one allowed for this key (RFC 9421 §7.3.6).
    package let algorithm: SignatureAlgorithm
    /// The key's identifier (`keyid`), or `nil` for a key that is used if no identifier matches.
    package let id: String?
    let isValid: @Sendable (_ signature: Data, _ base: Data) -> Bool

    /// Makes a key from a closure.
    ///
    /// - Parameters:
    ///   - algorithm: The key's algorithm.
    ///   - id: The key's identifier. Defaults to none.
    ///   - isValid: Returns whether a signature is valid for a signature base.
    public init(
        _ algorithm: SignatureAlgorithm,
        id: String? = nil,
        verifying isValid: @escaping @Sendable (_ signature: Data, _ base: Data) -> Bool
    ) {
        self.algorithm = algorithm
        self.id = id
        self.isValid = isValid
    }
}

extension MessageVerificationKey {
    /// A shared secret, for `hmac-sha256`; its UTF-8 bytes are the key.
    ///
    /// - Throws: ``SigningError/Problem/keyTooShort(bytes:)`` if the key has less than 16 bytes.
    public static func hmacSHA256(_ secret: Secret, id: String? = nil) throws(SigningError) -> MessageVerificationKey {
        try hmacSHA256(Data(secret.revealed.utf8), id)
    }

    /// A shared secret in base64, for `hmac-sha256`.
    ///
    /// - Throws: ``SigningError/Problem/invalidKey(_:)`` if it isn't base64;
    ///   ``SigningError/Problem/keyTooShort(bytes:)`` if the key has less than 16 bytes.
    public static func hmacSHA256(
        base64 secret: Secret,
        id: String? = nil
    ) throws(SigningError) -> MessageVerificationKey {
        try hmacSHA256(try KeyText.base64(secret), id)
    }

    private static func hmacSHA256(_ bytes: Data, _ id: String?) throws(SigningError) -> MessageVerificationKey {
        let key = try SymmetricKey(sharedSecret: bytes)
        return MessageVerificationKey(.hmacSHA256, id: id) { signature, base in
            HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: base, using: key)
        }
    }

    /// A public key in PEM (RFC 8410 §4), for `ed25519`.
    ///
    /// - Throws: ``SigningError/Problem/invalidKey(_:)``.
    public static func ed25519(pem: String, id: String? = nil) throws(SigningError) -> MessageVerificationKey {
        let what = "a public Ed25519 key in PEM"
        let bytes = try KeyText.ed25519(pem, after: KeyText.ed25519Public, what)
        guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: bytes) else {
            throw SigningError(.invalidKey(what))
        }
        return MessageVerificationKey(.ed25519, id: id) { key.isValidSignature($0, for: $1) }
    }

    /// A public key in PEM, for `ecdsa-p256-sha256`.
    ///
    /// - Throws: ``SigningError/Problem/invalidKey(_:)``.
    public static func ecdsaP256(pem: String, id: String? = nil) throws(SigningError) -> MessageVerificationKey {
        guard let key = try? P256.Signing.PublicKey(pemRepresentation: pem) else {
            throw SigningError(.invalidKey("a public P-256 key in PEM"))
        }
        return MessageVerificationKey(.ecdsaP256SHA256, id: id) { signature, base in
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: base)
        }
    }

    /// A public key in PEM, for `ecdsa-p384-sha384`.
    ///
    /// - Throws: ``SigningError/Problem/invalidKey(_:)``.
    public static func ecdsaP384(pem: String, id: String? = nil) throws(SigningError) -> MessageVerificationKey {
        guard let key = try? P384.Signing.PublicKey(pemRepresentation: pem) else {
            throw SigningError(.invalidKey("a public P-384 key in PEM"))
        }
        return MessageVerificationKey(.ecdsaP384SHA384, id: id) { signature, base in
            guard let signature = try? P384.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: base)
        }
    }
}

extension MessageVerificationKey: CustomStringConvertible, DescribedValue {
    /// The algorithm and the identifier.
    package var words: String { "\(algorithm)" + (id.map { " (\($0))" } ?? "") }
}
