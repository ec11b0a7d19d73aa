public import Foundation
public import HTTPChainCore

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// A key that signs messages, with its algorithm, and an identifier that the recipient knows.
///
/// ```swift
/// let key = try MessageSigningKey.ed25519(pem: secret, id: "garden-2026")
/// ```
///
/// The key is redacted when it is printed. For an external key (in a vault, a hardware module, or the Secure Enclave),
/// use a closure: ``init(_:id:signing:)``.
public struct MessageSigningKey: Sendable {
    enum Operation: Sendable {
        case immediate(@Sendable (Data) throws -> Data)
        case waiting(@Sendable (Data) async throws -> Data)
    }

    /// The algorithm.
    package let algorithm: SignatureAlgorithm
    /// The key's identifier (`keyid`), or `nil` if the recipient doesn't need it to find the key.
    package let id: String?
    let operation: Operation

    /// Makes an external key.
    ///
    /// - Parameters:
    ///   - algorithm: The key's algorithm.
    ///   - id: The key's identifier. Defaults to none.
    ///   - sign: Signs the bytes of a signature base.
    public init(
        _ algorithm: SignatureAlgorithm,
        id: String? = nil,
        signing sign: @escaping @Sendable (Data) async throws -> Data
    ) {
        self.algorithm = algorithm
        self.id = id
        operation = .waiting(sign)
    }

    /// Makes a key that signs immediately.
    package init(
        _ algorithm: SignatureAlgorithm,
        id: String?,
        immediately sign: @escaping @Sendable (Data) throws -> Data
    ) {
        self.algorithm = algorithm
        self.id = id
        operation = .immediate(sign)
    }
}

extension MessageSigningKey {
    /// A shared secret, for `hmac-sha256`.
    ///
    /// - Parameters:
    ///   - secret: The secret, whose UTF-8 bytes are the key.
    ///   - id: The key's identifier. Defaults to none.
    /// - Throws: ``SigningError/Problem/keyTooShort(bytes:)`` if the key has fewer than 16 bytes.
    public static func hmacSHA256(_ secret: Secret, id: String? = nil) throws(SigningError) -> MessageSigningKey {
        try hmacSHA256(Data(secret.revealed.utf8), id)
    }

    /// A shared secret in base64, for `hmac-sha256`.
    ///
    /// - Throws: ``SigningError/Problem/invalidKey(_:)`` if it isn't base64;
    ///   ``SigningError/Problem/keyTooShort(bytes:)`` if the key has fewer than 16 bytes.
    public static func hmacSHA256(base64 secret: Secret, id: String? = nil) throws(SigningError) -> MessageSigningKey {
        try hmacSHA256(try KeyText.base64(secret), id)
    }

    private static func hmacSHA256(_ bytes: Data, _ id: String?) throws(SigningError) -> MessageSigningKey {
        let key = try SymmetricKey(sharedSecret: bytes)
        return MessageSigningKey(
            .hmacSHA256,
            id: id,
            immediately: { base in
                Data(HMAC<SHA256>.authenticationCode(for: base, using: key))
            }
        )
    }

    /// A private key in PEM (PKCS#8, RFC 8410 §7), for `ed25519`.
    ///
    /// - Throws: ``SigningError/Problem/invalidKey(_:)``.
    public static func ed25519(pem: Secret, id: String? = nil) throws(SigningError) -> MessageSigningKey {
        let what = "a private Ed25519 key in PEM"
        let bytes = try KeyText.ed25519(pem.revealed, after: KeyText.ed25519Private, what)
        guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: bytes) else {
            throw SigningError(.invalidKey(what))
        }
        return MessageSigningKey(.ed25519, id: id, immediately: { try key.signature(for: $0) })
    }

    /// A private key in PEM (PKCS#8 or SEC 1), for `ecdsa-p256-sha256`.
    ///
    /// - Throws: ``SigningError/Problem/invalidKey(_:)``.
    public static func ecdsaP256(pem: Secret, id: String? = nil) throws(SigningError) -> MessageSigningKey {
        guard let key = try? P256.Signing.PrivateKey(pemRepresentation: pem.revealed) else {
            throw SigningError(.invalidKey("a private P-256 key in PEM"))
        }
        return MessageSigningKey(
            .ecdsaP256SHA256,
            id: id,
            immediately: { try key.signature(for: $0).rawRepresentation }
        )
    }

    /// A private key in PEM (PKCS#8 or SEC 1), for `ecdsa-p384-sha384`.
    ///
    /// - Throws: ``SigningError/Problem/invalidKey(_:)``.
    public static func ecdsaP384(pem: Secret, id: String? = nil) throws(SigningError) -> MessageSigningKey {
        guard let key = try? P384.Signing.PrivateKey(pemRepresentation: pem.revealed) else {
            throw SigningError(.invalidKey("a private P-384 key in PEM"))
        }
        return MessageSigningKey(
            .ecdsaP384SHA384,
            id: id,
            immediately: { try key.signature(for: $0).rawRepresentation }
        )
    }
}

extension SymmetricKey {
    /// The minimum size of an HMAC key for messages, in bytes.
    ///
    /// Shorter keys can be guessed (RFC 9421 §7.3.3). The minimum security strength is currently 128 bits (NIST SP
    /// 800-57 part 1 §5.6.3).
    private static let smallest = 16

    init(sharedSecret bytes: Data) throws(SigningError) {
        guard bytes.count >= Self.smallest else { throw SigningError(.keyTooShort(bytes: bytes.count)) }
        self.init(data: bytes)
    }
}

/// Parses keys in text form.
enum KeyText {
    /// The fixed bytes that precede the 32 bytes of a key, RFC 8410 §7 and §4.
    static let ed25519Private: [UInt8] = [
        0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
    ]
    static let ed25519Public: [UInt8] = [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00]

    static func ed25519(_ pem: String, after prefix: [UInt8], _ what: String) throws(SigningError) -> Data {
        let lines = pem.unicodeScalars.split(whereSeparator: \.endsLine).map { Substring($0).trimming() }
        let text = lines.filter { !$0.begins(with: "-----") }.joined()
        guard let der = Data(base64Encoded: text), der.count == prefix.count + 32, der.starts(with: prefix) else {
            throw SigningError(.invalidKey(what))
        }
        return der.suffix(32)
    }

    static func base64(_ secret: Secret) throws(SigningError) -> Data {
        guard let bytes = Data(base64Encoded: secret.revealed) else {
            throw SigningError(.invalidKey("a secret in base64"))
        }
        return bytes
    }
}

extension MessageSigningKey: CustomStringConvertible, DescribedValue {
    /// The algorithm and the identifier.
    package var words: String { "\(algorithm)" + (id.map { " (\($0))" } ?? "") }
}

/// A key that verifies message signatures, with its algorithm and identifier.
public struct MessageVerificationKey: Sendable {
    /// The algorithm, which is the only one allowed for this key (RFC 9421 §7.3.6).
    package let algorithm: SignatureAlgorithm
    /// The key's identifier (`keyid`).
    ///
    /// A key with `nil` is used if no identifier matches.
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
    /// A shared secret, for `hmac-sha256`.
    ///
    /// Its UTF-8 bytes are the key.
    ///
    /// - Throws: ``SigningError/Problem/keyTooShort(bytes:)`` if the key has fewer than 16 bytes.
    public static func hmacSHA256(_ secret: Secret, id: String? = nil) throws(SigningError) -> MessageVerificationKey {
        try hmacSHA256(Data(secret.revealed.utf8), id)
    }

    /// A shared secret in base64, for `hmac-sha256`.
    ///
    /// - Throws: ``SigningError/Problem/invalidKey(_:)`` if it isn't base64;
    ///   ``SigningError/Problem/keyTooShort(bytes:)`` if the key has fewer than 16 bytes.
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
