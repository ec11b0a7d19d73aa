/// The deadline of the whole call.
///
/// Everything that waits, above all the transport, throws ``TimeoutError`` with the scope ``TimeoutScope/call`` when
/// the deadline is reached. A stage that waits for something else does so within ``Request/withinDeadline(_:)``. Stages
/// also read the deadline to avoid starting something that can't finish in time, such as a wait before a retry; see
/// also ``Request/remainingTime``.
package enum DeadlineNote: RequestOption, RequestNote {
    /// A deadline and its origin, for its timeout error.
    package struct Mark: Sendable {
        /// The deadline, on the scale of `environment.time.elapsed`.
        package let instant: Duration
        /// The start of the call, on the same scale; `nil` if it is unknown.
        package let start: Duration?
        /// The name of the stage that set the deadline; `nil` if a caller set it.
        package let stage: StaticString?

        package init(_ instant: Duration, start: Duration? = nil, stage: StaticString? = nil) {
            self.instant = instant
            self.start = start
            self.stage = stage
        }
    }

    /// No deadline.
    package static var defaultValue: Mark? { nil }
    /// Always `false`: calls that share a transfer keep their own deadlines.
    package static var affectsResponse: Bool { false }
}

/// The deadline that an outer stage enforces by cancelling the call.
///
/// Inner waits need no timer, unless the call's own deadline is earlier.
package enum SupervisedDeadlineNote: RequestNote {
    package static var defaultValue: Duration? { nil }
    package static var affectsResponse: Bool { false }
}

/// The deadline of an exchange that serves several calls: the latest of their deadlines when it is read.
///
/// A stage that lets calls share a transfer sets it instead of ``DeadlineNote``, and ends each call at its own
/// deadline. Calls may join and leave, so it can change during a wait: a stage must not rely on an earlier value.
package enum SharedDeadlineNote: RequestNote {
    package static var defaultValue: (@Sendable () -> Duration?)? { nil }
    package static var affectsResponse: Bool { false }
}

extension Deadline {
    /// Makes the deadline of a call; if the call's start is unknown, it starts now.
    package init(_ mark: DeadlineNote.Mark, at now: Duration) {
        let start = mark.start ?? now
        self.init(.call, limit: mark.instant - start, start: start)
    }
}

extension RequestOptions {
    /// The deadline of the call, or the latest of the calls that share the exchange.
    package var deadline: Duration? { self[DeadlineNote.self]?.instant ?? self[SharedDeadlineNote.self]?() }

    /// The same as ``Request/remainingTime``, for a stage that keeps a request's options but not the request.
    package var remainingTime: Duration? { deadline.map { max(.zero, $0 - elapsed) } }
}

extension Request {
    /// The time left for the call, never negative; `nil` without a deadline.
    public var remainingTime: Duration? { options.remainingTime }

    /// Runs work that may wait, and cancels it when the call's deadline is reached.
    ///
    /// Use this in a stage that waits for something other than `next`: a token, a permit, another process's file.
    ///
    /// ```swift
    /// let permit = try await request.withinDeadline { try await limiter.permit() }
    /// ```
    ///
    /// At the deadline, the work is cancelled and awaited. Without a deadline, the work just runs.
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
        guard let deadline = options[DeadlineNote.self] else { return nil }
        if let supervised = options[SupervisedDeadlineNote.self], supervised <= deadline.instant { return nil }
        return TransferTimer(self, call: Deadline(deadline, at: environment.time.elapsed))
    }

    /// Removes the deadline of the request's call, for work that continues after the call ends.
    package mutating func removeDeadline() {
        options.remove(DeadlineNote.self)
        options.remove(SupervisedDeadlineNote.self)
        options.remove(SharedDeadlineNote.self)
    }
}
