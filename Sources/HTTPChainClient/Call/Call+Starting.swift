public import Dispatch

/// A call that was started from code that cannot wait for it.
///
/// It belongs to its client, not to this value: dropping it does not cancel the call.
public struct StartedCall: Sendable {
    private let task: Task<Void, Never>

    init(_ task: Task<Void, Never>) {
        self.task = task
    }

    /// Cancels the call, whose outcome is then `.cancelled(duplicate: false)`; does nothing once it has ended.
    public func cancel() { task.cancel() }

    /// Waits until the outcome was delivered.
    public func finished() async { await task.value }
}

extension Call {
    /// Sends the request, and calls back on the main actor.
    ///
    /// ```swift
    /// client.call(GetUser(id: 42)).start { [weak self] outcome in
    ///     switch outcome {
    ///     case .success(let user): self?.show(user)
    ///     case .failure(let error): self?.show(error)
    ///     case .cancelled: break
    ///     }
    /// }
    /// ```
    ///
    /// - Parameter completion: Called exactly once, also when the client goes away.
    @discardableResult
    public func start(completion: @escaping @MainActor @Sendable (_ outcome: CallOutcome<Kind.Output>) -> Void)
        -> StartedCall
    {
        run { await completion($0) }
    }

    /// Sends the request, and calls back on a queue.
    ///
    /// - Parameters:
    ///   - queue: Where the completion is called.
    ///   - completion: Called exactly once, also when the client goes away.
    @discardableResult
    public func start(
        on queue: DispatchQueue,
        completion: @escaping @Sendable (_ outcome: CallOutcome<Kind.Output>) -> Void
    ) -> StartedCall {
        run { outcome in await queue.run { completion(outcome) } }
    }

    /// Sends the request, and calls back on an actor of yours.
    ///
    /// - Parameters:
    ///   - actor: Where the completion is called; it is kept until then.
    ///   - completion: Called exactly once, also when the client goes away.
    @discardableResult
    public func start<Home: Actor>(
        on actor: Home,
        completion: @escaping @Sendable (_ actor: isolated Home, _ outcome: CallOutcome<Kind.Output>) -> Void
    ) -> StartedCall {
        run { await completion(actor, $0) }
    }

    /// Sends the request, and tells an observer how the call ended.
    ///
    /// - Parameter observer: Told once unless it has gone away; it is not kept.
    @discardableResult
    public func start(_ observer: some CallObserver) -> StartedCall {
        run { [weak observer, request, key = settings.registration.key] outcome in
            await observer?.callEnded(CallReport(request: request, key: key, outcome: outcome))
        }
    }

    /// Sends the request, and tells an observer on a queue how the call ended.
    ///
    /// - Parameters:
    ///   - observer: Told once unless it has gone away; it is not kept.
    ///   - queue: Where it is told.
    @discardableResult
    public func start(_ observer: some QueuedCallObserver, on queue: DispatchQueue) -> StartedCall {
        run { [weak observer, request, key = settings.registration.key] outcome in
            let report = CallReport(request: request, key: key, outcome: outcome)
            await queue.run { [weak observer] in observer?.callEnded(report) }
        }
    }

    /// The call is in the registry when this returns: whoever started it may cancel it, and an equal call is a duplicate.
    ///
    /// The task does not keep the client, which cancels its running calls when it goes away; it ends with the call.
    private func run(_ deliver: @escaping @Sendable (CallOutcome<Kind.Output>) async -> Void) -> StartedCall {
        let core = client.core
        let admission = Result { try core.admit(request, settings) }
        return StartedCall(Task { await deliver(await core.outcome(admission)) })
    }
}

extension DispatchQueue {
    /// Does something on the queue, and goes on when it is done.
    func run(_ action: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            async {
                action()
                continuation.resume()
            }
        }
    }
}
