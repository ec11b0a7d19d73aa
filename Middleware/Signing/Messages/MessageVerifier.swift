public import Foundation
public import HTTPChainCore
public import HTTPTypes
import RawStructuredFieldValues

/// Verifies signed messages (RFC 9421 §3.2): the responses that a client receives, and the requests that a server does.
///
/// ```swift
/// let verifier = MessageVerifier(keys: [serverKey], requiring: [.status, .contentDigest, .method.fromRequest])
/// SigningMiddleware(verifying: verifier, for: "https://api.example.com")
/// ```
///
/// A signature counts when its key is known, its algorithm is that of the key, it covers all that is required, and its
/// times are within what is accepted. One that counts is enough; the others may be by keys of somebody else.
///
/// The signature covers the fields. The content is covered by `Content-Digest`, which is required unless `requiring`
/// says otherwise; that the content has that digest is verified by a `ContentDigestMiddleware` outside the stage.
public struct MessageVerifier: Sendable {
    /// The treatment of messages without a signature that counts.
    public enum Unsigned: Sendable, Hashable {
        /// An error.
        case refused
        /// Accepted, where there is no signature at all; one that is there must be right.
        case accepted
    }

    /// A closure that finds a key.
    public typealias FindKey =
        @Sendable (_ id: String?, _ algorithm: SignatureAlgorithm?) async throws -> MessageVerificationKey?

    private let find: FindKey
    private let isImmediate: Bool
    let required: [SignatureComponent]
    let unsigned: Unsigned
    let asks: Bool
    private let tag: String?
    private let maximumAge: Duration
    private let clockSkew: Duration
    private let requiresExpiry: Bool
    private let nonces: NonceMemory?
    private let types: [String: StructuredFieldType]

    /// Makes a verifier that knows its keys.
    ///
    /// - Parameters:
    ///   - keys: The keys, found by their identifiers; one without is tried whatever a signature says.
    ///   - required: The components that a signature must cover: by default the status and the digest of the content.
    ///   - tag: The application that it must be for; none by default.
    ///   - maximumAge: The largest age of a signature, 5 minutes by default; it must say when it was made.
    ///   - clockSkew: The largest difference of the clocks of both sides, 30 seconds by default.
    ///   - requiresExpiry: Whether it must say when it expires; `false` by default.
    ///   - nonces: Remembers nonces, so that a message counts once; a signature without is refused then. None by
    ///     default.
    ///   - unsigned: The treatment of messages without signature; they are refused by default.
    ///   - asks: Whether requests ask the server to sign (`Accept-Signature`, RFC 9421 §5); `false` by default.
    ///   - types: The types of structured fields that are not registered.
    public init(
        keys: [MessageVerificationKey],
        requiring required: [SignatureComponent] = [.status, .contentDigest],
        tag: String? = nil,
        maximumAge: Duration = .seconds(300),
        clockSkew: Duration = .seconds(30),
        requiresExpiry: Bool = false,
        nonces: NonceMemory? = nil,
        unsigned: Unsigned = .refused,
        asks: Bool = false,
        structuredFields types: [HTTPField.Name: StructuredFieldType] = [:]
    ) {
        self.init(
            isImmediate: true,
            requiring: required,
            tag: tag,
            maximumAge: maximumAge,
            clockSkew: clockSkew,
            requiresExpiry: requiresExpiry,
            nonces: nonces,
            unsigned: unsigned,
            asks: asks,
            structuredFields: types
        ) { id, _ in
            keys.first { $0.id != nil && $0.id == id } ?? keys.first { $0.id == nil }
        }
    }

    /// Makes a verifier that finds its keys, such as in a document of the other side.
    ///
    /// - Parameters:
    ///   - required: The components that a signature must cover: by default the status and the digest of the content.
    ///   - tag: The application that it must be for; none by default.
    ///   - maximumAge: The largest age of a signature, 5 minutes by default; it must say when it was made.
    ///   - clockSkew: The largest difference of the clocks of both sides, 30 seconds by default.
    ///   - requiresExpiry: Whether it must say when it expires; `false` by default.
    ///   - nonces: Remembers nonces, so that a message counts once; a signature without is refused then. None by
    ///     default.
    ///   - unsigned: The treatment of messages without signature; they are refused by default.
    ///   - asks: Whether requests ask the server to sign (`Accept-Signature`, RFC 9421 §5); `false` by default.
    ///   - types: The types of structured fields that are not registered.
    ///   - find: Finds a key by its identifier and the algorithm that the signature declares; `nil` where there is
    ///     none. What it throws ends the call.
    public init(
        requiring required: [SignatureComponent] = [.status, .contentDigest],
        tag: String? = nil,
        maximumAge: Duration = .seconds(300),
        clockSkew: Duration = .seconds(30),
        requiresExpiry: Bool = false,
        nonces: NonceMemory? = nil,
        unsigned: Unsigned = .refused,
        asks: Bool = false,
        structuredFields types: [HTTPField.Name: StructuredFieldType] = [:],
        findingKeys find: @escaping FindKey
    ) {
        self.init(
            isImmediate: false,
            requiring: required,
            tag: tag,
            maximumAge: maximumAge,
            clockSkew: clockSkew,
            requiresExpiry: requiresExpiry,
            nonces: nonces,
            unsigned: unsigned,
            asks: asks,
            structuredFields: types,
            findingKeys: find
        )
    }

    private init(
        isImmediate: Bool,
        requiring required: [SignatureComponent],
        tag: String?,
        maximumAge: Duration,
        clockSkew: Duration,
        requiresExpiry: Bool,
        nonces: NonceMemory?,
        unsigned: Unsigned,
        asks: Bool,
        structuredFields types: [HTTPField.Name: StructuredFieldType],
        findingKeys find: @escaping FindKey
    ) {
        self.find = find
        self.isImmediate = isImmediate
        self.required = required
        self.tag = tag
        self.maximumAge = maximumAge
        self.clockSkew = clockSkew
        self.requiresExpiry = requiresExpiry
        self.nonces = nonces
        self.unsigned = unsigned
        self.asks = asks
        self.types = Dictionary(types.map { ($0.key.canonicalName, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    /// Whether it waits for nothing.
    var keepsDeadlines: Bool { isImmediate }
}

extension MessageVerifier {
    /// A signature that counts.
    public struct Verified: Sendable, Hashable {
        /// The name of the signature among others of the message.
        public let label: String
        /// The components that it covers, and its parameters.
        public let parameters: SignatureParameters
        /// The algorithm, as the key has it.
        public let algorithm: SignatureAlgorithm
    }

    /// Verifies a message.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - now: The time.
    ///   - hasContent: Whether it has content; without, `Content-Digest` is not required. It has by default.
    /// - Returns: The first signature that counts; `nil` for a message without any where that is accepted.
    /// - Throws: ``SigningError`` for the first signature that does not count where none does; what finding a key
    ///   throws.
    public func verify(
        _ message: SignedMessage,
        at now: Date,
        hasContent: Bool = true
    ) async throws -> Verified? {
        guard message.fields.contains(.signatureInput) || message.fields.contains(.signature) else {
            guard unsigned == .accepted else { throw SigningError(.unsigned) }
            return nil
        }
        let signatures = try SignatureFields.parse(message.fields)
        let value = ComponentValue(message: message, types: types)
        var failure: SigningError?
        for signature in signatures {
            do {
                let signature = try signature.get()
                let key = try await find(signature.parameters.keyID, signature.parameters.algorithm)
                return try check(signature, key, value, now, hasContent)
            } catch let error as SigningError {
                // What is wrong with a signature by a key that is known says more.
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
        // Last, so that nobody without a key can have a nonce remembered.
        if let nonces {
            guard let nonce = parameters.nonce else { throw SigningError(.missingParameter("nonce")) }
            try nonces.note(nonce, by: parameters.keyID, until: end, now: now)
        }
        return Verified(label: signature.label, parameters: parameters, algorithm: key.algorithm)
    }

    /// - Returns: Up to when the signature is accepted.
    private func checkTimes(_ parameters: SignatureParameters, _ now: Date) throws(SigningError) -> Date {
        guard let created = parameters.created else { throw SigningError(.missingParameter("created")) }
        let skew = clockSkew / .seconds(1)
        let age = now.timeIntervalSince(created)
        guard age >= -skew else { throw SigningError(.createdInFuture(by: .seconds(-age))) }
        let oldest = maximumAge / .seconds(1) + skew
        guard age <= oldest else { throw SigningError(.tooOld(age: .seconds(age))) }
        guard let expires = parameters.expires else {
            guard !requiresExpiry else { throw SigningError(.missingParameter("expires")) }
            return created.addingTimeInterval(oldest)
        }
        guard now.timeIntervalSince(expires) <= skew else { throw SigningError(.expired(expires)) }
        return min(created.addingTimeInterval(oldest), expires.addingTimeInterval(skew))
    }

    /// The value of `Accept-Signature` that asks for a signature that counts (§5.1).
    func request() throws(SigningError) -> String {
        var parameters = SignatureParameters(required)
        parameters.tag = tag
        var list = parameters.innerList()
        // A parameter without value asks for one.
        list.rfc9651Parameters["created"] = .bool(true)
        if requiresExpiry { list.rfc9651Parameters["expires"] = .bool(true) }
        if nonces != nil { list.rfc9651Parameters["nonce"] = .bool(true) }
        return "sig=\(try list.text())"
    }

    /// The result of verifying in a few words, for ``/HTTPChainCore/Chain/explain()``.
    var description: String {
        let covered = required.map(\.description).joined(separator: " ")
        return
            "\(unsigned == .refused ? "required" : "when present"), covering \(covered.isEmpty ? "anything" : covered)"
    }
}

/// The result of verifying the signature of a response with ``SigningMiddleware``.
public enum SignatureVerification: ResponseOption {
    /// The result.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Status: Sendable, Hashable {
        /// Not looked at.
        case notChecked
        /// The response has no signature, which is accepted.
        case unsigned
        /// A signature counts.
        case verified(MessageVerifier.Verified)
    }

    /// Not looked at.
    public static var defaultValue: Status { .notChecked }
}
