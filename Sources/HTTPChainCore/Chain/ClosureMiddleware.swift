/// A stage made of a closure.
///
/// ```swift
/// ClosureMiddleware("Locale", phase: .build) { request, next in
///     request.headers[.acceptLanguage] = "de"
///     return try await next(request)
/// }
/// ```
public struct ClosureMiddleware: BuiltInStage {
    /// The closure's type; see ``Middleware/intercept(_:next:)``.
    package typealias Intercept = @Sendable (_ request: inout Request, _ next: Next) async throws -> Response

    private let name: String
    private let body: Intercept
    /// The options that the closure reads.
    package let stageOptions: [any RequestOption.Type]

    /// The place of the stage in a chain.
    package let stagePhase: Phase

    /// Whether the closure waits only for `next`, or within ``Request/withinDeadline(_:)``.
    package let stageKeepsDeadlines: Bool

    /// Makes a stage from a closure.
    ///
    /// - Parameters:
    ///   - name: The stage's name in ``Chain/explain()`` and traces.
    ///   - phase: The stage's place in a chain. Defaults to anywhere.
    ///   - keepsDeadlines: Whether the closure waits only for `next`; the deadline of a call then needs no task to
    ///     cancel it. Defaults to `false`.
    ///   - options: The options of a request that the closure reads. Defaults to none.
    ///   - body: The closure that handles a call, and may change the request.
    public init(
        _ name: String = "ClosureMiddleware",
        phase: Phase = .anywhere,
        keepsDeadlines: Bool = false,
        reading options: [any RequestOption.Type] = [],
        body: @escaping @Sendable (_ request: inout Request, _ next: Next) async throws -> Response
    ) {
        self.name = name
        stagePhase = phase
        stageKeepsDeadlines = keepsDeadlines
        stageOptions = options
        self.body = body
    }

    /// The stage's name.
    package var stageSummary: StageSummary { StageSummary(name) }

    /// Runs the closure.
    @inline(__always)  // Into the protocol's witness, which saves each call a frame.
    public nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        try await body(&request, next)
    }
}

extension ClosureMiddleware {
    /// A closure that owns its request, which isn't copied when passed on.
    package typealias ConsumingIntercept =
        @Sendable (_ request: consuming Request, _ next: Next) async throws -> Response

    /// Makes a stage from a closure that consumes its request.
    ///
    /// It costs little more than a custom stage type, whereas an `inout` request has to be copied for `next`. Declare
    /// the parameter `consuming`, because otherwise the request is also copied, and call `next` once. To call it again,
    /// or to read the request afterwards, pass a copy: `try await next(copy request)`.
    ///
    /// ```swift
    /// ClosureMiddleware.consuming("Locale", phase: .build) { (request: consuming Request, next: Next) in
    ///     request.headers[.acceptLanguage] = "de"
    ///     return try await next(request)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The stage's name in ``Chain/explain()`` and traces.
    ///   - phase: The stage's place in a chain. Defaults to anywhere.
    ///   - keepsDeadlines: Whether the closure waits only for `next`; the deadline of a call then needs no task to
    ///     cancel it. Defaults to `false`.
    ///   - options: The options of a request that the closure reads. Defaults to none.
    ///   - body: The closure that handles a call, and may change and consume the request.
    public static func consuming(
        _ name: String = "ClosureMiddleware",
        phase: Phase = .anywhere,
        keepsDeadlines: Bool = false,
        reading options: [any RequestOption.Type] = [],
        body: @escaping @Sendable (_ request: consuming Request, _ next: Next) async throws -> Response
    ) -> some DeadlineKeepingMiddleware {
        ConsumingClosureMiddleware(
            name: name,
            body: body,
            phase: phase,
            keepsDeadlines: keepsDeadlines,
            optionsRead: options
        )
    }
}

private struct ConsumingClosureMiddleware: DeadlineKeepingMiddleware {
    let name: String
    let body: ClosureMiddleware.ConsumingIntercept
    let phase: Phase
    let keepsDeadlines: Bool
    let optionsRead: [any RequestOption.Type]

    var summary: StageSummary { StageSummary(name) }

    @inline(__always)  // Into the protocol's witness, which saves each call a frame.
    nonisolated(nonsending) func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        try await body(request, next)
    }
}
