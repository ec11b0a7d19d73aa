public import Dispatch

/// A call that was started from synchronous code.
///
/// The client owns it: dropping this value doesn't cancel the call.
public struct StartedCall: Sendable {
    private let task: Task<Void, Never>

    init(_ task: Task<Void, Never>) {
        self.task = task
    }

    /// Cancels the call; its outcome is then `.cancelled(duplicate: false)`.
    ///
    /// Does nothing if the call has ended.
    public func cancel() { task.cancel() }

    /// Waits until the outcome has been delivered.
    package func finished() async { await task.value }
}

extension Call {
    /// Sends the request and calls a completion handler on the main actor.
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
    /// - Parameter completion: The completion handler, called exactly once, even if the client is deallocated.
    @discardableResult
    public func start(completion: @escaping @MainActor @Sendable (_ outcome: CallOutcome<Kind.Output>) -> Void)
        -> StartedCall
    {
        run { await completion($0) }
    }

    /// Sends the request and calls a completion handler on a queue.
    ///
    /// - Parameters:
    ///   - queue: The queue on which the completion handler is called.
    ///   - completion: The completion handler, called exactly once, even if the client is deallocated.
    @discardableResult
    public func start(
        on queue: DispatchQueue,
        completion: @escaping @Sendable (_ outcome: CallOutcome<Kind.Output>) -> Void
    ) -> StartedCall {
        run { outcome in await queue.run { completion(outcome) } }
    }

    /// Sends the request and calls a completion handler on a given actor.
    ///
    /// - Parameters:
    ///   - actor: The actor on which the completion handler is called, which is retained until then.
    ///   - completion: The completion handler, called exactly once, even if the client is deallocated.
    @discardableResult
    public func start<Home: Actor>(
        on actor: Home,
        completion: @escaping @Sendable (_ actor: isolated Home, _ outcome: CallOutcome<Kind.Output>) -> Void
    ) -> StartedCall {
        run { await completion(actor, $0) }
    }

    /// Sends the request and notifies an observer when the call ends.
    ///
    /// - Parameter observer: The observer, held weakly, and notified once unless it has been deallocated.
    @discardableResult
    public func start(_ observer: some CallObserver) -> StartedCall {
        run { [weak observer, request, key = settings.registration.key] outcome in
            await observer?.callEnded(CallReport(request: request, key: key, outcome: outcome))
        }
    }

    /// Sends the request and notifies an observer on a queue when the call ends.
    ///
    /// - Parameters:
    ///   - observer: The observer, held weakly, and notified once unless it has been deallocated.
    ///   - queue: The queue on which the observer is notified.
    @discardableResult
    public func start(_ observer: some QueuedCallObserver, on queue: DispatchQueue) -> StartedCall {
        run { [weak observer, request, key = settings.registration.key] outcome in
            let report = CallReport(request: request, key: key, outcome: outcome)
            await queue.run { [weak observer] in observer?.callEnded(report) }
        }
    }

    /// Registers the call before returning, so that the caller can cancel it and equal calls are recognized as
    /// duplicates.
    ///
    /// The task doesn't retain the client. If the client is deallocated, it cancels its running calls, and the task
    /// ends.
    private func run(_ deliver: @escaping @Sendable (CallOutcome<Kind.Output>) async -> Void) -> StartedCall {
        let core = client.core
        let admission = Result { try core.admit(request, settings) }
        return StartedCall(Task { await deliver(await core.outcome(admission)) })
    }
}

extension DispatchQueue {
    /// Runs an action on the queue, and returns when it is done.
    func run(_ action: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            async {
                action()
                continuation.resume()
            }
        }
    }
}
