#if AllTests
import Crypto
import CryptoExtras
import HTTPChainCore
import HTTPChainSigning
import HTTPChainSigningRSA
import HTTPTypes
import Testing

/// A pair of keys for each algorithm.
struct TestKeys: Sendable, CustomTestStringConvertible {
    let algorithm: SignatureAlgorithm
    let signing: @Sendable () throws -> MessageSigningKey
    let verification: @Sendable () throws -> MessageVerificationKey

    var testDescription: String { algorithm.rawValue }

    private static let p256 = P256.Signing.PrivateKey()
    private static let p384 = P384.Signing.PrivateKey()
    private static let rsa = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) }

    static let all = [
        TestKeys(algorithm: .hmacSHA256) {
            .shared(id: "a")
        } verification: {
            .shared(id: "a")
        },
        TestKeys(algorithm: .ed25519) {
            try .ed25519(pem: SignatureVectors.ed25519Private, id: "a")
        } verification: {
            try .ed25519(pem: SignatureVectors.ed25519Public, id: "a")
        },
        TestKeys(algorithm: .ecdsaP256SHA256) {
            try .ecdsaP256(pem: Secret(p256.pemRepresentation), id: "a")
        } verification: {
            try .ecdsaP256(pem: p256.publicKey.pemRepresentation, id: "a")
        },
        TestKeys(algorithm: .ecdsaP384SHA384) {
            try .ecdsaP384(pem: Secret(p384.pemRepresentation), id: "a")
        } verification: {
            try .ecdsaP384(pem: p384.publicKey.pemRepresentation, id: "a")
        },
        TestKeys(algorithm: .rsaPSSSHA512) {
            try .rsaPSS(pem: Secret(rsa.get().pemRepresentation), id: "a")
        } verification: {
            try .rsaPSS(pem: rsa.get().publicKey.pemRepresentation, id: "a")
        },
        TestKeys(algorithm: .rsaV15SHA256) {
            try .rsaV15(pem: Secret(rsa.get().pemRepresentation), id: "a")
        } verification: {
            try .rsaV15(pem: rsa.get().publicKey.pemRepresentation, id: "a")
        },
    ]

    /// A transport that is only built upon.
    struct Nowhere: Transport {
        var capabilities: TransportCapabilities { [.keepsRepeatedFields, .keepsDeadlines] }

        func send(_ request: consuming Request) async throws -> Response { Response(.ok) }
    }
}

private let sharedSecret: Secret = "a shared secret of the tests"

extension MessageSigningKey {
    static func shared(id: String? = nil) -> MessageSigningKey {
        // swift-format-ignore: NeverUseForceTry
        try! .hmacSHA256(sharedSecret, id: id)
    }
}

extension MessageVerificationKey {
    static func shared(id: String? = nil) -> MessageVerificationKey {
        // swift-format-ignore: NeverUseForceTry
        try! .hmacSHA256(sharedSecret, id: id)
    }
}
#endif
