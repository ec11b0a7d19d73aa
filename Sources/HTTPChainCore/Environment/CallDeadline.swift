/// The point at which the whole call ends, on the scale of `environment.time.elapsed`.
///
/// It is data: whatever waits for something keeps it, above all the transport, and throws ``TimeoutError`` with the
/// scope ``TimeoutScope/call`` when it has come. A stage that waits for something of its own does so within
/// ``Request/withinDeadline(_:)``. Stages also read it so as not to begin what cannot end in time, such as a wait before
/// a retry; ``Request/remainingTime`` is the short way to what is left.
public enum CallDeadline: RequestOption {
    /// The call may take as long as it takes.
    public static var defaultValue: Duration? { nil }
}

/// The time at which the call began whose deadline is set, for the error that tells of it.
package enum CallStart: RequestOption {
    package static var defaultValue: Duration? { nil }
}

/// Up to when the call is cancelled by a stage further out when its deadline has come: what waits inside needs nothing
/// of its own until then.
package enum SupervisedDeadline: RequestOption {
    package static var defaultValue: Duration? { nil }
}

extension Request {
    /// The time that is left for the call, never negative; `nil` without a deadline.
    public var remainingTime: Duration? {
        guard let deadline = options[CallDeadline.self] else { return nil }
        return max(.zero, deadline - environment.time.elapsed)
    }

    /// Runs work that may wait for something, and gives it up when the call's deadline has come.
    ///
    /// For a stage that waits for something other than `next`: a token, a permit, a file of another process.
    ///
    /// ```swift
    /// let permit = try await request.withinDeadline { try await limiter.permit() }
    /// ```
    ///
    /// The work is cancelled and awaited. Without a deadline it simply runs.
    ///
    /// - Throws: ``TimeoutError`` with the scope ``TimeoutScope/call``; `CancellationError` when the task is cancelled;
    ///   what the work throws.
    public nonisolated(nonsending) func withinDeadline<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard let timer = callTimer else { return try await work() }
        return try await timer.run(work)
    }

    /// The timer that keeps the deadline of the call for one wait; nil when it has none, or a stage further out keeps
    /// it anyway.
    package var callTimer: TransferTimer? {
        guard let deadline = options[CallDeadline.self], !options[SharedExchange.self] else { return nil }
        if let supervised = options[SupervisedDeadline.self], supervised <= deadline { return nil }
        let start = options[CallStart.self] ?? environment.time.elapsed
        return TransferTimer(self, call: Deadline(.call, limit: deadline - start, start: start))
    }

    /// Removes what limits the time of the call that the request was made for, for work that goes on beyond its end.
    package mutating func removeDeadline() {
        options.remove(CallDeadline.self)
        options.remove(CallStart.self)
        options.remove(SupervisedDeadline.self)
    }
}
