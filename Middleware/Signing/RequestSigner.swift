public import HTTPChainCore

/// A scheme for signing requests: one of this module (``BuiltInSigner``, ``AWSSigner``), or a custom one.
///
/// A signer is called for each attempt and each hop, after all outer stages have changed the request.
public protocol RequestSigner: Sendable {
    /// A short name of the scheme, for ``/HTTPChainCore/Chain/explain()``.
    var summary: String { get }

    /// Signs a request by adding the fields of the signature.
    ///
    /// Use ``/HTTPChainCore/Request/bindFields(_:to:)`` to prevent them from being sent to other origins or logged.
    ///
    /// - Parameters:
    ///   - request: The request as it will be sent, with an absolute target.
    ///   - origin: The origin of the request.
    /// - Throws: Any error, which ends the attempt.
    func sign(_ request: inout Request, for origin: Origin) async throws
}

/// A signer of this package.
///
/// Outside the package, only the members of ``RequestSigner`` are visible.
package protocol BuiltInRequestSigner: RequestSigner {
    /// A short name of the scheme.
    var schemeSummary: String { get }
    /// Signs a request by adding the fields of the signature.
    func addSignature(to request: inout Request, for origin: Origin) async throws
}

extension BuiltInRequestSigner {
    /// A short name of the scheme.
    public var summary: String { schemeSummary }
    /// Signs a request by adding the fields of the signature.
    public func sign(_ request: inout Request, for origin: Origin) async throws {
        try await addSignature(to: &request, for: origin)
    }
}

/// A signer of this package, with additional members that a stage needs.
package protocol SignatureScheme: BuiltInRequestSigner {
    /// The signer's settings, for ``/HTTPChainCore/Chain/explain()``, without secrets.
    var settings: [StageSummary.Setting] { get }

    /// The options of a request that the signer reads.
    var optionsRead: [any RequestOption.Type] { get }

    /// Whether the signer waits only for the request's body, or within ``/HTTPChainCore/Request/withinDeadline(_:)``.
    var keepsDeadlines: Bool { get }

    /// Whether ``wantsToSignAgain(after:from:)`` is called, which requires keeping the request.
    var looksAtResponses: Bool { get }

    /// Returns whether to sign the request again and retry it, because the server requires another signature.
    ///
    /// This is called with the response to a signed request, before it is processed further. The request is retried
    /// once, and only if its body can be read again.
    func wantsToSignAgain(after response: Response, from origin: Origin) -> Bool

    /// Returns problems with the signer's place in a chain, in addition to those that apply to all signers.
    ///
    /// - Parameters:
    ///   - stage: The name of the stage that contains the signer.
    ///   - place: The surrounding stages.
    func problems(of stage: String, at place: ChainPlace) -> [ChainProblem]
}

extension SignatureScheme {
    package var settings: [StageSummary.Setting] { [] }
    package var optionsRead: [any RequestOption.Type] { [] }
    package var keepsDeadlines: Bool { false }
    package var looksAtResponses: Bool { false }

    package func wantsToSignAgain(after response: Response, from origin: Origin) -> Bool { false }

    package func problems(of stage: String, at place: ChainPlace) -> [ChainProblem] { [] }
}

/// A signer of this module: `.messageSignature`, `.webhook`, `.hmac` or `.closure`.
///
/// It throws ``SigningError``, and rethrows errors of the closure and from reading the content.
public struct BuiltInSigner: RequestSigner, BuiltInRequestSigner {
    package let scheme: any SignatureScheme

    package var schemeSummary: String { scheme.schemeSummary }

    package func addSignature(to request: inout Request, for origin: Origin) async throws {
        try await scheme.addSignature(to: &request, for: origin)
    }
}

/// A signer that calls a closure.
private struct ClosureSigner: SignatureScheme {
    let schemeSummary: String
    let apply: @Sendable (_ request: inout Request, _ origin: Origin) async throws -> Void

    var optionsRead: [any RequestOption.Type] { SigningMiddleware.optionsOfSigners }

    func addSignature(to request: inout Request, for origin: Origin) async throws {
        try await apply(&request, origin)
    }
}

extension RequestSigner where Self == BuiltInSigner {
    /// A custom scheme as a closure.
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
    public static func closure(
        _ summary: String,
        sign: @escaping @Sendable (_ request: inout Request, _ origin: Origin) async throws -> Void
    ) -> BuiltInSigner {
        BuiltInSigner(scheme: ClosureSigner(schemeSummary: summary, apply: sign))
    }
}
