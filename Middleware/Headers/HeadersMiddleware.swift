public import HTTPChainCore
public import HTTPTypes

/// Sets shared header fields, and those of each call.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     HeadersMiddleware([.accept: "application/json", .userAgent: "Garden/1.2"])
///     HeadersMiddleware([
///         .default(.acceptLanguage, to: "en"),
///         .set("X-Tenant") { request in request.options[Tenant.self] },
///         .set("X-Trace", template: "{app}-%%0%%"),
///         .set("X-Api-Key", to: key).only(to: "https://api.example.com"),
///         .remove("X-Debug"),
///     ])
/// }
/// let response = try await chain.send(.get("https://api.example.com/plants").headers(.set(.acceptLanguage, to: "de")))
/// ```
///
/// A dictionary of fields sets defaults: the call's own fields win, unless the precedence is ``Precedence/override``.
///
/// The operations (set, append, remove, and default for a field without a value) are applied in order. Values are
/// fixed, built from the call's parameters, or computed by a closure from the request. A field can be limited to one
/// origin, so that no other server receives it, even after a redirect.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/build``. If a field is limited to an origin, the stage must be inside the
/// one that completes URLs.
///
/// **Options.** ``HTTPChainCore/Request/headers(_:)`` adds operations for one call, after the shared ones. They can
/// replace, extend or remove a shared field.
///
/// **Errors.** ``HeadersError`` names the field or the parameter. Names, fixed values and origins are checked when the
/// chain is built; if one is invalid, `ChainOrderError` is thrown. A stage used without a chain throws for each call.
public struct HeadersMiddleware: ChainAwareMiddleware, DeadlineKeepingMiddleware, BuiltInStage {
    let operations: [HeaderOperation]
    /// The operations if none depends on the request, that is, if there are no closures, origins or mistakes.
    private let fixed: FixedOperations?
    /// The options that the stage reads.
    ///
    /// Parameters and variables are included only if there is a template.
    package let stageOptions: [any RequestOption.Type]

    /// The value that is used if both the call and the stage have a field.
    public enum Precedence: Sendable, Hashable {
        /// The call's value; the stage's is a default.
        case call
        /// The stage's value, which replaces the call's.
        case override
    }

    /// Sets fields on each request.
    ///
    /// A repeated name sets several values.
    ///
    /// The call's own fields are kept, unless `precedence` says otherwise.
    ///
    /// - Parameters:
    ///   - fields: The names and values.
    ///   - precedence: The precedence for fields that the call already has. Defaults to the call's.
    ///   - origin: The only origin that receives the fields, such as `"https://api.example.com"`, or `nil` for any.
    public init(
        _ fields: KeyValuePairs<HTTPField.Name, String>,
        _ precedence: Precedence = .call,
        onlyTo origin: String? = nil
    ) {
        self.init(Self.operations(fields.map { ($0.rawName, $1) }, precedence, onlyTo: origin))
    }

    /// Sets fields, named by text, on each request.
    ///
    /// A repeated name sets several values.
    ///
    /// - Parameters:
    ///   - fields: The names and values.
    ///   - precedence: The precedence for fields that the call already has. Defaults to the call's.
    ///   - origin: The only origin that receives the fields, such as `"https://api.example.com"`, or `nil` for any.
    public init(
        _ fields: KeyValuePairs<String, String>,
        _ precedence: Precedence = .call,
        onlyTo origin: String? = nil
    ) {
        self.init(Self.operations(fields.map { ($0, $1) }, precedence, onlyTo: origin))
    }

    /// Applies operations in order.
    ///
    /// - Parameters:
    ///   - operations: The changes to each request's fields. Without any, the default, the stage applies only those of
    ///     calls.
    public init(_ operations: [HeaderOperation] = []) {
        self.operations = operations
        let fixed = operations.compactMap { $0.origin == nil ? FixedOperation($0) : nil }
        self.fixed = fixed.count == operations.count ? FixedOperations(fixed) : nil
        let hasTemplate = operations.contains(where: \.readsParameters)
        stageOptions =
            hasTemplate
            ? [HeadersOption.self, HeaderParametersOption.self, CallVariablesNote.self] : [HeadersOption.self]
    }

    private static func operations(
        _ fields: [(name: String, value: String)],
        _ precedence: Precedence,
        onlyTo origin: String?
    ) -> [HeaderOperation] {
        let values = Dictionary(grouping: fields) { $0.name.lowercased() }
        var known: Set<String> = []
        return fields.map(\.name).filter { known.insert($0.lowercased()).inserted }.map { name in
            let own = values[name.lowercased()]?.map(\.value) ?? []
            let operation = HeaderOperation.several(precedence == .override ? .set : .setIfAbsent, name, own)
            return origin.map { operation.only(to: $0) } ?? operation
        }
    }

    /// Together with the other stages that complete the request.
    package var stagePhase: Phase { .build }

    /// The operations in order, with secrets and values limited to an origin redacted.
    package var stageSummary: StageSummary {
        var summary = StageSummary("HeadersMiddleware", purpose: "sets header fields")
        summary.settings = operations.map { operation in
            let place = operation.origin.map { " (only to \($0))" } ?? ""
            // The value isn't shown next to the name, which identifies secret values.
            let isPlain = operation.action == .set || operation.action == .remove
            let action = isPlain ? "" : " (\(operation.action.rawValue))"
            return StageSummary.Setting(name: operation.name, value: shownValue(of: operation) + action + place)
        }
        return summary
    }

    private func shownValue(of operation: HeaderOperation) -> String {
        switch operation.source {
        case .fixed(let field):
            operation.origin == nil
                ? ([field] + operation.others).map { Redaction.standard.value(of: $0) }.joined(separator: ", ")
                : Redaction.placeholder
        case .computed: "made for each call"
        case .removal: "removed"
        case .invalid: "invalid"
        }
    }

    /// Returns problems with invalid names, values and origins.
    package func stageProblems(at place: ChainPlace) -> [ChainProblem] {
        operations.compactMap(\.problem).map { problem in
            ChainProblem(stage: summary.name, problem: problem.description, fix: problem.fix)
        }
    }

    /// Changes the fields and passes the request on.
    ///
    /// - Throws: ``HeadersError``; rethrows errors of the inner stages.
    @inline(__always)  // Into the protocol's witness, which saves each call a frame.
    public nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        let isForOneCall = request.options.contains(HeadersOption.self)
        if let fixed, !isForOneCall {
            try fixed.apply(to: &request.head.headerFields)
        } else {
            if request.options.contains(HeaderParametersOption.self) { try refuseUnusedParameters(of: &request, next) }
            try await edit(&request, isForOneCall: isForOneCall)
        }
        return try await next(request)
    }

    /// Refuses parameters of a call that don't occur in any template of this stage, the call, or the inner stages.
    ///
    /// The outermost stage with a template does this for all of them.
    private func refuseUnusedParameters(of request: inout Request, _ next: Next) throws(HeadersError) {
        let parameters = request.options[HeaderParametersOption.self]
        if parameters.areChecked { return }
        request.options[HeaderParametersOption.self].areChecked = true
        var templates = (operations + request.options[HeadersOption.self]).compactMap(\.template)
        for stage in next.innerStages {
            if let stage = stage as? HeadersMiddleware {
                templates += stage.operations.compactMap(\.template)
            } else if stage.leadsToTemplates {
                return
            }
        }
        let names = Set(templates.flatMap(\.names))
        let count = (templates.flatMap(\.positions).max() ?? -1) + 1
        var unused = parameters.named.keys.filter { !names.contains($0) }.sorted()
        if parameters.positional.count > count { unused.append("%%\(count)%%") }
        guard let first = unused.first else { return }
        throw HeadersError(
            .unusedParameter(first, templates: names.sorted() + (0..<count).map { "%%\($0)%%" }),
            exchange: ExchangeSnapshot(request.head, redaction: request.redaction)
        )
    }
}

extension Middleware {
    /// Whether requests can reach templates that can't be listed here, because they are in a branch or behind a
    /// transport.
    fileprivate var leadsToTemplates: Bool {
        let branches = (self as? any BranchingMiddleware)?.branches ?? []
        return (optionsRead + branches.flatMap(\.optionsRead)).contains { $0 == HeaderParametersOption.self }
    }
}

extension HeadersMiddleware: RedactedDisplay, DescribedValue {
    /// The `summary` as text, with secrets redacted.
    package var words: String { summary.description }
}
