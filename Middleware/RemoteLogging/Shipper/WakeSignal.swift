import HTTPChainCore

/// Wakes one waiting task.
///
/// If no task is waiting, the signal is kept for the next one.
final class WakeSignal: Sendable {
    private enum State {
        case quiet
        case signalled
        case awaited(CheckedContinuation<Void, Never>)
    }

    private let state = Locked(State.quiet)

    init() {}

    func wake() {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard case .awaited(let waiting) = state else {
                state = .signalled
                return nil
            }
            state = .quiet
            return waiting
        }
        waiting?.resume()
    }

    /// Waits until the next signal, or until the task is cancelled.
    func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let passes = state.withLock { state -> Bool in
                    if case .signalled = state {
                        state = .quiet
                        return true
                    }
                    // The task was cancelled before it could be woken.
                    if Task.isCancelled { return true }
                    state = .awaited(continuation)
                    return false
                }
                if passes { continuation.resume() }
            }
        } onCancel: {
            let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
                guard case .awaited(let waiting) = state else { return nil }
                state = .quiet
                return waiting
            }
            waiting?.resume()
        }
    }

    /// Waits until the next signal or a point in time, or until the task is cancelled.
    func wait(until instant: Duration?, on time: any TimeSource) async {
        guard let instant else { return await wait() }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await time.wait(until: instant) }
            group.addTask { await self.wait() }
            await group.next()
            group.cancelAll()
        }
    }
}

extension TimeSource {
    /// Waits until a point in time, or until the task is cancelled.
    ///
    /// The task is woken only once.
    func wait(until instant: Duration) async {
        guard self is SystemTime else {
            while case let rest = instant - elapsed, rest > .zero {
                guard (try? await sleep(for: rest)) != nil else { return }
            }
            return
        }
        // The system's clock keeps a cancelled sleep in its queue until its time has come. Alarms don't accumulate.
        guard instant > elapsed else { return }
        let signal = WakeSignal()
        let alarm = alarm(at: instant, for: "log records that wait") { signal.wake() }
        await signal.wait()
        alarm.cancel()
    }
}
