import CryptoExtras
import Foundation
public import HTTPChainCore
public import HTTPChainSigning

extension MessageSigningKey {
    /// A private RSA key in PEM, for `rsa-pss-sha512` (RFC 9421 §3.3.1): MGF1 with SHA-512 and a salt of 64 bytes.
    ///
    /// ```swift
    /// let key = try MessageSigningKey.rsaPSS(pem: secret, id: "garden-2026")
    /// ```
    ///
    /// - Parameters:
    ///   - pem: The key (PKCS#1 or PKCS#8), of 2,048 bits or more.
    ///   - id: The key's identifier. Defaults to none.
    /// - Throws: ``/HTTPChainSigning/SigningError/Problem/invalidKey(_:)``.
    public static func rsaPSS(pem: Secret, id: String? = nil) throws(SigningError) -> MessageSigningKey {
        try rsa(pem, .rsaPSSSHA512, id, SHA512.self, .PSS)
    }

    /// A private RSA key in PEM, for `rsa-v1_5-sha256` (RFC 9421 §3.3.2), for servers without newer algorithms.
    ///
    /// - Parameters:
    ///   - pem: The key (PKCS#1 or PKCS#8), of 2,048 bits or more.
    ///   - id: The key's identifier. Defaults to none.
    /// - Throws: ``/HTTPChainSigning/SigningError/Problem/invalidKey(_:)``.
    public static func rsaV15(pem: Secret, id: String? = nil) throws(SigningError) -> MessageSigningKey {
        try rsa(pem, .rsaV15SHA256, id, SHA256.self, .insecurePKCS1v1_5)
    }

    private static func rsa<Hash: HashFunction>(
        _ pem: Secret,
        _ algorithm: SignatureAlgorithm,
        _ id: String?,
        _ hash: Hash.Type,
        _ padding: _RSA.Signing.Padding
    ) throws(SigningError) -> MessageSigningKey {
        guard let key = try? _RSA.Signing.PrivateKey(pemRepresentation: pem.revealed) else {
            throw SigningError(.invalidKey("a private RSA key of 2,048 bits or more in PEM"))
        }
        return MessageSigningKey(
            algorithm,
            id: id,
            immediately: { try key.signature(for: Hash.hash(data: $0), padding: padding).rawRepresentation }
        )
    }
}

extension MessageVerificationKey {
    /// A public RSA key in PEM, for `rsa-pss-sha512` (RFC 9421 §3.3.1).
    ///
    /// - Parameters:
    ///   - pem: The key, of 2,048 bits or more.
    ///   - id: The key's identifier. Defaults to none.
    /// - Throws: ``/HTTPChainSigning/SigningError/Problem/invalidKey(_:)``.
    public static func rsaPSS(pem: String, id: String? = nil) throws(SigningError) -> MessageVerificationKey {
        try rsa(pem, .rsaPSSSHA512, id, SHA512.self, .PSS)
    }

    /// A public RSA key in PEM, for `rsa-v1_5-sha256` (RFC 9421 §3.3.2).
    ///
    /// - Parameters:
    ///   - pem: The key, of 2,048 bits or more.
    ///   - id: The key's identifier. Defaults to none.
    /// - Throws: ``/HTTPChainSigning/SigningError/Problem/invalidKey(_:)``.
    public static func rsaV15(pem: String, id: String? = nil) throws(SigningError) -> MessageVerificationKey {
        try rsa(pem, .rsaV15SHA256, id, SHA256.self, .insecurePKCS1v1_5)
    }

    private static func rsa<Hash: HashFunction>(
        _ pem: String,
        _ algorithm: SignatureAlgorithm,
        _ id: String?,
        _ hash: Hash.Type,
        _ padding: _RSA.Signing.Padding
    ) throws(SigningError) -> MessageVerificationKey {
        guard let key = try? _RSA.Signing.PublicKey(pemRepresentation: pem) else {
            throw SigningError(.invalidKey("a public RSA key of 2,048 bits or more in PEM"))
        }
        return MessageVerificationKey(algorithm, id: id) { signature, base in
            let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
            return key.isValidSignature(signature, for: Hash.hash(data: base), padding: padding)
        }
    }
}
