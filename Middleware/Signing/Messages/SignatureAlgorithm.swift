public import HTTPChainCore

/// A signature algorithm, identified by its name in IANA's registry (RFC 9421 §3.3, §6.2.2).
public struct SignatureAlgorithm: Sendable, Hashable {
    /// The registered name.
    package let rawValue: String

    /// Makes an algorithm from its name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// HMAC with SHA-256 (RFC 9421 §3.3.3), with a shared secret.
    public static let hmacSHA256 = SignatureAlgorithm(rawValue: "hmac-sha256")
    /// EdDSA with curve edwards25519 (§3.3.6).
    public static let ed25519 = SignatureAlgorithm(rawValue: "ed25519")
    /// ECDSA with curve P-256 and SHA-256 (§3.3.4).
    public static let ecdsaP256SHA256 = SignatureAlgorithm(rawValue: "ecdsa-p256-sha256")
    /// ECDSA with curve P-384 and SHA-384 (§3.3.5).
    public static let ecdsaP384SHA384 = SignatureAlgorithm(rawValue: "ecdsa-p384-sha384")
    /// RSASSA-PSS with SHA-512 (§3.3.1).
    public static let rsaPSSSHA512 = SignatureAlgorithm(rawValue: "rsa-pss-sha512")
    /// RSASSA-PKCS1-v1_5 with SHA-256 (§3.3.2).
    public static let rsaV15SHA256 = SignatureAlgorithm(rawValue: "rsa-v1_5-sha256")
}

extension SignatureAlgorithm: CustomStringConvertible, DescribedValue {
    /// The registered name.
    package var words: String { rawValue }
}
