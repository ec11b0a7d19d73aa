import HTTPChainSupport
package import HTTPTypes

/// Enforces the limits of one exchange: the deadline of its call, and the time of each step.
///
/// A transport makes a timer for each request, reports the progress of the exchange to it, and is called when time is
/// up. Such a transport has the capability ``TransportCapabilities/keepsDeadlines``, so that outer stages need no task
/// for a deadline.
///
/// ```swift
/// let timer = TransferTimer(request)          // nil when nothing is limited
/// timer?.start { error in connection.fail(error) }
/// …
/// timer?.sent(written, of: length)
/// timer?.answered(head)
/// …
/// timer?.end()
/// ```
///
/// A transport whose work ends when its task is cancelled only needs ``run(_:)`` and ``keep(_:)``.
package final class TransferTimer: Sendable {
    private struct State: Sendable {
        var watch: TransferWatch
        var response: HTTPResponse?
        var alarm: (any TimeAlarm)?
        /// The time at which the alarm fires.
        var rings: Duration?
        var onExpiry: (@Sendable (TimeoutError) -> Void)?
        var failure: TimeoutError?
        var isOver = false
    }

    /// The way in which the request's body is sent and its progress is reported.
    package enum Upload: Sendable, Hashable {
        /// There is no body, or it is sent in one piece with the head.
        case atOnce
        /// ``TransferTimer/sent(_:of:)`` or ``TransferTimer/uploadEnded()`` will be called.
        case told
        /// Nothing is reported: the write and response limits don't apply, because the upload may still be running.
        case untold
    }

    private let time: any TimeSource
    /// The head and options of the request, for the error.
    private let request: Request
    private let attempt: Int
    /// Whether the limits also apply to the response's body.
    let limitsBody: Bool
    private let state: Locked<State>

    /// Makes a timer for a request, or returns nil if nothing limits it.
    ///
    /// - Parameters:
    ///   - request: The request as sent.
    ///   - tellsConnection: Whether ``connected()`` will be called.
    ///   - upload: The way the request's body is sent. By default its progress is reported, if there is a body.
    package convenience init?(
        _ request: borrowing Request,
        tellsConnection: Bool = false,
        upload: Upload? = nil
    ) {
        let call = request.options[DeadlineNote.self]
        let limits = request.options[TransferLimitsNote.self]
        if call == nil && limits == nil { return nil }
        self.init(
            request,
            call: call.map { Deadline($0, at: request.environment.time.elapsed) },
            limits: limits ?? TransferLimits(),
            tellsConnection: tellsConnection,
            upload: upload
        )
    }

    package init(
        _ request: borrowing Request,
        call: Deadline?,
        limits: TransferLimits = TransferLimits(),
        tellsConnection: Bool = false,
        upload: Upload? = nil
    ) {
        time = request.environment.time
        self.request = Request(head: request.head, options: request.options)
        attempt = request.attempt
        limitsBody = !request.options[LongLivedResponseNote.self]
        state = Locked(
            State(
                watch: TransferWatch(
                    limits,
                    call: call,
                    start: time.elapsed,
                    upload: upload ?? (request.body.isEmpty ? .atOnce : .told),
                    tellsConnection: tellsConnection,
                    limitsBody: limitsBody
                )
            )
        )
    }

    /// The deadline of the exchange's call; nil if it has none.
    package var callDeadline: Duration? { state.withLock { $0.watch.call?.instant } }

    /// The error thrown once time is up.
    package var failure: TimeoutError? { state.withLock { $0.failure } }

    /// The time left for the current step; nil if nothing limits it.
    package var remaining: Duration? {
        let next = state.withLock { $0.watch.deadline?.instant }
        return next.map { $0 - time.elapsed }
    }

    /// Whether ``remaining`` counts down to the same instant until the response's head arrives, so that a single timer
    /// of a transport's client can enforce the limits until then.
    package var isSettled: Bool { state.withLock { $0.watch.deadlineIsSettled } }

    // MARK: Reports of the transport

    /// Starts enforcing the limits.
    ///
    /// - Parameter onExpiry: Called once when time is up, on any thread, immediately if it already is. It ends the
    ///   transfer; code that waits for the transfer throws the given error.
    package func start(onExpiry: @escaping @Sendable (TimeoutError) -> Void) {
        state.withLock { $0.onExpiry = onExpiry }
        ring()
    }

    /// Reports, before ``start(onExpiry:)``, that the transport first stores the request's body.
    ///
    /// Until ``stored(_:)``, the limits of single steps don't apply.
    package func stores() {
        state.withLock { $0.watch.stores() }
    }

    /// Reports that the request's body is stored and is now sent.
    ///
    /// - Parameter upload: The way it is sent.
    package func stored(_ upload: Upload) {
        update { $0.stored(upload, at: $1) }
    }

    /// Reports that the connection to the server is established.
    package func connected() {
        update { $0.connected(at: $1) }
    }

    /// Reports that a part of the request's body was sent to the network.
    ///
    /// - Parameters:
    ///   - count: The total number of bytes sent.
    ///   - length: The length of the body; nil if unknown.
    package func sent(_ count: Int64, of length: Int64?) {
        update { $0.sent(count, of: length, at: $1) }
    }

    /// Reports that the whole request body was sent to the network.
    package func uploadEnded() {
        update { $0.uploadEnded(at: $1) }
    }

    /// Reports that the head of the response has arrived.
    package func answered(_ head: HTTPResponse) {
        state.withLock { state in
            state.response = head
            state.watch.answered()
        }
    }

    /// Reports that a reader waits for the next part of the response's body.
    package func awaitsBody() {
        update { $0.isAwaited(since: $1) }
    }

    /// Reports that a reader waits for the next part of the response's body.
    ///
    /// - Throws: ``TimeoutError`` if time is up.
    func beginRead() throws {
        awaitsBody()
        let now = time.elapsed
        if let error = state.withLock({ missed(&$0, at: now) }) { throw error }
    }

    /// Reports that the awaited part has arrived.
    ///
    /// - Parameter count: The number of bytes in the part.
    package func received(_ count: Int) {
        state.withLock { state in
            state.watch.isAwaited(since: nil)
            state.watch.received(count)
        }
    }

    /// Ends the exchange, and with it all limits.
    package func end() {
        let alarm = state.withLock { state -> (any TimeAlarm)? in
            state.isOver = true
            state.onExpiry = nil
            return state.alarm.take()
        }
        alarm?.cancel()
    }

    // MARK: Parts

    private func update(_ change: (inout TransferWatch, Duration) -> Void) {
        let now = time.elapsed
        let move: (alarm: any TimeAlarm, instant: Duration)? = state.withLock { state in
            change(&state.watch, now)
            guard state.onExpiry != nil, let next = state.watch.deadline?.instant else { return nil }
            // An alarm that fires too early is set again.
            if let alarm = state.alarm, let rings = state.rings {
                guard next < rings else { return nil }
                state.rings = next
                return (alarm, next)
            }
            state.alarm = alarm(at: next)
            state.rings = next
            return nil
        }
        move?.alarm.move(to: move?.instant ?? now)
    }

    private func alarm(at instant: Duration) -> any TimeAlarm {
        time.alarm(at: instant, for: purpose) { [weak self] in self?.ring() }
    }

    private var purpose: String {
        "\(request.method) \(request.redaction.url(request.url))"
    }

    /// Fails if time is up, and sets the alarm otherwise.
    private func ring() {
        let now = time.elapsed
        let expired = state.withLock { state -> (handler: (@Sendable (TimeoutError) -> Void)?, error: TimeoutError)? in
            guard !state.isOver, state.onExpiry != nil else { return nil }
            if let error = missed(&state, at: now) { return (state.onExpiry.take(), error) }
            state.alarm = nil
            state.rings = state.watch.deadline?.instant
            if let next = state.rings { state.alarm = alarm(at: next) }
            return nil
        }
        if let expired { expired.handler?(expired.error) }
    }

    private func missed(_ state: inout State, at now: Duration) -> TimeoutError? {
        if let failure = state.failure { return failure }
        guard let deadline = state.watch.deadline, deadline.isOver(at: now) else { return nil }
        return fail(&state, deadline, at: now)
    }

    private func fail(_ state: inout State, _ deadline: Deadline, at now: Duration) -> TimeoutError {
        let hasBegun = state.watch.start < now || state.response != nil
        let error = TimeoutError(
            deadline,
            at: now,
            progress: hasBegun ? state.watch.progress : .notStarted,
            sent: state.watch.sent.map { ($0.bytes, $0.length) },
            attempt: attempt,
            stage: request.options.stage(limiting: deadline.scope),
            exchange: ExchangeSnapshot(request.head, response: state.response, redaction: request.redaction)
        )
        state.failure = error
        return error
    }

    /// Returns the timeout error for a limit that the platform enforced, whose clock may differ slightly from this one.
    ///
    /// - Returns: nil if nothing limited the current step.
    package func expire() -> TimeoutError? {
        let now = time.elapsed
        return state.withLock { state in
            if let failure = state.failure { return failure }
            return state.watch.deadline.map { fail(&state, $0, at: max(now, $0.instant)) }
        }
    }
}

extension TransferTimer {
    /// Runs work that ends when its task is cancelled, and cancels it when time is up.
    ///
    /// The work runs in a separate task, which is cancelled and awaited. If it ignores cancellation, this function
    /// returns late. If the system supports it, the task starts on this thread, so that work whose result is
    /// immediately available needs no thread switch.
    ///
    /// - Throws: ``TimeoutError`` if time is up, before or during the work; `CancellationError` if this task was
    ///   cancelled; errors of the work.
    package nonisolated(nonsending) func run<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let now = time.elapsed
        if let missed = state.withLock({ missed(&$0, at: now) }) {
            try Task.checkCancellation()
            throw missed
        }
        let task: Task<Value, any Error>
        if type(of: time) == SystemTime.self {
            let hasEnded = Locked(false)
            task = .atOnce {
                defer { hasEnded.withLock { $0 = true } }
                return try await work()
            }
            if hasEnded.withLock({ $0 }) { return try await task.value }
            start { _ in task.cancel() }
        } else {
            // With a virtual clock, the work itself may advance the time, so the alarm must be set before the work
            // starts.
            let isSet = Watched(false)
            task = Task {
                await isSet.waitUninterrupted { $0 ? () : nil }
                return try await work()
            }
            start { _ in task.cancel() }
            isSet.update { $0 = true }
        }
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        let (failure, alarm) = state.withLock { state -> (TimeoutError?, (any TimeAlarm)?) in
            state.onExpiry = nil
            state.rings = nil
            return (state.failure, state.alarm.take())
        }
        alarm?.cancel()
        if let failure {
            try Task.checkCancellation()
            throw failure
        }
        return try result.get()
    }
}

extension Task where Failure == any Error {
    /// Starts a task on this thread, if the system supports it.
    fileprivate static func atOnce(
        _ work: @escaping @Sendable () async throws -> Success
    ) -> Task<Success, any Error> {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            return .immediate(operation: work)
        }
        return Task(operation: work)
    }
}
