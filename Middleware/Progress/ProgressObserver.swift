import HTTPChainCore

/// An observer of a call's progress, with a queue of reports to deliver one after another.
///
/// Reporters enqueue reports under their own lock, which determines the order, and then deliver them without it. A
/// reporter that finds another one delivering leaves its reports to it, so a closure never runs concurrently.
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

        /// The next value to fetch; `nil` while there is none.
        var next: Next? {
            mutating get {
                if let report = buffer.popFirst() { return Next(report: report) }
                return isClosed ? Next(report: nil) : nil
            }
        }
    }

    /// The number of the call, if no outer stage has one.
    let call = CallNumber.next()
    private let state = Watched(State())
    private let callback: (@Sendable (TransferProgress) -> Void)?
    /// Raised when the observer wants to end the call.
    let cancellation: CancellationSignal?
    /// Whether a chain that reports no progress may ignore the observer.
    let isOptional: Bool

    /// Makes an observer that is called on the transferring task; without a closure, reports are fetched with
    /// ``next()``.
    init(
        cancellation: CancellationSignal? = nil,
        isOptional: Bool = false,
        callback: (@Sendable (TransferProgress) -> Void)? = nil
    ) {
        self.callback = callback
        self.isOptional = isOptional
        self.cancellation = cancellation
    }

    /// Whether a caller waits for the last report.
    var isAwaited: Bool { callback == nil }

    /// Returns the number of an attempt, for a call that no outer stage counts.
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
    /// An observer that fetches reports gets the remaining ones and then the end. A closure needs no notification.
    func close() {
        guard callback == nil else { return }
        state.update { $0.isClosed = true }
    }

    /// Ends the call if nothing has reported it.
    func closeUnread() {
        guard callback == nil else { return }
        state.update { if !$0.isReported { $0.isClosed = true } }
    }

    /// Returns the next report; `nil` after the last, or when the task is cancelled.
    func next() async -> TransferProgress? {
        let next = try? await state.wait { $0.next }
        return next?.report
    }

    /// Returns the next report; `nil` after the last.
    ///
    /// Doesn't return early if the task is cancelled.
    func nextUninterrupted() async -> TransferProgress? {
        await state.waitUninterrupted { $0.next }.report
    }
}
