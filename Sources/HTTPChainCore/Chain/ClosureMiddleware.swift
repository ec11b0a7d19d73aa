/// A stage made of a closure.
///
/// ```swift
/// ClosureMiddleware("Locale", phase: .build) { request, next in
///     request.headers[.acceptLanguage] = "de"
///     return try await next(request)
/// }
/// ```
public struct ClosureMiddleware: DeadlineKeepingMiddleware {
    /// What the closure is given and gives back: see ``Middleware/intercept(_:next:)``.
    public typealias Intercept = @Sendable (_ request: inout Request, _ next: Next) async throws -> Response

    private let name: String
    private let body: Intercept

    /// Where in a chain the stage belongs.
    public let phase: Phase

    /// Whether the closure waits for nothing but `next`, or within ``Request/withinDeadline(_:)``.
    public let keepsDeadlines: Bool

    /// Makes a stage of a closure.
    ///
    /// - Parameters:
    ///   - name: What the stage is called in ``Chain/explain()`` and traces.
    ///   - phase: Where it belongs; anywhere by default.
    ///   - keepsDeadlines: Whether the closure waits for nothing but `next`; the deadline of a call then needs no task
    ///     that cancels it. `false` by default.
    ///   - body: Handles one call; the request is its own to change.
    public init(
        _ name: String = "ClosureMiddleware",
        phase: Phase = .anywhere,
        keepsDeadlines: Bool = false,
        body: @escaping Intercept
    ) {
        self.name = name
        self.phase = phase
        self.keepsDeadlines = keepsDeadlines
        self.body = body
    }

    /// The name given.
    public var summary: StageSummary { StageSummary(name) }

    /// Runs the closure.
    public func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        try await body(&request, next)
    }
}
