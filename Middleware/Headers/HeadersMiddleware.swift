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
///         .set("X-Trace", template: "{app}-%%0%%"),
///         .set("X-Api-Key", to: key).only(to: "https://api.example.com"),
///         .remove("X-Debug")
///     )
/// }
/// let response = try await chain.send(.get("https://api.example.com/plants").headers(.set(.acceptLanguage, to: "de")))
/// ```
///
/// A dictionary of fields is a default: what a call brings itself wins, unless ``Precedence/override`` says otherwise.
///
/// The operations are carried out in order: set, append, remove, and default for a field that has no value yet.
/// Values are fixed, made of the parameters of the call (``HeaderParameters``), or made by a closure that sees the request. A
/// field may be bound to one origin; no other server gets it, not by a redirect either.
///
/// **Place.** Phase ``/HTTPChainCore/Phase/build``; inside the stage that completes URLs when a field is bound to an
/// origin.
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

    /// The value that wins where the call and the stage both bring a field.
    public enum Precedence: Sendable, Hashable {
        /// The call's: what the stage has is a default.
        case call
        /// The stage's, in the place of the call's.
        case override
    }

    /// Gives each request fields; a name that is given again has both values.
    ///
    /// A field that the call brings stays as the call has it, unless `precedence` says otherwise.
    ///
    /// - Parameters:
    ///   - fields: Names and values.
    ///   - precedence: What becomes of a field that the call has already; it stays by default.
    ///   - origin: The only origin that is sent the fields, such as `"https://api.example.com"`; any when `nil`.
    public init(
        _ fields: KeyValuePairs<HTTPField.Name, String>,
        _ precedence: Precedence = .call,
        onlyTo origin: String? = nil
    ) {
        self.init(named: fields.map { ($0.rawName, $1) }, precedence, onlyTo: origin)
    }

    /// Gives each request fields whose names are text; a name that is given again has both values.
    ///
    /// - Parameters:
    ///   - fields: Names and values.
    ///   - precedence: What becomes of a field that the call has already; it stays by default.
    ///   - origin: The only origin that is sent the fields, such as `"https://api.example.com"`; any when `nil`.
    public init(
        _ fields: KeyValuePairs<String, String>,
        _ precedence: Precedence = .call,
        onlyTo origin: String? = nil
    ) {
        self.init(named: fields.map { ($0, $1) }, precedence, onlyTo: origin)
    }

    /// Gives each request fields from a dictionary that was made at run time, in the order of their names.
    ///
    /// ```swift
    /// HeadersMiddleware(fields: configuration.headers)   // [String: String]
    /// ```
    ///
    /// - Parameters:
    ///   - fields: Names and values.
    ///   - precedence: What becomes of a field that the call has already; it stays by default.
    ///   - origin: The only origin that is sent the fields, such as `"https://api.example.com"`; any when `nil`.
    public init(
        fields: [String: String],
        _ precedence: Precedence = .call,
        onlyTo origin: String? = nil
    ) {
        self.init(named: fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }, precedence, onlyTo: origin)
    }

    /// Gives each request fields that are there as `HTTPFields`.
    ///
    /// - Parameters:
    ///   - fields: The fields; a name may occur again.
    ///   - precedence: What becomes of a field that the call has already; it stays by default.
    ///   - origin: The only origin that is sent the fields, such as `"https://api.example.com"`; any when `nil`.
    public init(
        fields: HTTPFields,
        _ precedence: Precedence = .call,
        onlyTo origin: String? = nil
    ) {
        self.init(named: fields.map { ($0.name.rawName, $0.value) }, precedence, onlyTo: origin)
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

    private init(named fields: [(String, String)], _ precedence: Precedence, onlyTo origin: String?) {
        var names: [String] = []
        var values: [String: [String]] = [:]
        for (name, value) in fields {
            let key = name.lowercased()
            if values[key] == nil { names.append(name) }
            values[key, default: []].append(value)
        }
        let operations = names.map { name in
            let operation = HeaderOperation(
                precedence == .override ? .set : .setIfAbsent,
                name,
                values[name.lowercased()] ?? []
            )
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
            // Not beside the name, by which the value is known for a secret.
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
