public import HTTPChainCore
import HTTPTypes

/// Completes the URL of each request: base, path variables, templates, query parameters.
///
/// ```swift
/// let chain = try Chain(transport: URLSessionTransport()) {
///     URLBuilderMiddleware(base: "https://api.example.com/v2")
/// }
/// let user = try await chain.send(.get("users/{id}", path: ["id": 42]), as: User.self)
/// let hits = try await chain.send(.get("search", query: ["q": "swift", "page": 2]))
/// ```
///
/// **Base.** A relative reference is appended to the base's path, with or without a slash at its beginning, and its
/// query comes after the base's. A URL with a host, as `https://other.example/a` and `//other.example/a` are, passes
/// through, unless `leavesOrigin:` is `.refused` and its origin is not the base's.
///
/// **Variables.** `{id}` and all of RFC 6570 (``URITemplate``), `:id` at the beginning of a segment, and `%%0%%` by
/// position. A variable that stands alone (`{id}`, `{+path}`, `:id`) needs a value; those behind an operator that brings
/// its own delimiter (`{?page}`, `{/section}`) vanish without one. Values are percent-encoded, and none may bring a
/// host, a dot segment or, outside the query, a control character. In a host, a variable may be the left part
/// (`https://{tenant}.example.com`) or the port.
///
/// **Encoding.** What you write stays as you wrote it: only characters that no URL may hold are percent-encoded, and
/// triplets such as `%2F` are kept. Query parameters are written by a ``HTTPChainCore/ParameterEncoder``. A fragment is kept off the wire.
///
/// **Hosts** that are internationalised become A-labels (`bücher.example`: `xn--bcher-kva.example`) by Foundation's
/// IDNA, which is UTS #46, non-transitional.
///
/// **A builder of one's own** (``URLBuilding``) is given to the stage, or to one call with
/// ``HTTPChainCore/Request/url(builtBy:)``.
///
/// A call sets ``URLArgumentsOption``, mostly through the conveniences of ``HTTPChainCore/Request``; the stage takes it
/// out, so nothing inside sees it. It throws ``URLBuilderError``, which names the variable at fault.
public struct URLBuilderMiddleware: ChainAwareMiddleware, DeadlineKeepingMiddleware {
    private let base: String?
    private let encoder: ParameterEncoder
    private let syntax: URLVariableSyntax
    private let leavesOrigin: LeavesOrigin
    private let builder: Result<URLBuilder, URLBuilderError>
    private let custom: (any URLBuilding)?

    private init(
        base: String?,
        encoder: ParameterEncoder,
        syntax: URLVariableSyntax,
        leavesOrigin: LeavesOrigin,
        custom: (any URLBuilding)?
    ) {
        self.base = base
        self.encoder = encoder
        self.syntax = syntax
        self.leavesOrigin = leavesOrigin
        self.custom = custom
        builder = Result { () throws(URLBuilderError) in
            try URLBuilder(base: base, encoder: encoder, syntax: syntax, leavesOrigin: leavesOrigin)
        }
    }

    /// Makes the stage.
    ///
    /// A base that is not an absolute http or https URL is a problem that a chain refuses to be built with; used
    /// outside a checked chain, the stage throws it for each request.
    ///
    /// - Parameters:
    ///   - base: What relative references are joined with: scheme, host, and where wanted a path and a query.
    ///   - encoder: How query parameters are written, and truth values and dates in path variables.
    ///   - syntax: Which notations for variables there are; all by default.
    ///   - leavesOrigin: Whether a URL may be on another origin than the base; it may by default, as a complete URL
    ///     replaces the base in most clients. ``LeavesOrigin/refused`` is for references that come from data.
    public init(
        base: String,
        encoder: ParameterEncoder = ParameterEncoder(),
        syntax: URLVariableSyntax = .all,
        leavesOrigin: LeavesOrigin = .allowed
    ) {
        self.init(base: base, encoder: encoder, syntax: syntax, leavesOrigin: leavesOrigin, custom: nil)
    }

    /// Makes the stage with a builder of your own.
    ///
    /// - Parameters:
    ///   - base: What relative results are joined with; `nil` when the builder gives absolute URLs.
    ///   - encoder: How ``URLBuildingCall/standardURL(base:reference:)`` writes query parameters.
    ///   - syntax: Which notations for variables it looks for.
    ///   - builder: Builds the URL of each call.
    public init(
        base: String? = nil,
        encoder: ParameterEncoder = ParameterEncoder(),
        syntax: URLVariableSyntax = .all,
        builder: some URLBuilding
    ) {
        self.init(base: base, encoder: encoder, syntax: syntax, leavesOrigin: .allowed, custom: builder)
    }

    /// Makes the stage with a closure that builds the URL of each call.
    ///
    /// - Parameters:
    ///   - base: What relative results are joined with; `nil` when the closure gives absolute URLs.
    ///   - encoder: How ``URLBuildingCall/standardURL(base:reference:)`` writes query parameters.
    ///   - syntax: Which notations for variables it looks for.
    ///   - build: Builds the URL, as ``URLBuilding/url(for:)`` says.
    public init(
        base: String? = nil,
        encoder: ParameterEncoder = ParameterEncoder(),
        syntax: URLVariableSyntax = .all,
        build: @escaping @Sendable (_ call: URLBuildingCall) async throws -> String
    ) {
        self.init(
            base: base,
            encoder: encoder,
            syntax: syntax,
            leavesOrigin: .allowed,
            custom: ClosureURLBuilding(build: build)
        )
    }

    /// ``/HTTPChainCore/Phase/build``: what follows may repeat the request, which must be complete by then.
    public var phase: Phase { .build }

    /// The base and how URLs are written, secrets redacted.
    public var summary: StageSummary {
        var summary = StageSummary(
            "URLBuilderMiddleware",
            purpose: "completes URLs",
            settings: [
                "base": base.map { Redaction.standard.url($0) } ?? "none",
                "variables": "\(syntax)",
                "arrays": "\(encoder.arrays)",
            ]
        )
        if leavesOrigin == .refused {
            summary.settings += StageSummary("", settings: ["leaves origin": "refused"]).settings
        }
        if let custom {
            let name = custom is ClosureURLBuilding ? "closure" : StageSummary.name(of: type(of: custom))
            summary.settings += StageSummary("", settings: ["builder": name]).settings
        }
        return summary
    }

    /// A base that is not an absolute http or https URL.
    public func problems(at place: ChainPlace) -> [ChainProblem] {
        guard case .failure(let error) = builder, case .invalidBase(let base, let reason) = error.problem else {
            return []
        }
        return [
            ChainProblem(
                stage: "URLBuilderMiddleware",
                problem: "URLBuilderMiddleware cannot use the base \"\(base)\": \(reason)",
                fix: "give an absolute http or https URL, such as \"https://api.example.com/v2\""
            )
        ]
    }

    /// Completes the request's URL and passes it on.
    public func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        let arguments = request.options[URLArgumentsOption.self]
        var template: String?
        do {
            let builder = try builder.get()
            if let custom = arguments?.builder ?? custom {
                let call = URLBuildingCall(
                    method: request.head.method,
                    reference: request.url,
                    arguments: arguments ?? URLArguments(),
                    options: request.options,
                    standard: builder
                )
                let url = try await request.withinDeadline { try await custom.url(for: call) }
                var complete = URLArguments(syntax: [])
                complete.leavesOrigin = .allowed
                request.url = try builder.url(url, complete)
            } else {
                if request.isRecorded { template = builder.template(of: request.head, arguments) }
                try builder.build(&request.head, arguments)
            }
        } catch let error as URLBuilderError where error.exchange == nil {
            let redaction = request.redaction
            throw URLBuilderError(
                error,
                in: ExchangeSnapshot(request.head, redaction: redaction),
                redaction: redaction
            )
        }
        if arguments != nil { request.options.remove(URLArgumentsOption.self) }
        request.noteTarget(madeOf: template)
        return try await next(request)
    }
}
