/// A stage that keeps the deadline of the call without being cancelled.
///
/// It waits for nothing but `next`, for reading a body, or within ``Request/withinDeadline(_:)``. Around such stages
/// and a transport with the capability ``TransportCapabilities/keepsDeadlines``, a stage that limits the time of a call
/// makes no task for it: the deadline is data. Any other stage is cancelled when the deadline has come, which is why
/// the call then runs in a task of its own, at the cost of a change of threads.
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
    /// Whether this stage, as it is set up, keeps deadlines; `true` by default.
    var keepsDeadlines: Bool { get }
}

extension DeadlineKeepingMiddleware {
    /// It does.
    public var keepsDeadlines: Bool { true }
}

extension Middleware {
    var keepsItsDeadlines: Bool { (self as? any DeadlineKeepingMiddleware)?.keepsDeadlines ?? false }
}
