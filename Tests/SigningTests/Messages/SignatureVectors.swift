#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainSigning
import HTTPChainSigningRSA
import HTTPChainSupport
import HTTPTypes
import Testing

/// The keys, messages and signatures of RFC 9421, appendix B, which are public.
enum SignatureVectors {
    /// B.1.2.
    static let rsaPSSPublic = """
        -----BEGIN PUBLIC KEY-----
        MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAr4tmm3r20Wd/PbqvP1s2
        +QEtvpuRaV8Yq40gjUR8y2Rjxa6dpG2GXHbPfvMs8ct+Lh1GH45x28Rw3Ry53mm+
        oAXjyQ86OnDkZ5N8lYbggD4O3w6M6pAvLkhk95AndTrifbIFPNU8PPMO7OyrFAHq
        gDsznjPFmTOtCEcN2Z1FpWgchwuYLPL+Wokqltd11nqqzi+bJ9cvSKADYdUAAN5W
        Utzdpiy6LbTgSxP7ociU4Tn0g5I6aDZJ7A8Lzo0KSyZYoA485mqcO0GVAdVw9lq4
        aOT9v6d+nb4bnNkQVklLQ3fVAvJm+xdDOp9LCNCN48V2pnDOkFV6+U9nV5oyc6XI
        2wIDAQAB
        -----END PUBLIC KEY-----
        """
    /// B.1.3.
    static let p256Public = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEqIVYZVLCrPZHGHjP17CTW0/+D9Lf
        w0EkjqF7xB4FivAxzic30tMM4GF+hR6Dxh71Z50VGGdldkkDXZCnTNnoXQ==
        -----END PUBLIC KEY-----
        """
    /// B.1.4.
    static let ed25519Public = """
        -----BEGIN PUBLIC KEY-----
        MCowBQYDK2VwAyEAJrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=
        -----END PUBLIC KEY-----
        """
    /// B.1.4.
    static let ed25519Private = Secret(
        """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF
        -----END PRIVATE KEY-----
        """
    )
    /// B.1.5, in base64.
    static let sharedSecret: Secret =
        "uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ=="

    /// When all of them were made.
    static let created = Date(timeIntervalSince1970: 1_618_884_473)

    static func name(_ text: StaticString) -> HTTPField.Name { HTTPField.Name(constant: text) }

    static func fields(_ fields: KeyValuePairs<String, String>) -> HTTPFields {
        HTTPFields(
            fields.compactMap { name, value in HTTPField.Name(name).map { HTTPField(name: $0, value: value) } }
        )
    }

    /// B.2.
    static let request = HTTPRequest(
        method: .post,
        scheme: "https",
        authority: "example.com",
        path: "/foo?param=Value&Pet=dog",
        headerFields: fields([
            "Date": "Tue, 20 Apr 2021 02:07:55 GMT", "Content-Type": "application/json",
            "Content-Digest":
                "sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:",
            "Content-Length": "18",
        ])
    )

    /// B.2.
    static let response = HTTPResponse(
        status: .ok,
        headerFields: fields([
            "Date": "Tue, 20 Apr 2021 02:07:56 GMT", "Content-Type": "application/json",
            "Content-Digest":
                "sha-512=:mEWXIS7MaLRuGgxOBdODa3xqM1XdEvxoYhvlCFJ41QJgJc4GTsPp29l5oGX69wWdXymyU0rjJuahq4l5aGgfLQ==:",
            "Content-Length": "23",
        ])
    )

    struct Vector: Sendable, CustomTestStringConvertible {
        let section: String
        let message: SignedMessage
        let input: String
        let signature: String

        var testDescription: String { section }

        /// The message with its signature.
        func signed(_ request: HTTPRequest) -> SignedMessage {
            var request = request
            request.headerFields[.signatureInput] = input
            request.headerFields[.signature] = signature
            return SignedMessage(request)
        }
    }

    static let requests = [
        Vector(
            section: "B.2.1",
            message: SignedMessage(request),
            input: #"sig-b21=();created=1618884473;keyid="test-key-rsa-pss";nonce="b3k2pp5k7z-50gnwp.yemd""#,
            signature:
                "sig-b21=:d2pmTvmbncD3xQm8E9ZV2828BjQWGgiwAaw5bAkgibUopemLJcWDy/lkbbHAve4cRAtx31Iq786U7it++wgGxbtRxf8Udx7zFZsckzXaJMkA7ChG52eSkFxykJeNqsrWH5S+oxNFlD4dzVuwe8DhTSja8xxbR/Z2cOGdCbzR72rgFWhzx2VjBqJzsPLMIQKhO4DGezXehhWwE56YCE+O6c0mKZsfxVrogUvA4HELjVKWmAvtl6UnCh8jYzuVG5WSb/QEVPnP5TmcAnLH1g+s++v6d4s8m0gCw1fV5/SITLq9mhho8K3+7EPYTU8IU1bLhdxO5Nyt8C8ssinQ98Xw9Q==:"
        ),
        Vector(
            section: "B.2.2",
            message: SignedMessage(request),
            input:
                #"sig-b22=("@authority" "content-digest" "@query-param";name="Pet");created=1618884473;keyid="test-key-rsa-pss";tag="header-example""#,
            signature:
                "sig-b22=:LjbtqUbfmvjj5C5kr1Ugj4PmLYvx9wVjZvD9GsTT4F7GrcQEdJzgI9qHxICagShLRiLMlAJjtq6N4CDfKtjvuJyE5qH7KT8UCMkSowOB4+ECxCmT8rtAmj/0PIXxi0A0nxKyB09RNrCQibbUjsLS/2YyFYXEu4TRJQzRw1rLEuEfY17SARYhpTlaqwZVtR8NV7+4UKkjqpcAoFqWFQh62s7Cl+H2fjBSpqfZUJcsIk4N6wiKYd4je2U/lankenQ99PZfB4jY3I5rSV2DSBVkSFsURIjYErOs0tFTQosMTAoxk//0RoKUqiYY8Bh0aaUEb0rQl3/XaVe4bXTugEjHSw==:"
        ),
        Vector(
            section: "B.2.3",
            message: SignedMessage(request),
            input:
                #"sig-b23=("date" "@method" "@path" "@query" "@authority" "content-type" "content-digest" "content-length");created=1618884473;keyid="test-key-rsa-pss""#,
            signature:
                "sig-b23=:bbN8oArOxYoyylQQUU6QYwrTuaxLwjAC9fbY2F6SVWvh0yBiMIRGOnMYwZ/5MR6fb0Kh1rIRASVxFkeGt683+qRpRRU5p2voTp768ZrCUb38K0fUxN0O0iC59DzYx8DFll5GmydPxSmme9v6ULbMFkl+V5B1TP/yPViV7KsLNmvKiLJH1pFkh/aYA2HXXZzNBXmIkoQoLd7YfW91kE9o/CCoC1xMy7JA1ipwvKvfrs65ldmlu9bpG6A9BmzhuzF8Eim5f8ui9eH8LZH896+QIF61ka39VBrohr9iyMUJpvRX2Zbhl5ZJzSRxpJyoEZAFL2FUo5fTIztsDZKEgM4cUA==:"
        ),
        Vector(
            section: "B.2.5",
            message: SignedMessage(request),
            input:
                #"sig-b25=("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret""#,
            signature: "sig-b25=:pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=:"
        ),
        Vector(
            section: "B.2.6",
            message: SignedMessage(request),
            input:
                #"sig-b26=("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519""#,
            signature:
                "sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:"
        ),
    ]

    static let responseInput =
        #"sig-b24=("@status" "content-type" "content-digest" "content-length");created=1618884473;keyid="test-key-ecc-p256""#
    static let responseSignature =
        "sig-b24=:wNmSUAhwb5LxtOtOpNa6W5xj067m5hFrj0XQ4fvpaCLx0NKocgPquLgyahnzDnDAUy5eCdlYUEkLIj+32oiasw==:"

    /// All of them, by their names.
    static func keys() throws -> [MessageVerificationKey] {
        [
            try .rsaPSS(pem: rsaPSSPublic, id: "test-key-rsa-pss"),
            try .ecdsaP256(pem: p256Public, id: "test-key-ecc-p256"),
            try .ed25519(pem: ed25519Public, id: "test-key-ed25519"),
            try .hmacSHA256(base64: sharedSecret, id: "test-shared-secret"),
        ]
    }

    static func verifier(
        requiring required: [SignatureComponent] = [],
        tag: String? = nil,
        nonces: NonceMemory? = nil,
        requiresExpiry: Bool = false
    ) throws -> MessageVerifier {
        MessageVerifier(
            keys: try keys(),
            requiring: required,
            tag: tag,
            requiresExpiry: requiresExpiry,
            nonces: nonces
        )
    }
}
#endif
