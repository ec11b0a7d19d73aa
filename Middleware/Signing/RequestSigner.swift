public import HTTPChainCore

/// A request signer: ``MessageSigner``, ``AWSSigner``, ``WebhookSigner``, ``HMACSigner``, or a custom one.
///
/// A signer is called for each attempt and hop, after all outer stages have changed the request.
public protocol RequestSigner: Sendable {
    /// A short name of the scheme, for ``/HTTPChainCore/Chain/explain()``.
    var summary: String { get }

    /// The signer's settings, for ``/HTTPChainCore/Chain/explain()``, without secrets. Defaults to none.
    var settings: [StageSummary.Setting] { get }

    /// Whether it waits only for the request's body, or within ``/HTTPChainCore/Request/withinDeadline(_:)``. Defaults
    /// to `false`.
    var keepsDeadlines: Bool { get }

    /// Whether ``wantsToSignAgain(after:from:)`` is called, which requires keeping the request.
    ///
    /// Defaults to `false`.
    var looksAtResponses: Bool { get }

    /// Signs a request by adding the fields of the signature.
    ///
    /// Use ``/HTTPChainCore/Request/bindFields(_:to:)`` to keep them from other origins and out of logs.
    ///
    /// - Parameters:
    ///   - request: The request as it will be sent; its target is absolute.
    ///   - origin: The origin of the request.
    /// - Throws: Any error; it ends the attempt.
    func sign(_ request: inout Request, for origin: Origin) async throws

    /// Returns whether to sign and send the request again because the server requires another signature.
    ///
    /// Called with the response to a signed request, before it is processed further. Returns `false` by default. The
    /// request is retried once, and only if its body can be read again.
    func wantsToSignAgain(after response: Response, from origin: Origin) -> Bool

    /// Returns problems with the signer's place in a chain, in addition to those that apply to every signer.
    ///
    /// Returns none by default.
    ///
    /// - Parameters:
    ///   - stage: The name of the stage that contains it.
    ///   - place: The surrounding stages.
    func problems(of stage: String, at place: ChainPlace) -> [ChainProblem]
}

extension RequestSigner {
    /// By default, none.
    public var settings: [StageSummary.Setting] { [] }

    /// By default, `false`: it may wait for a remote machine without a deadline.
    public var keepsDeadlines: Bool { false }

    /// By default, `false`.
    public var looksAtResponses: Bool { false }

    /// Returns `false`.
    public func wantsToSignAgain(after response: Response, from origin: Origin) -> Bool { false }

    /// Returns no problems.
    public func problems(of stage: String, at place: ChainPlace) -> [ChainProblem] { [] }
}

/// A signer that calls a closure.
public struct ClosureSigner: RequestSigner {
    /// A closure that signs a request; see ``RequestSigner/sign(_:for:)``.
    public typealias Sign = @Sendable (_ request: inout Request, _ origin: Origin) async throws -> Void

    /// A short name of the scheme.
    public let summary: String
    private let sign: Sign

    /// Makes a signer from a closure.
    ///
    /// - Parameters:
    ///   - summary: A short name of the scheme.
    ///   - sign: Signs a request.
    public init(_ summary: String, sign: @escaping Sign) {
        self.summary = summary
        self.sign = sign
    }

    /// Calls the closure.
    ///
    /// - Throws: Rethrows the closure's error.
    public func sign(_ request: inout Request, for origin: Origin) async throws {
        try await sign(&request, origin)
    }
}

extension RequestSigner where Self == ClosureSigner {
    /// A custom scheme, as a closure.
    ///
    /// ```swift
    /// SigningMiddleware(
    ///     .closure("partner's scheme") { request, origin in
    ///         request.headers[.authorization] = try await vault.signature(of: request.url)
    ///         request.bindFields([.authorization], to: origin)
    ///     },
    ///     for: "https://partner.example.com"
    /// )
    /// ```
    ///
    /// - Parameters:
    ///   - summary: A short name of the scheme.
    ///   - sign: Signs a request.
    public static func closure(_ summary: String, sign: @escaping ClosureSigner.Sign) -> ClosureSigner {
        ClosureSigner(summary, sign: sign)
    }
}
