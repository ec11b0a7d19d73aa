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
        let key = try privateKey(pem)
        return MessageSigningKey(
            .rsaPSSSHA512,
            id: id,
            immediately: { base in
                try key.signature(for: SHA512.hash(data: base), padding: .PSS).rawRepresentation
            }
        )
    }

    /// A private RSA key in PEM, for `rsa-v1_5-sha256` (RFC 9421 §3.3.2), for servers without newer algorithms.
    ///
    /// - Parameters:
    ///   - pem: The key (PKCS#1 or PKCS#8), of 2,048 bits or more.
    ///   - id: The key's identifier. Defaults to none.
    /// - Throws: ``/HTTPChainSigning/SigningError/Problem/invalidKey(_:)``.
    public static func rsaV15(pem: Secret, id: String? = nil) throws(SigningError) -> MessageSigningKey {
        let key = try privateKey(pem)
        return MessageSigningKey(
            .rsaV15SHA256,
            id: id,
            immediately: { base in
                try key.signature(for: SHA256.hash(data: base), padding: .insecurePKCS1v1_5).rawRepresentation
            }
        )
    }

    private static func privateKey(_ pem: Secret) throws(SigningError) -> _RSA.Signing.PrivateKey {
        do {
            return try _RSA.Signing.PrivateKey(pemRepresentation: pem.revealed)
        } catch {
            throw SigningError(.invalidKey("a private RSA key of 2,048 bits or more in PEM"))
        }
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
        let key = try publicKey(pem)
        return MessageVerificationKey(.rsaPSSSHA512, id: id) { signature, base in
            let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
            return key.isValidSignature(signature, for: SHA512.hash(data: base), padding: .PSS)
        }
    }

    /// A public RSA key in PEM, for `rsa-v1_5-sha256` (RFC 9421 §3.3.2).
    ///
    /// - Parameters:
    ///   - pem: The key, of 2,048 bits or more.
    ///   - id: The key's identifier. Defaults to none.
    /// - Throws: ``/HTTPChainSigning/SigningError/Problem/invalidKey(_:)``.
    public static func rsaV15(pem: String, id: String? = nil) throws(SigningError) -> MessageVerificationKey {
        let key = try publicKey(pem)
        return MessageVerificationKey(.rsaV15SHA256, id: id) { signature, base in
            let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
            return key.isValidSignature(signature, for: SHA256.hash(data: base), padding: .insecurePKCS1v1_5)
        }
    }

    private static func publicKey(_ pem: String) throws(SigningError) -> _RSA.Signing.PublicKey {
        do {
            return try _RSA.Signing.PublicKey(pemRepresentation: pem)
        } catch {
            throw SigningError(.invalidKey("a public RSA key of 2,048 bits or more in PEM"))
        }
    }
}
