/// A stage made of a closure.
///
/// ```swift
/// ClosureMiddleware("Locale", phase: .build) { request, next in
///     request.headers[.acceptLanguage] = "de"
///     return try await next(request)
/// }
/// ```
public struct ClosureMiddleware: DeadlineKeepingMiddleware {
    /// The closure's type: see ``Middleware/intercept(_:next:)``.
    public typealias Intercept = @Sendable (_ request: inout Request, _ next: Next) async throws -> Response

    private let name: String
    private let body: Intercept

    /// The place of the stage in a chain.
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
    @inline(__always)  // Into the protocol's witness, which saves each call a frame.
    public func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        try await body(&request, next)
    }
}

extension ClosureMiddleware {
    /// A closure that is given the request without a copy, for one that it passes on as it is.
    public typealias ConsumingIntercept =
        @Sendable (_ request: consuming Request, _ next: Next) async throws -> Response

    /// A stage made of a closure that gives its request away.
    ///
    /// It costs little more than a stage with a type of its own, where one whose request is `inout` has it copied by
    /// `next`. The closure says `consuming` itself, without which its request is copied as well, and calls `next` once; to
    /// call it again, or to read the request afterwards, give away a copy: `try await next(copy request)`.
    ///
    /// ```swift
    /// ClosureMiddleware.consuming("Locale", phase: .build) { (request: consuming Request, next: Next) in
    ///     request.headers[.acceptLanguage] = "de"
    ///     return try await next(request)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: What the stage is called in ``Chain/explain()`` and traces.
    ///   - phase: Where it belongs; anywhere by default.
    ///   - keepsDeadlines: Whether the closure waits for nothing but `next`; the deadline of a call then needs no task
    ///     that cancels it. `false` by default.
    ///   - body: Handles one call; the request is its own to change and to give away.
    public static func consuming(
        _ name: String = "ClosureMiddleware",
        phase: Phase = .anywhere,
        keepsDeadlines: Bool = false,
        body: @escaping ConsumingIntercept
    ) -> some DeadlineKeepingMiddleware {
        ConsumingClosureMiddleware(name: name, body: body, phase: phase, keepsDeadlines: keepsDeadlines)
    }
}

private struct ConsumingClosureMiddleware: DeadlineKeepingMiddleware {
    let name: String
    let body: ClosureMiddleware.ConsumingIntercept
    let phase: Phase
    let keepsDeadlines: Bool

    var summary: StageSummary { StageSummary(name) }

    @inline(__always)  // Into the protocol's witness, which saves each call a frame.
    func intercept(_ request: consuming Request, next: Next) async throws -> Response {
        try await body(request, next)
    }
}
