public import HTTPChainCore

/// A way to sign requests: ``MessageSigner``, ``AWSSigner``, ``WebhookSigner``, ``HMACSigner``, or one of your own.
///
/// A signer is asked for each attempt and hop anew, after all other stages have done what they do to the request.
public protocol RequestSigner: Sendable {
    /// The scheme in a few words, for ``/HTTPChainCore/Chain/explain()``.
    var summary: String { get }

    /// The settings of the signer, for ``/HTTPChainCore/Chain/explain()``; never a secret. Nothing by default.
    var settings: [StageSummary.Setting] { get }

    /// Whether it waits for nothing but the request's body, or within ``/HTTPChainCore/Request/withinDeadline(_:)``;
    /// `false` by default.
    var keepsDeadlines: Bool { get }

    /// Whether ``wantsToSignAgain(after:from:)`` is to be asked, for which the request is kept; `false` by default.
    var looksAtResponses: Bool { get }

    /// Signs a request: adds the fields that carry the signature.
    ///
    /// ``/HTTPChainCore/Request/bindFields(_:to:)`` keeps them from another origin and out of logs.
    ///
    /// - Parameters:
    ///   - request: The request as it will be sent; its target is absolute.
    ///   - origin: Where it goes.
    /// - Throws: What ends the attempt.
    func sign(_ request: inout Request, for origin: Origin) async throws

    /// Looks at a response to a request that it signed, before anything else is done with it; by default it does not.
    ///
    /// - Returns: Whether the request is to be signed anew and sent again, as the server asks for another signature.
    ///   That happens once, and only where the body can be read again.
    func wantsToSignAgain(after response: Response, from origin: Origin) -> Bool

    /// Returns the problems with its place in a chain, beyond those of every signer; by default nothing.
    ///
    /// - Parameters:
    ///   - stage: The name of the stage that holds it.
    ///   - place: The stages around it.
    func problems(of stage: String, at place: ChainPlace) -> [ChainProblem]
}

extension RequestSigner {
    /// Nothing to tell.
    public var settings: [StageSummary.Setting] { [] }

    /// It may wait for a machine that knows of no deadline.
    public var keepsDeadlines: Bool { false }

    /// It does not.
    public var looksAtResponses: Bool { false }

    /// Once is enough.
    public func wantsToSignAgain(after response: Response, from origin: Origin) -> Bool { false }

    /// Nothing wrong.
    public func problems(of stage: String, at place: ChainPlace) -> [ChainProblem] { [] }
}

/// A signer that is a closure.
public struct ClosureSigner: RequestSigner {
    /// A closure that signs a request; see ``RequestSigner/sign(_:for:)``.
    public typealias Sign = @Sendable (_ request: inout Request, _ origin: Origin) async throws -> Void

    /// The scheme in a few words.
    public let summary: String
    private let sign: Sign

    /// Makes a signer of a closure.
    ///
    /// - Parameters:
    ///   - summary: The scheme in a few words.
    ///   - sign: Signs a request.
    public init(_ summary: String, sign: @escaping Sign) {
        self.summary = summary
        self.sign = sign
    }

    /// Has the closure sign.
    ///
    /// - Throws: What the closure throws.
    public func sign(_ request: inout Request, for origin: Origin) async throws {
        try await sign(&request, origin)
    }
}

extension RequestSigner where Self == ClosureSigner {
    /// A scheme of your own, as a closure.
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
    ///   - summary: The scheme in a few words.
    ///   - sign: Signs a request.
    public static func closure(_ summary: String, sign: @escaping ClosureSigner.Sign) -> ClosureSigner {
        ClosureSigner(summary, sign: sign)
    }
}
