import HTTPChainSupport
public import HTTPTypes

/// Keeps the limits of one exchange: the deadline of its call, and how long each step may take.
///
/// A transport makes one for each request, tells it how far the exchange is, and is told when time is up. Such a
/// transport has the capability ``TransportCapabilities/keepsDeadlines``: the stages outside then make no task for a
/// deadline.
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
/// A transport whose work ends when its task is cancelled leaves all that to ``run(_:)`` and ``keep(_:)``.
public final class TransferTimer: Sendable {
    private struct State: Sendable {
        var watch: TransferWatch
        var response: HTTPResponse?
        var alarm: (any TimeAlarm)?
        /// When the alarm rings.
        var rings: Duration?
        var onExpiry: (@Sendable (TimeoutError) -> Void)?
        var failure: TimeoutError?
        var isOver = false
    }

    /// A way to send the body of a request, and the reports that the transport gives of it.
    public enum Upload: Sendable, Hashable {
        /// There is none, or it goes out with the head, in one piece.
        case atOnce
        /// ``TransferTimer/sent(_:of:)`` or ``TransferTimer/uploadEnded()`` will be called.
        case told
        /// Nothing is told: before the response no step has a limit of its own, as it may be the upload that lasts.
        case untold
    }

    private let time: any TimeSource
    /// Head and options of the request, for the error.
    private let request: Request
    private let attempt: Int
    /// Whether the limits hold for the response's body, too.
    let limitsBody: Bool
    private let state: Locked<State>

    /// Makes a timer for a request; nil when nothing limits it.
    ///
    /// The deadline of the call does not count for an exchange that several calls share.
    ///
    /// - Parameters:
    ///   - request: The request as it is sent.
    ///   - tellsConnection: Whether ``connected()`` will be called.
    ///   - upload: How the request's body is sent; by default its progress is told, if there is one.
    public convenience init?(
        _ request: borrowing Request,
        tellsConnection: Bool = false,
        upload: Upload? = nil
    ) {
        let call = request.options[SharedExchange.self] ? nil : request.options[CallDeadline.self]
        let limits = request.options[TransferLimitsOption.self]
        if call == nil && limits == nil { return nil }
        self.init(
            request,
            call: call.map { $0.deadline(since: request.options[CallStart.self] ?? request.environment.time.elapsed) },
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
        limitsBody = !request.options[LongLivedResponse.self]
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

    /// Up to when the call that the exchange belongs to is held to its deadline; nil when it has none.
    package var callDeadline: Duration? { state.withLock { $0.watch.call?.instant } }

    /// The error that time ran out with, once it has.
    public var failure: TimeoutError? { state.withLock { $0.failure } }

    /// The time that is left, as things stand; nil when nothing limits the current step.
    public var remaining: Duration? {
        let next = state.withLock { $0.watch.deadline?.instant }
        return next.map { $0 - time.elapsed }
    }

    // MARK: What the transport tells

    /// Begins to keep the limits.
    ///
    /// - Parameter onExpiry: Called once when time is up, on any thread, at once when it is up already; it ends the
    ///   transfer, and what waits for it throws the error given.
    public func start(onExpiry: @escaping @Sendable (TimeoutError) -> Void) {
        state.withLock { $0.onExpiry = onExpiry }
        ring()
    }

    /// There is a connection to the server.
    public func connected() {
        update { $0.connected(at: $1) }
    }

    /// The network took a part of the request's body.
    ///
    /// - Parameters:
    ///   - count: How many bytes in all.
    ///   - length: How many there are; nil when that is not known.
    public func sent(_ count: Int64, of length: Int64?) {
        update { $0.sent(count, of: length, at: $1) }
    }

    /// The network took all of the request's body.
    public func uploadEnded() {
        update { $0.uploadEnded(at: $1) }
    }

    /// The head of the response arrived.
    public func answered(_ head: HTTPResponse) {
        state.withLock { state in
            state.response = head
            state.watch.answered()
        }
    }

    /// Somebody waits for the next part of the response's body.
    public func awaitsBody() {
        update { $0.isAwaited(since: $1) }
    }

    /// The part that was waited for is there.
    ///
    /// - Parameter count: How many bytes it has.
    public func received(_ count: Int) {
        state.withLock { state in
            state.watch.isAwaited(since: nil)
            state.watch.received(count)
        }
    }

    /// The exchange is over: nothing limits it any more.
    public func end() {
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
            // An alarm that is too early is set again when it rings.
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

    /// Fails when time is up, and sets the alarm otherwise.
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
            exchange: ExchangeSnapshot(request.head, response: state.response, redaction: request.redaction)
        )
        state.failure = error
        return error
    }

    /// The error for a limit that the platform kept, which need not agree with this clock to the last digit.
    ///
    /// - Returns: nil when nothing limited the current step.
    public func expire() -> TimeoutError? {
        let now = time.elapsed
        return state.withLock { state in
            if let failure = state.failure { return failure }
            return state.watch.deadline.map { fail(&state, $0, at: max(now, $0.instant)) }
        }
    }
}

extension TransferTimer {
    /// Runs work that ends when its task is cancelled, and gives it up when time is up.
    ///
    /// The work runs in a task of its own that is cancelled and awaited: work that ignores its cancellation ends late,
    /// and with it this function. Where the system can do that, the task begins on this thread, so that work that has
    /// its result at hand changes no thread.
    ///
    /// - Throws: ``TimeoutError`` when time is up, before the work or while it runs; `CancellationError` when this task
    ///   was cancelled; what the work throws.
    public nonisolated(nonsending) func run<Value: Sendable>(
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
            // On another clock the work itself may move the time: the alarm has to be set before it begins.
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
    /// A task that begins on this thread where the system can do that.
    fileprivate static func atOnce(
        _ work: @escaping @Sendable () async throws -> Success
    ) -> Task<Success, any Error> {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            return .immediate(operation: work)
        }
        return Task(operation: work)
    }
}

extension Duration {
    /// The deadline of a call that ends at this point.
    fileprivate func deadline(since start: Duration) -> Deadline {
        Deadline(.call, limit: self - start, start: start)
    }
}
