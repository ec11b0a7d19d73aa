public import HTTPChainCore
public import HTTPTypes

/// Gives requests their shared header fields, and each call its own.
///
/// ```swift
/// let chain = try Chain(transport: transport) {
///     HeadersMiddleware([.accept: "application/json", .userAgent: "Garden/1.2"])
///     HeadersMiddleware(
///         .default(.acceptLanguage, to: "en"),
///         .set("X-Tenant") { request in request.options[Tenant.self] },
///         .set("X-Api-Key", to: key).only(to: "https://api.example.com"),
///         .remove("X-Debug")
///     )
/// }
/// let response = try await chain.send(.get("https://api.example.com/plants").headers(.set(.acceptLanguage, to: "de")))
/// ```
///
/// The operations are carried out in order: set, append, remove, and default for a field that has no value yet.
/// Values are fixed, or made for each call by a closure that sees the request and the parameters in its options. A
/// field may be bound to one origin; no other server gets it, not by a redirect either.
///
/// **Place.** Phase ``Phase/build``; inside the stage that completes URLs when a field is bound to an origin.
///
/// **Options.** ``CallHeaders`` (in short ``HTTPChainCore/Request/headers(_:)``) adds operations for one call, after
/// the shared ones: it can replace a shared field, add to it, or remove it.
///
/// **Errors.** ``HeadersError`` names the field. Names, fixed values and origins are checked when the chain is built,
/// which throws `ChainOrderError`; a stage that is used alone throws for each call.
public struct HeadersMiddleware: ChainAwareMiddleware, DeadlineKeepingMiddleware {
    private let operations: [HeaderOperation]
    /// The operations when there is nothing to find out about a request: no closure, no origin, no mistake.
    private let fixed: [FixedOperation]?

    /// Sets fields, each with the one value given; a name that is given again gets both values.
    ///
    /// - Parameters:
    ///   - fields: Names and values.
    ///   - origin: The only origin that is sent the fields, such as `"https://api.example.com"`; any when `nil`.
    public init(
        _ fields: KeyValuePairs<HTTPField.Name, String>,
        onlyTo origin: String? = nil
    ) {
        self.init(named: fields.map { ($0.rawName, $1) }, onlyTo: origin)
    }

    /// Sets fields whose names are text, each with the one value given; a name that is given again gets both values.
    ///
    /// - Parameters:
    ///   - fields: Names and values.
    ///   - origin: The only origin that is sent the fields, such as `"https://api.example.com"`; any when `nil`.
    public init(
        _ fields: KeyValuePairs<String, String>,
        onlyTo origin: String? = nil
    ) {
        self.init(named: fields.map { ($0, $1) }, onlyTo: origin)
    }

    /// Carries out operations in order.
    public init(_ operations: HeaderOperation...) {
        self.init(operations)
    }

    /// Carries out operations in order.
    ///
    /// - Parameters:
    ///   - operations: What to do to the fields of each request; none for a stage that only serves ``CallHeaders``.
    public init(_ operations: [HeaderOperation]) {
        self.operations = operations
        let fixed = operations.compactMap(FixedOperation.init)
        self.fixed = fixed.count == operations.count ? fixed : nil
    }

    private init(named fields: [(String, String)], onlyTo origin: String?) {
        var seen: Set<String> = []
        let operations = fields.map { name, value in
            let operation = HeaderOperation(seen.insert(name.lowercased()).inserted ? .set : .append, name, value)
            return origin.map { operation.only(to: $0) } ?? operation
        }
        self.init(operations)
    }

    /// With what else makes the request complete.
    public var phase: Phase { .build }

    /// The operations in order; secrets, and what is bound to an origin, redacted.
    public var summary: StageSummary {
        var summary = StageSummary("HeadersMiddleware", purpose: "sets header fields")
        summary.settings = operations.map { operation in
            let place = operation.origin.map { " (only to \($0))" } ?? ""
            let action = operation.action == .set ? "" : "\(operation.action.rawValue) "
            return StageSummary.Setting(name: action + operation.name, value: shownValue(of: operation) + place)
        }
        return summary
    }

    private func shownValue(of operation: HeaderOperation) -> String {
        switch operation.source {
        case .fixed(let field): operation.origin == nil ? Redaction.standard.value(of: field) : Redaction.placeholder
        case .computed: "made for each call"
        case .removal: "always"
        case .invalid: "invalid"
        }
    }

    /// Names, values and origins that are invalid.
    public func problems(at place: ChainPlace) -> [ChainProblem] {
        operations.compactMap(\.problem).map { problem in
            ChainProblem(stage: summary.name, problem: problem.description, fix: problem.fix)
        }
    }

    /// Changes the fields and passes the request on.
    ///
    /// - Throws: ``HeadersError``; what the stages inside throw.
    public func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        let isForOneCall = request.options.contains(CallHeaders.self)
        if let fixed, !isForOneCall {
            try fixed.apply(to: &request.head.headerFields)
        } else {
            try await FieldEditor(operations).edit(&request, isForOneCall: isForOneCall)
        }
        return try await next(request)
    }
}
