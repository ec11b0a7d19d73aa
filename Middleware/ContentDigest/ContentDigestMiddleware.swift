public import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// Sends digests of content, and verifies those of the content that arrives.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     ContentDigestMiddleware()
/// }
/// let response = try await chain.send(.put("https://api.example.com/reports/7", body: .file(report)))
/// try await response.body.save(to: file)   // throws when the content is not what its digest says
/// ```
///
/// **Requests** carry `Content-Digest` or `Repr-Digest` (RFC 9530; SHA-256, SHA-512), or `Content-MD5` for old servers,
/// made in one pass over the body before it is sent. Fields that the caller gave stay. A request without content has
/// no digest, unless it is a POST, PUT or PATCH.
///
/// **Responses** are verified as they are read: a mismatch is an error at the end of the body, and what was read before
/// it must not be trusted. All digests with an algorithm that is known must be right; others are passed over, and so is
/// a field that is malformed, as RFC 9651 §4.2 has it. ``DigestVerification`` in the response's options tells whether
/// the content is verified, and why not: a transport that has decoded it has left nothing that the digest is of.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/digest``: inside gzip, because a digest is of the encoded content.
///
/// **Options.** ``RequestDigests`` and ``ResponseDigestPolicy``; in short
/// ``HTTPChainCore/Request/digests(_:)`` and ``HTTPChainCore/Request/verifyingDigest(_:)``.
///
/// **Errors.** ``ContentDigestError``; what reading the request's body throws.
public struct ContentDigestMiddleware: ChainAwareMiddleware {
    private let fields: [DigestField]
    private let oneShotBodies: OneShotDigestPolicy
    private let policy: DigestPolicy
    private let wanted: [ContentDigestAlgorithm]

    /// Makes the stage.
    ///
    /// - Parameters:
    ///   - fields: The digests that requests carry; `Content-Digest` with SHA-256 by default.
    ///   - oneShotBodies: What happens to a request body that can be read only once; refused by default.
    ///   - policy: Which responses must be what their digests say; those that have one by default.
    ///   - wanted: The algorithms to ask the server for (`Want-Content-Digest`, RFC 9530 §4), the preferred first; none
    ///     by default.
    public init(
        requests fields: [DigestField] = [.contentDigest(.sha256)],
        oneShotBodies: OneShotDigestPolicy = .refused,
        responses policy: DigestPolicy = .whenPresent,
        wanting wanted: [ContentDigestAlgorithm] = []
    ) {
        self.fields = fields
        self.oneShotBodies = oneShotBodies
        self.policy = policy
        self.wanted = wanted
    }

    /// Inside content codings, outside all that sends the request again.
    public var phase: Phase { .digest }

    /// The fields, and what happens to responses.
    public var summary: StageSummary {
        var summary = StageSummary(
            "ContentDigestMiddleware",
            purpose: "sends and verifies digests of content",
            settings: [
                "requests": fields.isEmpty ? "none" : fields.map(\.description).joined(separator: ", "),
                "one-shot bodies": "\(oneShotBodies)",
                "responses": "\(policy)",
            ]
        )
        if !wanted.isEmpty {
            let names = wanted.map(\.rawValue).joined(separator: ", ")
            summary.settings.append(StageSummary.Setting(name: "wants", value: names))
        }
        return summary
    }

    /// Digests that are required over a transport that leaves nothing to verify.
    public func problems(at place: ChainPlace) -> [ChainProblem] {
        guard policy == .required, place.capabilities.contains(.decodesContent) else { return [] }
        return [
            ChainProblem(
                stage: "ContentDigestMiddleware",
                problem: "ContentDigestMiddleware requires digests, but \(place.transportName) decodes content before "
                    + "it can be verified",
                fix: "use a transport that does not, or verify what can be verified (responses: .whenPresent)"
            )
        ]
    }

    /// Adds digests to the request, passes it on, and makes the response's body one that is verified as it is read.
    ///
    /// - Throws: ``ContentDigestError``; what reading the request's body and the stages inside throw.
    public func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        let redaction = request.redaction
        let digester = RequestDigester(
            fields: request.options[RequestDigests.self] ?? fields,
            oneShotBodies: oneShotBodies,
            redaction: redaction
        )
        try await digester.addDigests(to: &request)
        let policy = request.options[ResponseDigestPolicy.self] ?? policy
        guard policy != .off else { return try await next(request) }
        try ask(for: wanted, in: &request.head.headerFields)
        let target = HTTPRequest(
            method: request.head.method,
            scheme: request.head.scheme,
            authority: request.head.authority,
            path: request.head.path
        )
        var response = try await next(request)
        try ResponseVerifier(target: target, policy: policy, redaction: redaction).verify(&response)
        return response
    }

    private func ask(for algorithms: [ContentDigestAlgorithm], in fields: inout HTTPFields) throws {
        guard !algorithms.isEmpty, !fields.contains(.wantContentDigest), !fields.contains(.wantReprDigest),
            fields.count < HTTPFields.capacity
        else { return }
        fields[.wantContentDigest] = try DigestFieldValue.preferences(algorithms)
    }
}
