public import HTTPChainCore

/// What one call says to a limit that a stage sets.
public enum TimeoutRule: Sendable, Hashable {
    /// The stage's limit.
    case standard
    /// No limit.
    case unlimited
    /// This limit in place of the stage's; with zero or less, time is up before it begins.
    case limit(Duration)

    /// A limit, or none.
    public init(_ limit: Duration?) {
        self = limit.map(TimeoutRule.limit) ?? .unlimited
    }

    func limit(standard: Duration?) -> Duration? {
        switch self {
        case .standard: standard
        case .unlimited: nil
        case .limit(let limit): limit
        }
    }
}

/// How long the whole call may take, for ``TimeoutMiddleware``; ``HTTPChainCore/Request/timeout(_:)`` is the short way
/// to it.
public enum CallTimeout: RequestOption {
    /// As long as the stage says.
    public static var defaultValue: TimeoutRule { .standard }
}

/// How long each attempt may take, for ``AttemptTimeoutMiddleware``; ``HTTPChainCore/Request/attemptTimeout(_:)`` is
/// the short way to it.
public enum AttemptTimeout: RequestOption {
    /// As long as the stage says.
    public static var defaultValue: TimeoutRule { .standard }
}

/// How long the server may be silent, for ``AttemptTimeoutMiddleware``; ``HTTPChainCore/Request/idleTimeout(_:)`` is
/// the short way to it.
public enum IdleTimeout: RequestOption {
    /// As long as the stage says.
    public static var defaultValue: TimeoutRule { .standard }
}

extension Request {
    /// The request with a limit of its own for the whole call: retries, redirects, waits and the response's body.
    ///
    /// ```swift
    /// let report = try await chain.send(.get("reports/7").timeout(.seconds(90)))
    /// let events = try await chain.send(.get("events").timeout(nil))
    /// ```
    ///
    /// - Parameter limit: How long the call may take; `nil` for as long as it takes. With zero or less the call fails
    ///   with ``TimeoutError`` before anything is sent.
    public consuming func timeout(_ limit: Duration?) -> Request {
        options[CallTimeout.self] = TimeoutRule(limit)
        return self
    }

    /// The request with a limit of its own for each attempt to get a response.
    ///
    /// - Parameter limit: How long an attempt may take; `nil` for as long as it takes.
    public consuming func attemptTimeout(_ limit: Duration?) -> Request {
        options[AttemptTimeout.self] = TimeoutRule(limit)
        return self
    }

    /// The request with a limit of its own for the server's silence.
    ///
    /// - Parameter limit: How long no byte may come while one is waited for; `nil` for as long as it takes.
    public consuming func idleTimeout(_ limit: Duration?) -> Request {
        options[IdleTimeout.self] = TimeoutRule(limit)
        return self
    }
}
