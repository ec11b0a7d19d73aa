/// A stage that respects the deadline of the call without being cancelled.
///
/// It waits only for `next`, for reading a body, or within ``Request/withinDeadline(_:)``. If all inner stages conform
/// and the transport has the capability ``TransportCapabilities/keepsDeadlines``, a stage that limits the time of a
/// call needs no task for it. Any other stage is cancelled when the deadline is reached, so the call then runs in a
/// separate task, which costs a thread switch.
///
/// ```swift
/// struct UserAgentMiddleware: DeadlineKeepingMiddleware {
///     func intercept(_ request: consuming Request, next: Next) async throws -> Response {
///         request.headers[.userAgent] = "MyApp/1.0"
///         return try await next(request)
///     }
/// }
/// ```
public protocol DeadlineKeepingMiddleware: Middleware {
    /// Whether this stage, as configured, respects deadlines; defaults to `true`.
    var keepsDeadlines: Bool { get }
}

extension DeadlineKeepingMiddleware {
    /// The default value, `true`.
    public var keepsDeadlines: Bool { true }
}

extension Middleware {
    var keepsItsDeadlines: Bool { (self as? any DeadlineKeepingMiddleware)?.keepsDeadlines ?? false }
}
