public import Foundation
public import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// Signs requests by an HMAC with SHA-256 or SHA-512 of text that you put together, for the schemes of single services.
///
/// ```swift
/// SigningMiddleware(
///     .hmac(.sha256, key: secret, covering: .content(after: { "\($0.method) \($0.url)\n" })) { code, request in
///         request.headers[.authorization] = "HMAC \(code.hexadecimal)"
///     },
///     for: "https://partner.example.com"
/// )
/// ```
public struct HMACSigner: RequestSigner {
    /// The hash function.
    public enum Hash: String, Sendable, Hashable {
        /// SHA-256.
        case sha256 = "SHA-256"
        /// SHA-512.
        case sha512 = "SHA-512"
    }

    /// The bytes that are signed.
    public struct Payload: Sendable {
        let coversContent: Bool
        let text: @Sendable (Request) throws -> String

        /// Text of the request's head.
        public static func head(_ text: @escaping @Sendable (_ request: Request) throws -> String) -> Payload {
            Payload(coversContent: false, text: text)
        }

        /// Text of the request's head, and the content after it.
        ///
        /// - Parameter text: What stands before the content; nothing by default.
        public static func content(
            after text: @escaping @Sendable (_ request: Request) throws -> String = { _ in "" }
        ) -> Payload {
            Payload(coversContent: true, text: text)
        }
    }

    /// The code that was made.
    public struct Code: Sendable, Hashable {
        /// The bytes.
        public let bytes: Data

        /// The bytes as hexadecimal digits in lower case.
        public var hexadecimal: String { String(decoding: bytes.hexadecimal, as: UTF8.self) }
        /// The bytes in base64.
        public var base64: String { bytes.base64EncodedString() }
    }

    /// A closure that puts the code where it belongs.
    public typealias Apply = @Sendable (_ code: Code, _ request: inout Request) throws -> Void

    private let hash: Hash
    private let key: SymmetricKey
    private let payload: Payload
    private let apply: Apply

    /// Makes a signer.
    ///
    /// - Parameters:
    ///   - hash: The hash function.
    ///   - key: The key: the bytes of its UTF-8. How long it is, the service decides; a chain does not build with an
    ///     empty one, because everybody can sign with that.
    ///   - payload: What is signed.
    ///   - apply: Puts the code into the request. Fields that are added or changed are bound to the origin.
    public init(_ hash: Hash, key: Secret, covering payload: Payload, apply: @escaping Apply) {
        self.hash = hash
        self.key = SymmetricKey(data: Data(key.revealed.utf8))
        self.payload = payload
        self.apply = apply
    }

    /// The hash function.
    public var summary: String { "HMAC with \(hash.rawValue)" }

    /// It waits for nothing but the content.
    public var keepsDeadlines: Bool { true }

    /// Makes the code and puts it into the request.
    ///
    /// - Throws: ``SigningError/Problem/bodyReadableOnce``; ``SigningError/Problem/keyTooShort(bytes:)`` for an empty key; what the closures and reading the content throw.
    public func sign(_ request: inout Request, for origin: Origin) async throws {
        guard key.bitCount > 0 else { throw SigningError(.keyTooShort(bytes: 0)) }
        let text = Data(try payload.text(request).utf8)
        let code: Data
        switch hash {
        case .sha256: code = Data(try await self.code(HMAC<SHA256>(key: key), text, request.body).finalize())
        case .sha512: code = Data(try await self.code(HMAC<SHA512>(key: key), text, request.body).finalize())
        }
        let before = request.headers
        try apply(Code(bytes: code), &request)
        let changed = Set(request.headers.map(\.name)).filter { before[$0] != request.headers[$0] }
        request.bindFields(changed, to: origin)
    }

    /// A key that is empty.
    public func problems(of stage: String, at place: ChainPlace) -> [ChainProblem] {
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

extension HMACSigner: CustomReflectable {
    /// Shows nothing of the key.
    public var customMirror: Mirror { Mirror(self, children: ["hash": hash]) }
}

extension RequestSigner where Self == HMACSigner {
    /// An HMAC of text that you put together; see ``HMACSigner/init(_:key:covering:apply:)``.
    public static func hmac(
        _ hash: HMACSigner.Hash,
        key: Secret,
        covering payload: HMACSigner.Payload,
        apply: @escaping HMACSigner.Apply
    ) -> HMACSigner {
        HMACSigner(hash, key: key, covering: payload, apply: apply)
    }
}
