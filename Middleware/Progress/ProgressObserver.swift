import HTTPChainCore

/// Somebody who is told of the progress of a call: reports wait here until they are delivered, one after the other.
///
/// Whoever reports puts its reports in under its own lock, so that their order is settled, and then has them delivered
/// without one. Who comes while another delivers leaves them to the other: no closure is ever called twice at a time.
final class ProgressObserver: Sendable {
    private struct Next: Sendable {
        let report: TransferProgress?
    }

    private struct State: Sendable {
        var buffer = ProgressBuffer()
        var isDelivering = false
        var isClosed = false
        var attempts = 0

        /// The next value for whoever fetches; `nil` while there is nothing.
        var next: Next? {
            mutating get {
                if let report = buffer.popFirst() { return Next(report: report) }
                return isClosed ? Next(report: nil) : nil
            }
        }
    }

    /// The number of the call, where no stage further out has one.
    let call = CallNumber.next()
    private let state = Watched(State())
    private let callback: (@Sendable (TransferProgress) -> Void)?
    /// Reached when the observer wants the call to end.
    let cancellation: CancellationSignal?

    /// An observer that fetches its reports itself, with ``next()``.
    init() {
        callback = nil
        cancellation = nil
    }

    /// An observer that is called on the task that transfers.
    init(cancellation: CancellationSignal? = nil, callback: @escaping @Sendable (TransferProgress) -> Void) {
        self.callback = callback
        self.cancellation = cancellation
    }

    /// The number of an attempt of a call that no stage further out counts.
    func nextAttempt() -> Int {
        state.update { state in
            state.attempts += 1
            return state.attempts
        }
    }

    func enqueue(_ report: TransferProgress) {
        state.update { if !$0.isClosed { $0.buffer.append(report) } }
    }

    /// Calls the closure for all that waits, unless another is at it.
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

    /// Ends the call: who fetches gets what is there and then the end, and closures need not be told.
    func close() {
        guard callback == nil else { return }
        state.update { $0.isClosed = true }
    }

    /// The next report, or `nil` after the last, and when the task is cancelled.
    func next() async -> TransferProgress? {
        let next = try? await state.wait { $0.next }
        return next?.report
    }

    /// The next report, or `nil` after the last, whether the task is cancelled or not.
    func nextUninterrupted() async -> TransferProgress? {
        await state.waitUninterrupted { $0.next }.report
    }
}
