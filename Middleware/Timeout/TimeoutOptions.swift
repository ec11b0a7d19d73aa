public import HTTPChainCore

/// The answer of one call to a limit that a stage sets.
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

/// The time that the whole call may take, for ``TimeoutMiddleware``; ``HTTPChainCore/Request/timeout(_:)`` is the short
/// way to it.
public enum CallTimeout: RequestOption {
    /// As long as the stage says.
    public static var defaultValue: TimeoutRule { .standard }
}

/// The time that each attempt may take, for ``AttemptTimeoutMiddleware``; ``HTTPChainCore/Request/attemptTimeout(_:)``
/// is the short way to it.
public enum AttemptTimeout: RequestOption {
    /// As long as the stage says.
    public static var defaultValue: TimeoutRule { .standard }
}

/// The times that the steps of each attempt may take, for ``AttemptTimeoutMiddleware``;
/// ``HTTPChainCore/Request/transferLimits(connect:write:response:read:)`` is the short way to it.
public struct StepTimeouts: RequestOption, Sendable, Hashable {
    /// Getting a connection.
    public var connect = TimeoutRule.standard
    /// The wait until the network takes the next part of the request's body.
    public var write = TimeoutRule.standard
    /// The wait for the response's head, once the request was sent.
    public var response = TimeoutRule.standard
    /// The wait for the next part of the response's body.
    public var read = TimeoutRule.standard

    /// Makes rules that leave every limit to the stage.
    public init() {}

    /// As the stage says.
    public static var defaultValue: StepTimeouts? { nil }
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
    ///   with ``/HTTPChainCore/TimeoutError`` before anything is sent.
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

    /// The request with limits of its own for the steps of each attempt.
    ///
    /// ```swift
    /// let stream = try await chain.send(.get("events").transferLimits(read: .unlimited))
    /// ```
    ///
    /// - Parameters:
    ///   - connect: Getting a connection; as the stage says by default.
    ///   - write: The wait until the network takes more of the request's body.
    ///   - response: The wait for the response's head, once the request was sent.
    ///   - read: The wait for more of the response's body.
    public consuming func transferLimits(
        connect: TimeoutRule = .standard,
        write: TimeoutRule = .standard,
        response: TimeoutRule = .standard,
        read: TimeoutRule = .standard
    ) -> Request {
        var rules = StepTimeouts()
        rules.connect = connect
        rules.write = write
        rules.response = response
        rules.read = read
        options[StepTimeouts.self] = rules
        return self
    }
}
