import HTTPChainCore

/// An observer of a call's progress, with a queue of reports that are delivered one after another.
///
/// Reporters add reports to the queue under their own lock, which determines the order, and deliver them after
/// releasing it. If another reporter is already delivering, it also delivers the new reports, so that a closure never
/// runs concurrently.
final class ProgressObserver: Sendable {
    private struct Next: Sendable {
        let report: TransferProgress?
    }

    private struct State: Sendable {
        var buffer = ProgressBuffer()
        var isDelivering = false
        var isClosed = false
        /// Whether a report has arrived.
        var isReported = false
        var attempts = 0

        /// The next value to fetch; `nil` if there is none yet.
        var next: Next? {
            mutating get {
                if let report = buffer.popFirst() { return Next(report: report) }
                return isClosed ? Next(report: nil) : nil
            }
        }
    }

    /// The number of the call, if no outer stage has assigned one.
    let call = CallNumber.next()
    private let state = Watched(State())
    private let callback: (@Sendable (TransferProgress) -> Void)?
    /// The signal that the observer raises to end the call.
    let cancellation: CancellationSignal?
    /// Whether a chain that reports no progress may ignore the observer.
    let isOptional: Bool

    /// Makes an observer whose closure is called on the transferring task.
    ///
    /// Without a closure, reports are fetched with ``next()``.
    init(
        cancellation: CancellationSignal? = nil,
        isOptional: Bool = false,
        callback: (@Sendable (TransferProgress) -> Void)? = nil
    ) {
        self.callback = callback
        self.isOptional = isOptional
        self.cancellation = cancellation
    }

    /// Whether a caller fetches the reports and waits for the last one.
    var isAwaited: Bool { callback == nil }

    /// Returns the number of the next attempt, for a call whose attempts no outer stage counts.
    func nextAttempt() -> Int {
        state.update { state in
            state.attempts += 1
            return state.attempts
        }
    }

    func enqueue(_ report: TransferProgress) {
        state.update { state in
            state.isReported = true
            if !state.isClosed { state.buffer.append(report) }
        }
    }

    /// Calls the closure for all waiting reports, unless another task is already delivering.
    func deliver() {
        guard let callback else { return }
        var isMine = false
        while true {
            let report = state.update { [isMine] state -> TransferProgress? in
                guard isMine || !state.isDelivering else { return nil }
                let report = state.buffer.popFirst()
                state.isDelivering = report != nil
                return report
            }
            guard let report else { return }
            isMine = true
            callback(report)
        }
    }

    /// Ends the call.
    ///
    /// An observer that fetches reports receives the remaining ones and then the end. A closure isn't notified.
    func close() {
        guard callback == nil else { return }
        state.update { $0.isClosed = true }
    }

    /// Ends the call if no stage has reported on it.
    func closeUnread() {
        guard callback == nil else { return }
        state.update { if !$0.isReported { $0.isClosed = true } }
    }

    /// Returns the next report, or `nil` after the last one or when the task is cancelled.
    func next() async -> TransferProgress? {
        let next = try? await state.wait { $0.next }
        return next?.report
    }

    /// Returns the next report, or `nil` after the last one.
    ///
    /// It keeps waiting if the task is cancelled.
    func nextUninterrupted() async -> TransferProgress? {
        await state.waitUninterrupted { $0.next }.report
    }
}
