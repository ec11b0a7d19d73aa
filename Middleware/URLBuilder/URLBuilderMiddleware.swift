public import Foundation
public import HTTPChainCore
import HTTPTypes

/// Completes the URL of each request with the base, path variables, templates, and query parameters.
///
/// ```swift
/// let chain = try Chain(transport: URLSessionTransport()) {
///     URLBuilderMiddleware(base: "https://api.example.com/v2")
/// }
/// let user = try await chain.send(.get("users/{id}", path: ["id": 42]), as: User.self)
/// let hits = try await chain.send(.get("search", query: ["q": "swift", "page": 2]))
/// ```
///
/// **Base.** A relative reference, with or without a leading slash, is appended to the base's path, and its query to
/// the base's query. A URL with a host, such as `https://other.example/a` or `//other.example/a`, is used unchanged,
/// unless `leavesOrigin:` is `.refused` and its origin isn't that of the base.
///
/// **Variables.** There are `{id}` and all of RFC 6570 (``URITemplate``), `:id` at the beginning of a segment, and
/// `%%0%%` by position. A plain variable (`{id}`, `{+path}`, `:id`) requires a value. A variable with an operator that
/// adds its own delimiter (`{?page}`, `{/section}`) is removed if it has no value. Values are percent-encoded, and must
/// not contain a host, a dot segment or, outside the query, a control character. In a host, a variable may be the left
/// part (`https://{tenant}.example.com`) or the port. A value that isn't used by a variable of the URL is refused.
///
/// **Encoding.** Literal text is kept, including triplets such as `%2F`. Only characters that are invalid in a path or
/// query, such as spaces and square brackets, are percent-encoded. A ``/HTTPChainCore/ParameterEncoder`` encodes query
/// parameters. Fragments aren't sent.
///
/// **Hosts.** Internationalized hosts are converted to A-labels (`bücher.example` to `xn--bcher-kva.example`) by
/// Foundation's IDNA, which is UTS #46, non-transitional.
///
/// **Custom builders** (``URLBuilding``) are passed to the stage, or to a single call with
/// ``HTTPChainCore/Request/url(builtBy:)``.
///
/// **Options.** The methods of ``HTTPChainCore/Request`` set a call's arguments. The stage removes them, so that inner
/// stages don't see them.
///
/// **Errors.** ``URLBuilderError``, which contains the name of the variable that caused it.
public struct URLBuilderMiddleware: BuiltInStage {
    private let base: String?
    private let encoder: ParameterEncoder
    private let syntax: VariableNotations
    private let leavesOrigin: LeavesOrigin
    private let builder: Result<URLBuilder, URLBuilderError>
    private let custom: (any URLBuilding)?
    private let options: [any RequestOption.Type]

    /// Makes the stage.
    ///
    /// If the base isn't an absolute http or https URL, `Chain.init` throws. Outside a checked chain, the stage throws
    /// for each request.
    ///
    /// - Parameters:
    ///   - base: The URL to which relative references are appended: a scheme, a host, and optionally a path and a
    ///     query. Defaults to none, for a custom builder that returns absolute URLs, or for calls with absolute URLs.
    ///   - encoder: The encoder for query parameters, and for Booleans and dates in path variables.
    ///   - syntax: The notations for variables; all by default.
    ///   - leavesOrigin: Whether a URL may have an origin other than the base's. By default, it may, because a complete
    ///     URL replaces the base in most clients. Use ``LeavesOrigin/refused`` if references come from data. A custom
    ///     builder's own URLs aren't checked.
    ///   - builder: Builds the URL of each call. By default, the stage builds it.
    public init(
        base: String? = nil,
        encoder: ParameterEncoder = ParameterEncoder(),
        syntax: Set<URLVariableSyntax> = Set(URLVariableSyntax.allCases),
        leavesOrigin: LeavesOrigin = .allowed,
        builder: (any URLBuilding)? = nil
    ) {
        self.base = base
        self.encoder = encoder
        self.syntax = VariableNotations(syntax)
        self.leavesOrigin = leavesOrigin
        custom = builder
        options = builder == nil ? [URLArgumentsOption.self] : [URLArgumentsOption.self, CustomBuilderOption.self]
        self.builder = Result { () throws(URLBuilderError) in
            try URLBuilder(base: base, encoder: encoder, syntax: syntax, leavesOrigin: leavesOrigin)
        }
    }

    /// Makes the stage with a Foundation base URL.
    public init(
        base: URL,
        encoder: ParameterEncoder = ParameterEncoder(),
        syntax: Set<URLVariableSyntax> = Set(URLVariableSyntax.allCases),
        leavesOrigin: LeavesOrigin = .allowed
    ) {
        self.init(base: base.absoluteString, encoder: encoder, syntax: syntax, leavesOrigin: leavesOrigin)
    }

    /// Makes the stage with a closure that builds the URL of each call.
    ///
    /// - Parameters:
    ///   - base: The URL to which relative results are appended, or `nil` if the closure returns absolute URLs.
    ///   - encoder: The encoder for query parameters in ``URLBuildingCall/standardURL(base:reference:)``.
    ///   - syntax: The notations for variables that ``URLBuildingCall/standardURL(base:reference:)`` recognizes.
    ///   - build: Builds the URL, like ``URLBuilding/url(for:)``.
    public init(
        base: String? = nil,
        encoder: ParameterEncoder = ParameterEncoder(),
        syntax: Set<URLVariableSyntax> = Set(URLVariableSyntax.allCases),
        build: @escaping @Sendable (_ call: URLBuildingCall) async throws -> String
    ) {
        self.init(base: base, encoder: encoder, syntax: syntax, builder: ClosureURLBuilding(build: build))
    }

    /// ``/HTTPChainCore/Phase/build``: inner stages may retry the request, so it must be complete by then.
    package var stagePhase: Phase { .build }

    package var stageOptions: [any RequestOption.Type] { options }

    /// The base and the URL settings, with secrets redacted.
    package var stageSummary: StageSummary {
        let name = custom.map { $0 is ClosureURLBuilding ? "closure" : StageSummary.name(of: type(of: $0)) }
        return StageSummary(
            "URLBuilderMiddleware",
            purpose: "completes URLs",
            settings: [
                "base": base.map { Redaction.standard.url($0) } ?? "none",
                "variables": syntax.examples,
                "arrays": "\(encoder.arrays)",
            ]
        )
        .adding("leaves origin", leavesOrigin == .refused ? "refused" : nil)
        .adding("builder", name)
    }

    /// Reports a base that isn't an absolute http or https URL.
    ///
    /// Also reports an inner stage that sends requests to a chain whose base is ignored because the requests are
    /// already complete. Warns about an inner builder whose base is ignored for the same reason.
    package func stageProblems(at place: ChainPlace) -> [ChainProblem] {
        let inner = place.inside + place.nested
        let ignored = inner.flatMap { problems(of: $0) } + inner.compactMap { warning(about: $0) }
        guard case .failure(let error) = builder, case .invalidBase(let base, let reason) = error.problem else {
            return ignored
        }
        return ignored + [
            ChainProblem(
                stage: "URLBuilderMiddleware",
                problem: "URLBuilderMiddleware cannot use the base \"\(base)\": \(reason)",
                fix: "give an absolute http or https URL, such as \"https://api.example.com/v2\""
            )
        ]
    }

    /// Returns a warning about an inner builder that never uses its base, not even to refuse other origins.
    private func warning(about inner: any Middleware) -> ChainProblem? {
        guard base != nil, let other = inner as? URLBuilderMiddleware, other.custom == nil,
            other.leavesOrigin == .allowed, let ignored = other.base, ignored != base
        else { return nil }
        return ChainProblem(
            stage: "URLBuilderMiddleware",
            problem:
                "URLBuilderMiddleware has no use for its base \"\(Redaction.standard.url(ignored))\", because another "
                + "URLBuilderMiddleware outside it has completed the URLs",
            fix: "remove one of the two, or its base",
            severity: .warning
        )
    }

    private func problems(of inner: any Middleware) -> [ChainProblem] {
        guard let branches = (inner as? any BranchingMiddleware)?.branches else { return [] }
        let name = inner.summary.name
        // A custom builder may change a URL that is already complete.
        return branches.compactMap { branch in
            guard
                let other = Chain.stages(in: branch).lazy.compactMap({ $0 as? URLBuilderMiddleware }).first,
                other.custom == nil, let ignored = other.base, ignored != base
            else { return nil }
            return ChainProblem(
                stage: name,
                problem:
                    "\(name) sends requests to a chain with the base \"\(Redaction.standard.url(ignored))\", which they "
                    + "ignore, because URLBuilderMiddleware outside \(name) has completed their URLs",
                fix: "move \(name) above URLBuilderMiddleware"
            )
        }
    }

    /// Completes the request's URL and passes it on.
    @inline(__always)  // Into the protocol's witness, which saves each call a frame.
    public nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        let hasArguments = request.options.contains(URLArgumentsOption.self)
        let arguments = hasArguments ? request.urlArguments : .none
        var template: String?
        do {
            let builder = try builder.get()
            // Most calls have no custom builder. For these, nothing is copied.
            if custom != nil || arguments.builder != nil, let custom = arguments.builder ?? custom {
                let call = URLBuildingCall(
                    method: request.head.method,
                    reference: request.url,
                    arguments: arguments,
                    options: request.options,
                    standard: builder
                )
                let url = try await request.withinDeadline { try await custom.url(for: call) }
                var complete = URLArguments(syntax: [])
                complete.leavesOrigin = .allowed
                complete.replacements = arguments.replacements
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
        if hasArguments {
            request.options.remove(URLArgumentsOption.self)
            if !arguments.reservedValues.isEmpty { request.options.remove(CustomBuilderOption.self) }
        }
        request.noteTarget(madeOf: template)
        return try await next(request)
    }
}

extension URLBuilderMiddleware: RedactedDisplay, DescribedValue {
    /// The same as the `summary`, with secrets redacted.
    package var words: String { summary.description }
}
