public import HTTPChainAuth
public import HTTPChainCore
import HTTPChainSupport
import HTTPTypes

/// Signs the request of each attempt and hop, and verifies signed responses.
///
/// ```swift
/// let key = try MessageSigningKey.ed25519(pem: pem, id: "garden-2026")
/// let chain = try Chain(transport: transport) {
///     ContentDigestMiddleware()
///     RetryMiddleware()
///     BearerAuthMiddleware(token: token, for: "https://api.example.com")
///     SigningMiddleware(
///         .messageSignature(
///             key,
///             covering: [.method, .targetURI, .contentDigest],
///             whenPresent: [.field(.authorization)]
///         ),
///         for: "https://api.example.com"
///     )
/// }
/// ```
///
/// The scheme is a ``RequestSigner``: HTTP Message Signatures (`.messageSignature`, RFC 9421), AWS Signature Version 4
/// (``AWSSigner``), webhooks (`.webhook`), a custom HMAC (`.hmac`), or a closure (`.closure`). Each attempt gets a new
/// signature, with its own time and nonce.
///
/// **Origins.** Only requests to the given origins are signed. After a redirect to another origin, the request has no
/// signature. The signature fields are bound to their origin (`OriginBoundFieldsNote`).
///
/// **Responses** are verified by a ``MessageVerifier``. Components of the request (`req`) are taken from the request
/// that was sent. A response without a valid signature is dropped, and an error is thrown.
///
/// **Content** is covered through `Content-Digest`, which an outer `ContentDigestMiddleware` adds and verifies.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/sign``: inside all stages that change a request, and immediately outside
/// those that observe the sent request.
///
/// **Options.** ``HTTPChainCore/Request/signing(_:)``, ``HTTPChainCore/Request/signing(webhookID:)`` and
/// ``HTTPChainCore/Request/signing(payload:)``. ``HTTPChainCore/Response/signatureVerification`` is the result for a
/// response.
///
/// **Errors.** ``SigningError``; rethrows errors of custom signers.
public struct SigningMiddleware: ChainAwareMiddleware, DeadlineKeepingMiddleware, BuiltInStage, IdentifyingMiddleware {
    let signer: (any RequestSigner)?
    /// The signer, if it is one of this package.
    private let scheme: (any SignatureScheme)?
    let verifier: MessageVerifier?
    private let origins: OriginSet
    /// The options that the stage reads, including those of its signer.
    package let stageOptions: [any RequestOption.Type]

    /// The options of all signers.
    ///
    /// A custom signer may call any of them, and so reads all options.
    static let optionsOfSigners: [any RequestOption.Type] = [WebhookIDOption.self, SigningPayloadOption.self]

    /// Makes a stage that signs requests.
    ///
    /// - Parameters:
    ///   - signer: The scheme and its key.
    ///   - origins: The origins that may receive signed requests.
    ///   - verifier: The verifier of responses. Defaults to none.
    public init(
        _ signer: any RequestSigner,
        for origins: some OriginSetConvertible,
        verifying verifier: MessageVerifier? = nil
    ) {
        let scheme = (signer as? BuiltInSigner)?.scheme ?? signer as? any SignatureScheme
        self.scheme = scheme
        stageOptions = [SigningOption.self] + (scheme?.optionsRead ?? Self.optionsOfSigners)
        self.signer = scheme ?? signer
        self.origins = origins.originSet
        self.verifier = verifier
    }

    /// Makes a stage that verifies responses without signing requests.
    ///
    /// - Parameters:
    ///   - verifier: The verifier of responses.
    ///   - origins: The origins whose responses are verified.
    public init(verifying verifier: MessageVerifier, for origins: some OriginSetConvertible) {
        signer = nil
        scheme = nil
        stageOptions = [SigningOption.self]
        self.origins = origins.originSet
        self.verifier = verifier
    }

    /// Inside all stages that change a request.
    package var stagePhase: Phase { .sign }

    /// Whether the stage signs, because a signature may identify the user.
    package var addsIdentity: Bool { signer != nil }

    /// Whether both the signer and the verifier keep deadlines.
    package var stageKeepsDeadlines: Bool {
        (signer == nil || scheme?.keepsDeadlines == true) && verifier?.keepsDeadlines != false
    }

    /// The scheme, the origins, and the requirements for responses.
    package var stageSummary: StageSummary {
        var summary = StageSummary(
            "SigningMiddleware",
            purpose: signer.map { "signs requests: \($0.summary)" } ?? "verifies signed responses",
            settings: ["for": "\(origins)"]
        )
        summary.settings += scheme?.settings ?? []
        return summary.adding("responses", verifier?.description)
    }

    /// Returns problems with inner stages that may change signed requests, and with others that invalidate signatures.
    package func stageProblems(at place: ChainPlace) -> [ChainProblem] {
        problemsOfPlace(place) + origins.problems(of: "SigningMiddleware")
            + (scheme?.problems(of: "SigningMiddleware", at: place) ?? [])
    }

    /// Signs the request, passes it on, and verifies the response.
    ///
    /// - Throws: ``SigningError``; rethrows errors of the signer, the inner stages and reading the request's body.
    public nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        guard let origin = request.origin, origins.contains(origin),
            !request.options.contains(SigningOption.self) || request.options[SigningOption.self] == .standard
        else { return try await next(request) }
        // The signature must cover the target that the transport sends.
        request.head.encodeSquareBrackets()
        if let verifier, verifier.asks { try ask(verifier, in: &request) }
        let unsigned = scheme?.looksAtResponses == true && request.body.isReplayable ? copy request : nil
        if let signer { try await sign(&request, by: signer, for: origin) }
        var check = verifier.map { ResponseCheck($0, request) }
        var response = try await next(request)
        if let signer, let scheme, scheme.looksAtResponses, scheme.wantsToSignAgain(after: response, from: origin),
            var again = unsigned
        {
            // This is done before signing, because the signature may cover the request's cookies.
            await again.discard(response)
            try await sign(&again, by: signer, for: origin)
            check = verifier.map { ResponseCheck($0, again) }
            response = try await next(again)
        }
        try await check?.verify(&response)
        return response
    }

    private func sign(_ request: inout Request, by signer: any RequestSigner, for origin: Origin) async throws {
        do {
            try await signer.sign(&request, for: origin)
        } catch let error as SigningError {
            throw error.about(ExchangeSnapshot(request.head, redaction: request.redaction))
        }
    }

    private func ask(_ verifier: MessageVerifier, in request: inout Request) throws {
        guard !request.headers.contains(.acceptSignature), request.headers.count < HTTPFields.capacity else { return }
        request.headers[.acceptSignature] = try verifier.request()
    }
}

/// The parts of a request that are needed to verify its response.
private struct ResponseCheck {
    private let verifier: MessageVerifier
    private let head: HTTPRequest
    private let redaction: Redaction
    private let time: any TimeSource

    init(_ verifier: MessageVerifier, _ request: borrowing Request) {
        self.verifier = verifier
        head = request.head
        redaction = request.redaction
        time = request.environment.time
    }

    func verify(_ response: inout Response) async throws {
        let sent = response.request ?? head
        var received = response.head
        // Content that the transport has decoded was signed in its encoded form.
        for field in response.options[OriginalContentFieldsFact.self] where !received.headerFields.contains(field.name)
        {
            received.headerFields.append(field)
        }
        do {
            let verified = try await verifier.verify(
                SignedMessage(received, answering: sent),
                at: time.date,
                hasContent: !response.head.hasNoContent(answering: sent.method)
            )
            response.options[SignatureVerificationFact.self] = verified.map { .verified($0) } ?? .unsigned
        } catch let error as SigningError {
            throw error.about(ExchangeSnapshot(sent, response: response.head, redaction: redaction))
        }
    }
}
