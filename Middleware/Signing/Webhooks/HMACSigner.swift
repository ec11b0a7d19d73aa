public import Foundation
public import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// The hash, payload and code of a signer that uses an HMAC of custom text, `.hmac`.
public enum HMACSigner {
    /// The hash function.
    public enum Hash: String, Sendable, Hashable {
        /// SHA-256.
        case sha256 = "SHA-256"
        /// SHA-512.
        case sha512 = "SHA-512"
    }

    /// The data that is signed.
    public struct Payload: Sendable {
        let coversContent: Bool
        let text: @Sendable (Request) throws -> String

        /// A text derived from the request's head.
        public static func head(_ text: @escaping @Sendable (_ request: Request) throws -> String) -> Payload {
            Payload(coversContent: false, text: text)
        }

        /// A text derived from the request's head, followed by the content.
        ///
        /// - Parameter text: The text before the content. Defaults to none.
        public static func content(
            after text: @escaping @Sendable (_ request: Request) throws -> String = { _ in "" }
        ) -> Payload {
            Payload(coversContent: true, text: text)
        }
    }

    /// The computed authentication code.
    public struct Code: Sendable, Hashable {
        /// The bytes of the code.
        ///
        /// For base64, use `bytes.base64EncodedString()`.
        public let bytes: Data

        /// The bytes in lower-case hexadecimal digits.
        public var hexadecimal: String { String(decoding: bytes.hexadecimal, as: UTF8.self) }
    }
}

/// Signs requests with an HMAC of custom text.
package struct HMACScheme: SignatureScheme {
    private let hash: HMACSigner.Hash
    private let key: SymmetricKey
    private let payload: HMACSigner.Payload
    private let apply: @Sendable (_ code: HMACSigner.Code, _ request: inout Request) throws -> Void

    package init(
        _ hash: HMACSigner.Hash,
        key: Secret,
        covering payload: HMACSigner.Payload,
        apply: @escaping @Sendable (_ code: HMACSigner.Code, _ request: inout Request) throws -> Void
    ) {
        self.hash = hash
        self.key = SymmetricKey(data: Data(key.revealed.utf8))
        self.payload = payload
        self.apply = apply
    }

    /// The text "HMAC with", and the hash function.
    package var schemeSummary: String { "HMAC with \(hash.rawValue)" }

    /// Always `true`: the signer waits only for the content.
    package var keepsDeadlines: Bool { true }

    /// Computes the code and adds it to the request.
    ///
    /// - Throws: ``SigningError/Problem/bodyReadableOnce``; ``SigningError/Problem/keyTooShort(bytes:)`` for an empty
    ///   key; rethrows errors of the closures and of reading the content.
    package func addSignature(to request: inout Request, for origin: Origin) async throws {
        guard key.bitCount > 0 else { throw SigningError(.keyTooShort(bytes: 0)) }
        let text = Data(try payload.text(request).utf8)
        let code: Data
        switch hash {
        case .sha256: code = Data(try await self.code(HMAC<SHA256>(key: key), text, request.body).finalize())
        case .sha512: code = Data(try await self.code(HMAC<SHA512>(key: key), text, request.body).finalize())
        }
        let before = request.headers
        try apply(HMACSigner.Code(bytes: code), &request)
        let changed = Set(request.headers.map(\.name)).filter { before[$0] != request.headers[$0] }
        request.bindFields(changed, to: origin)
    }

    /// Returns a problem if the key is empty.
    package func problems(of stage: String, at place: ChainPlace) -> [ChainProblem] {
        guard key.bitCount == 0 else { return [] }
        return [
            ChainProblem(
                stage: stage,
                problem: "\(stage) has an empty key, with which everybody can sign",
                fix: "give it the secret of the service (key:)"
            )
        ]
    }

    private func code<Hash: ContentHash>(_ mac: Hash, _ text: Data, _ body: HTTPBody) async throws -> Hash {
        var mac = mac
        mac.update(text)
        return payload.coversContent ? try await ContentPass.read(body, into: mac) : mac
    }
}

extension HMACScheme: CustomReflectable {
    /// The mirror for debugging, without the key.
    package var customMirror: Mirror { Mirror(self, children: ["hash": hash]) }
}

extension RequestSigner where Self == BuiltInSigner {
    /// Signs requests with an HMAC (SHA-256 or SHA-512) of custom text, for services that have their own scheme.
    ///
    /// ```swift
    /// SigningMiddleware(
    ///     .hmac(.sha256, key: secret, covering: .content(after: { "\($0.method) \($0.url)\n" })) { code, request in
    ///         request.headers[.authorization] = "HMAC \(code.hexadecimal)"
    ///     },
    ///     for: "https://partner.example.com"
    /// )
    /// ```
    ///
    /// - Parameters:
    ///   - hash: The hash function.
    ///   - key: The key, whose UTF-8 bytes are used. Its required length depends on the service. With an empty key,
    ///     `Chain.init` throws, because anyone could sign with it.
    ///   - payload: The data that is signed.
    ///   - apply: Adds the code to the request. The fields that it adds or changes are bound to the origin.
    public static func hmac(
        _ hash: HMACSigner.Hash,
        key: Secret,
        covering payload: HMACSigner.Payload,
        apply: @escaping @Sendable (_ code: HMACSigner.Code, _ request: inout Request) throws -> Void
    ) -> BuiltInSigner {
        BuiltInSigner(scheme: HMACScheme(hash, key: key, covering: payload, apply: apply))
    }
}
