/// The deadline of the whole call, on the scale of `environment.time.elapsed`.
///
/// Everything that waits respects it, above all the transport, and throws ``TimeoutError`` with the scope
/// ``TimeoutScope/call`` when it is reached. A stage that waits for something itself does so within
/// ``Request/withinDeadline(_:)``. Stages also read it to avoid starting something that can't finish in time, such as a
/// wait before a retry; see also ``Request/remainingTime``.
public enum CallDeadline: RequestOption, RequestNote {
    /// No deadline.
    public static var defaultValue: Duration? { nil }
}

/// The start of a call with a deadline, for its timeout error.
package enum CallStart: RequestNote {
    package static var defaultValue: Duration? { nil }
}

/// The time until which an outer stage cancels the call at its deadline.
///
/// Until then, inner waits need no timer.
package enum SupervisedDeadline: RequestNote {
    package static var defaultValue: Duration? { nil }
}

extension Request {
    /// The time left for the call, never negative; `nil` without a deadline.
    public var remainingTime: Duration? {
        guard let deadline = options[CallDeadline.self] else { return nil }
        return max(.zero, deadline - environment.time.elapsed)
    }

    /// Runs work that may wait, and cancels it when the call's deadline is reached.
    ///
    /// For a stage that waits for something other than `next`: a token, a permit, a file of another process.
    ///
    /// ```swift
    /// let permit = try await request.withinDeadline { try await limiter.permit() }
    /// ```
    ///
    /// The work is cancelled and awaited. Without a deadline it simply runs.
    ///
    /// - Throws: ``TimeoutError`` with the scope ``TimeoutScope/call``; `CancellationError` if the task is cancelled;
    ///   errors of the work.
    public nonisolated(nonsending) func withinDeadline<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard let timer = callTimer else { return try await work() }
        return try await timer.run(work)
    }

    /// The timer for the call's deadline during one wait; nil if there is no deadline, or an outer stage enforces it
    /// anyway.
    package var callTimer: TransferTimer? {
        guard let deadline = options[CallDeadline.self], !options[SharedExchange.self] else { return nil }
        if let supervised = options[SupervisedDeadline.self], supervised <= deadline { return nil }
        let start = options[CallStart.self] ?? environment.time.elapsed
        return TransferTimer(self, call: Deadline(.call, limit: deadline - start, start: start))
    }

    /// Removes the deadline of the request's call, for work that continues after the call ends.
    package mutating func removeDeadline() {
        options.remove(CallDeadline.self)
        options.remove(CallStart.self)
        options.remove(SupervisedDeadline.self)
    }
}
