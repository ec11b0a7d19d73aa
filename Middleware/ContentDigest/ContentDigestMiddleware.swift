public import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// Sends digests of content, and verifies those of received content.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     ContentDigestMiddleware()
/// }
/// let response = try await chain.send(.put("https://api.example.com/reports/7", body: .file(report)))
/// try await response.body.save(to: file)   // throws when the content is not what its digest says
/// ```
///
/// **Requests** get `Content-Digest` or `Repr-Digest` (RFC 9530; SHA-256, SHA-512), or `Content-MD5` for old servers.
/// They are computed in one pass over the body before it is sent. Fields set by the caller are kept. A request without
/// content gets no digest, unless it is a POST, PUT or PATCH.
///
/// **Responses** are verified as they are read. A mismatch throws at the end of the body, and data read before it must
/// not be trusted. All digests with a known algorithm must match. Other algorithms and malformed fields are ignored
/// (RFC 9651 §4.2). ``HTTPChainCore/Response/digestVerification`` says whether the content is verified and, if it
/// isn't, why, for example because a transport has already decoded it.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/digest``: inside gzip, because a digest covers the encoded content.
///
/// **Options.** ``HTTPChainCore/Request/digests(_:)`` and ``HTTPChainCore/Request/digests(response:)``.
///
/// **Errors.** ``ContentDigestError``; rethrows errors from reading the request's body.
public struct ContentDigestMiddleware: ChainAwareMiddleware, DeadlineKeepingMiddleware, BuiltInStage {
    private let fields: [DigestField]
    private let oneShotBodies: OneShotDigestPolicy
    private let policy: DigestPolicy
    private let wanted: [ContentDigestAlgorithm]

    /// Makes the stage.
    ///
    /// - Parameters:
    ///   - fields: The digests of requests. Defaults to `Content-Digest` with SHA-256.
    ///   - oneShotBodies: The treatment of request bodies that can be read only once. Defaults to `.refused`.
    ///   - policy: The responses that must match their digests. Defaults to those that have one.
    ///   - wanted: The algorithms to request from the server (`Want-Content-Digest`, RFC 9530 §4), in order of
    ///     preference. Defaults to none.
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

    /// Inside content codings, outside all stages that retry the request.
    package var stagePhase: Phase { .digest }

    /// The options that the stage reads.
    package var stageOptions: [any RequestOption.Type] { [DigestOption.self, DigestPolicyOption.self] }

    /// The fields, and the treatment of responses.
    package var stageSummary: StageSummary {
        StageSummary(
            "ContentDigestMiddleware",
            purpose: "sends and verifies digests of content",
            settings: [
                "requests": fields.isEmpty ? "none" : fields.map(\.description).joined(separator: ", "),
                "one-shot bodies": oneShotBodies.description,
                "responses": policy.description,
            ]
        )
        .adding("wants", wanted.isEmpty ? nil : wanted.map(\.rawValue).joined(separator: ", "))
    }

    /// Returns a problem if digests are required, but the transport makes them unverifiable.
    package func stageProblems(at place: ChainPlace) -> [ChainProblem] {
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

    /// Adds digests to the request, passes it on, and verifies the response's body as it is read.
    ///
    /// - Throws: ``ContentDigestError``; rethrows errors from reading the request's body and of the inner stages.
    public nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        let redaction = request.redaction
        let digester = RequestDigester(
            fields: request.options[DigestOption.self].applied(to: fields) ?? [],
            oneShotBodies: oneShotBodies,
            redaction: redaction
        )
        if request.body.bytes != nil {
            try await digester.addDigests(to: &request)
        } else {
            // Reading a body that isn't in memory may take long.
            let plain = request
            request = try await plain.withinDeadline {
                var request = plain
                try await digester.addDigests(to: &request)
                return request
            }
        }
        let policy = request.options[DigestPolicyOption.self].applied(to: policy) ?? .off
        guard policy != .off else { return try await next(request) }
        try ask(for: wanted, in: &request.head.headerFields)
        let target = request.head.withoutFields
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
