public import HTTPChainCore

/// The time limit for a whole call, for ``TimeoutMiddleware``; see also ``HTTPChainCore/Request/timeout(_:)``.
package enum TimeoutOption: RequestOption {
    package typealias Value = CallSetting<Duration>
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".timeout(_:)", reader: "TimeoutMiddleware(nil)", phase: .deadline)
    }
    /// Always `false`: calls that share a transfer keep their own limits.
    package static var affectsResponse: Bool { false }
}

/// The limit for each attempt, for ``AttemptTimeoutMiddleware``; see also ``HTTPChainCore/Request/timeout(attempt:)``.
package enum AttemptTimeoutOption: RequestOption {
    package typealias Value = CallSetting<Duration>
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(".timeout(attempt:)", reader: "AttemptTimeoutMiddleware()", phase: .attempt)
    }
}

/// The limits for the steps of each attempt.
///
/// See also ``HTTPChainCore/Request/timeout(connect:write:response:read:)``.
package struct StepTimeouts: Sendable, Hashable {
    /// The limit on getting a connection.
    package var connect = CallSetting<Duration>.standard
    /// The limit on waiting for the network to accept the next part of the request's body.
    package var write = CallSetting<Duration>.standard
    /// The limit on waiting for the response's head after the request was sent.
    package var response = CallSetting<Duration>.standard
    /// The limit on waiting for the next part of the response's body.
    package var read = CallSetting<Duration>.standard
}

/// The limits for the steps of each attempt as an option, for ``AttemptTimeoutMiddleware``.
package enum StepTimeoutsOption: RequestOption {
    /// The stage's limits.
    package static var defaultValue: StepTimeouts { StepTimeouts() }
    /// The method that sets the option, and the stage that reads it.
    package static var usage: OptionUsage {
        OptionUsage(
            ".timeout(connect:write:response:read:)",
            reader: "AttemptTimeoutMiddleware()",
            phase: .attempt
        )
    }
    /// Returns whether a chain without the stage may ignore the value.
    package static func isHarmless(_ value: Value) -> Bool {
        [value.connect, value.write, value.response, value.read].allSatisfy(\.needsNoStage)
    }
}

extension Request {
    /// Returns the request with its own limit for the whole call: retries, redirects, waits and the response's body.
    ///
    /// ```swift
    /// let report = try await chain.send(.get("reports/7").timeout(.seconds(90)))
    /// let events = try await chain.send(.get("events").timeout(nil))
    /// ```
    ///
    /// - Parameter limit: The time limit for the call, or `nil` for none. With zero or less, the call throws
    ///   ``/HTTPChainCore/TimeoutError`` before anything is sent.
    public consuming func timeout(_ limit: Duration?) -> Request {
        options[TimeoutOption.self] = CallSetting(limit)
        return self
    }

    /// Returns the request with its own limit for each attempt to get a response.
    ///
    /// - Parameter limit: The time limit for an attempt, or `nil` for none.
    public consuming func timeout(attempt limit: Duration?) -> Request {
        options[AttemptTimeoutOption.self] = CallSetting(limit)
        return self
    }

    /// Returns the request with its own limits for the steps of each attempt.
    ///
    /// ```swift
    /// let stream = try await chain.send(.get("events").timeout(read: .off))
    /// ```
    ///
    /// - Parameters:
    ///   - connect: The limit on getting a connection. Defaults to the stage's.
    ///   - write: The limit on waiting for the network to accept more of the request's body. Defaults to the stage's.
    ///   - response: The limit on waiting for the response's head after the request was sent. Defaults to the stage's.
    ///   - read: The limit on waiting for more of the response's body. Defaults to the stage's.
    public consuming func timeout(
        connect: CallSetting<Duration> = .standard,
        write: CallSetting<Duration> = .standard,
        response: CallSetting<Duration> = .standard,
        read: CallSetting<Duration> = .standard
    ) -> Request {
        options[StepTimeoutsOption.self] = StepTimeouts(connect: connect, write: write, response: response, read: read)
        return self
    }
}
