public import Foundation
public import HTTPChainCore
import HTTPChainSupport
public import HTTPTypes
import RawStructuredFieldValues

/// Verifies signed messages (RFC 9421 §3.2): responses on a client, and requests on a server.
///
/// ```swift
/// let verifier = MessageVerifier(keys: [serverKey], requiring: [.status, .contentDigest, .method.fromRequest])
/// SigningMiddleware(verifying: verifier, for: "https://api.example.com")
/// ```
///
/// A signature is accepted if its key is known, its algorithm is that of the key, it covers all required components,
/// and its times are within the limits. One accepted signature is enough, because others may have been made with keys
/// of third parties.
///
/// The signature covers the fields. The content is covered through `Content-Digest`, which is required by default (see
/// `requiring`). An outer `ContentDigestMiddleware` verifies that the content has that digest.
public struct MessageVerifier: Sendable {
    private let keys: [MessageVerificationKey]
    private let find:
        (@Sendable (_ id: String?, _ algorithm: SignatureAlgorithm?) async throws -> MessageVerificationKey?)?
    /// Whether keys are found without waiting.
    var keepsDeadlines: Bool { find == nil }
    let required: [SignatureComponent]
    let acceptsUnsigned: Bool
    let asks: Bool
    private let tag: String?
    private let maximumAge: Duration
    private let clockSkew: Duration
    private let requiresExpiry: Bool
    private let nonces: NonceMemory?
    private let types: [String: StructuredFieldType]

    /// Makes a verifier.
    ///
    /// - Parameters:
    ///   - keys: The known keys, which are found by their identifiers. If none matches, the first key without an
    ///     identifier is used. Defaults to none.
    ///   - required: The components that a signature must cover. Defaults to the status and the content's digest.
    ///   - tag: The application that the signature must be for. Defaults to none.
    ///   - maximumAge: The maximum age of a signature. The signature must have a creation time. Defaults to 5 minutes.
    ///   - clockSkew: The maximum difference between the clocks of both sides. Defaults to 30 seconds.
    ///   - requiresExpiry: Whether the signature must have an expiration time. Defaults to `false`.
    ///   - nonces: The nonces that have been used, for rejecting replays. If this is set, signatures without a nonce
    ///     are refused. Defaults to none.
    ///   - acceptsUnsigned: Whether messages without a signature are accepted. If a message has signatures, one of them
    ///     must be valid nevertheless. Defaults to `false`.
    ///   - asks: Whether requests ask the server to sign its responses (`Accept-Signature`, RFC 9421 §5). Defaults to
    ///     `false`.
    ///   - types: The types of unregistered structured fields.
    ///   - find: Finds a key, other than the known ones, by its identifier and the declared algorithm, for example in a
    ///     document published by the sender. Returns `nil` if there is none. Its errors end the call. Defaults to none.
    public init(
        keys: [MessageVerificationKey] = [],
        requiring required: [SignatureComponent] = [.status, .contentDigest],
        tag: String? = nil,
        maximumAge: Duration = .seconds(300),
        clockSkew: Duration = .seconds(30),
        requiresExpiry: Bool = false,
        nonces: NonceMemory? = nil,
        acceptsUnsigned: Bool = false,
        asks: Bool = false,
        structuredFields types: [HTTPField.Name: StructuredFieldType] = [:],
        findingKeys find: (
            @Sendable (_ id: String?, _ algorithm: SignatureAlgorithm?) async throws -> MessageVerificationKey?
        )? = nil
    ) {
        self.keys = keys
        self.find = find
        self.required = required
        self.tag = tag
        self.maximumAge = maximumAge
        self.clockSkew = clockSkew
        self.requiresExpiry = requiresExpiry
        self.nonces = nonces
        self.acceptsUnsigned = acceptsUnsigned
        self.asks = asks
        self.types = Dictionary(types.map { ($0.key.canonicalName, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
}

extension MessageVerifier {
    /// An accepted signature.
    public struct Verified: Sendable, Hashable {
        /// The signature's label, which distinguishes it from others of the message.
        package let label: String
        /// The covered components, and the signature's parameters.
        package let parameters: SignatureParameters
        /// The key's algorithm.
        package let algorithm: SignatureAlgorithm

        /// The key's identifier, or `nil` if the signature has none.
        public var keyID: String? { parameters.keyID }
        /// The creation time, to the second, or `nil` if the signature has none.
        public var created: Date? { parameters.created }
        /// The expiration time, to the second, or `nil` if the signature has none.
        public var expires: Date? { parameters.expires }
    }

    /// Verifies a message.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - now: The current time.
    ///   - hasContent: Whether the message has content. If it has none, `Content-Digest` isn't required. Defaults to
    ///     `true`.
    /// - Returns: The first accepted signature, or `nil` for an unsigned message if those are accepted.
    /// - Throws: ``SigningError`` for the first invalid signature if none is accepted; rethrows errors from finding a
    ///   key.
    public func verify(
        _ message: SignedMessage,
        at now: Date,
        hasContent: Bool = true
    ) async throws -> Verified? {
        guard message.fields.contains(.signatureInput) || message.fields.contains(.signature) else {
            guard acceptsUnsigned else { throw SigningError(.unsigned) }
            return nil
        }
        let signatures = try SignatureFields.parse(message.fields)
        let value = ComponentValue(message: message, types: types)
        var failure: SigningError?
        for signature in signatures {
            do {
                let signature = try signature.get()
                let id = signature.parameters.keyID
                let known = keys.first { $0.id != nil && $0.id == id } ?? keys.first { $0.id == nil }
                let key = if let known { known } else { try await find?(id, signature.parameters.algorithm) }
                return try check(signature, key, value, now, hasContent)
            } catch let error as SigningError {
                // An error about a signature by a known key is more specific.
                if case .unknownKey? = failure?.problem { failure = error } else { failure = failure ?? error }
            }
        }
        throw failure ?? SigningError(.unsigned)
    }

    private func check(
        _ signature: ReceivedSignature,
        _ key: MessageVerificationKey?,
        _ value: ComponentValue,
        _ now: Date,
        _ hasContent: Bool
    ) throws(SigningError) -> Verified {
        let parameters = signature.parameters
        guard let key else { throw SigningError(.unknownKey(parameters.keyID)) }
        if let declared = parameters.algorithm, declared != key.algorithm {
            throw SigningError(.algorithmMismatch(declared: declared.rawValue, key: key.algorithm.rawValue))
        }
        if let tag, parameters.tag != tag { throw SigningError(.missingParameter("tag \"\(tag)\"")) }
        let missing = required.filter { component in
            guard !parameters.components.contains(component) else { return false }
            return hasContent || component.name != "content-digest"
        }
        guard missing.isEmpty else { throw SigningError(.notCovered(missing)) }
        let end = try checkTimes(parameters, now)
        let base = try SignatureBase.text(of: parameters.components, parameters: signature.text, value)
        guard key.isValid(signature.signature, Data(base.utf8)) else { throw SigningError(.wrongSignature) }
        // The nonce is checked last, so that only owners of a key can add nonces.
        if let nonces {
            guard let nonce = parameters.nonce else { throw SigningError(.missingParameter("nonce")) }
            try nonces.note(nonce, by: parameters.keyID, until: end, now: now)
        }
        return Verified(label: signature.label, parameters: parameters, algorithm: key.algorithm)
    }

    /// - Returns: The time until which the signature is accepted.
    private func checkTimes(_ parameters: SignatureParameters, _ now: Date) throws(SigningError) -> Date {
        guard let created = parameters.created else { throw SigningError(.missingParameter("created")) }
        let skew = clockSkew / .seconds(1)
        let age = now.timeIntervalSince(created)
        guard age >= -skew else { throw SigningError(.createdInFuture(by: .clamped(seconds: -age))) }
        let oldest = maximumAge / .seconds(1) + skew
        guard age <= oldest else { throw SigningError(.tooOld(age: .clamped(seconds: age))) }
        guard let expires = parameters.expires else {
            guard !requiresExpiry else { throw SigningError(.missingParameter("expires")) }
            return created.addingTimeInterval(oldest)
        }
        guard now.timeIntervalSince(expires) <= skew else { throw SigningError(.expired(expires)) }
        return min(created.addingTimeInterval(oldest), expires.addingTimeInterval(skew))
    }

    /// Returns the `Accept-Signature` value that requests an acceptable signature (§5.1).
    func request() throws(SigningError) -> String {
        var parameters = SignatureParameters(required)
        parameters.tag = tag
        var list = parameters.innerList()
        // A parameter without a value requests that parameter.
        list.rfc9651Parameters["created"] = .bool(true)
        if requiresExpiry { list.rfc9651Parameters["expires"] = .bool(true) }
        if nonces != nil { list.rfc9651Parameters["nonce"] = .bool(true) }
        return "sig=\(try list.text())"
    }

    /// A short description of the requirements, for ``/HTTPChainCore/Chain/explain()``.
    var description: String {
        let covered = required.map(\.description).joined(separator: " ")
        return
            "\(acceptsUnsigned ? "when present" : "required"), covering \(covered.isEmpty ? "anything" : covered)"
    }
}

/// The result of verifying a response's signature in ``SigningMiddleware``.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum SignatureVerification: Sendable, Hashable {
    /// The response wasn't verified.
    case notChecked
    /// The response has no signature, and that is accepted.
    case unsigned
    /// The response has an accepted signature.
    case verified(MessageVerifier.Verified)
}

/// The result for a response; see ``HTTPChainCore/Response/signatureVerification``.
package enum SignatureVerificationFact: ResponseOption {
    package static var defaultValue: SignatureVerification { .notChecked }
}

extension Response {
    /// The result of verifying the response's signature.
    public var signatureVerification: SignatureVerification { options[SignatureVerificationFact.self] }
}
