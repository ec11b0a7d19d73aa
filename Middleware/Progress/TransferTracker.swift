import HTTPChainCore

/// Tracks one view of a call or of an attempt, and notifies the observers.
final class TransferTracker: Sendable {
    private let state: Locked<ProgressState>
    private let observers: [ProgressObserver]
    private let time: any TimeSource
    /// The call, if this is the consumer's view of it.
    private let call: ProgressCall?
    /// Whether this tracker makes the call's last report.
    private let isOutermost: Bool

    init(
        _ state: ProgressState,
        observers: [ProgressObserver],
        time: any TimeSource,
        call: ProgressCall?,
        isOutermost: Bool
    ) {
        self.state = Locked(state)
        self.observers = observers
        self.time = time
        self.call = call
        self.isOutermost = isOutermost
    }

    /// The current attempt.
    var attempt: Int { state.withLock { $0.attempt } }

    var isOver: Bool { state.withLock { $0.isOver } }

    /// The signals that can end the call from outside.
    var signals: [CancellationSignal] { observers.compactMap(\.cancellation) }

    func begin(_ direction: TransferProgress.Direction, expected: Int64?) {
        report { $0.begin(direction, expected: expected, at: $1) }
    }

    func advance(_ direction: TransferProgress.Direction, to total: Int64) {
        report { $0.advance(direction, to: total, at: $1) }
    }

    /// Ends the upload when the response has arrived.
    ///
    /// - Parameter isWhole: Returns whether the upload was received completely.
    func endUpload(isWhole: (ProgressState) -> Bool) {
        report { state, now in state.endUpload(isWhole: isWhole(state), at: now) }
    }

    /// Restarts the upload as another attempt, unless the response has already arrived.
    func beginUploadAgain(expected: Int64?, attempt: Int) {
        report { state, now in
            guard state.direction == .upload else { return nil }
            return state.begin(.upload, expected: expected, attempt: attempt, at: now)
        }
    }

    /// Counts bytes of an attempt.
    ///
    /// - Parameter expected: The total, if known by now.
    func advanceUpload(to total: Int64, of expected: Int64? = nil, attempt: Int) {
        report { state, now in
            // An earlier attempt may still be running, in parallel with the newer one.
            state.attempt == attempt ? state.advance(.upload, to: total, of: expected, at: now) : nil
        }
    }

    func endUpload(attempt: Int) {
        report { state, now in state.attempt == attempt ? state.endUpload(isWhole: true, at: now) : nil }
    }

    /// Ends the progress.
    ///
    /// Later calls have no effect.
    func end(_ end: TransferProgress.State, error: (any Error)? = nil) {
        if isOver { return }
        call?.end(end, error: error)
        let now = time.elapsed
        let isReported = state.withLock { state in
            let reports = state.end(end, error: error, at: now)
            for report in reports { enqueue(report) }
            return !reports.isEmpty
        }
        guard isReported else { return }
        for observer in observers {
            if isOutermost { observer.close() }
            observer.deliver()
        }
    }

    /// Ends the progress as cancelled or failed, depending on the error.
    func end(with error: any Error) {
        if error is CancellationError || Task.isCancelled { end(.cancelled) } else { end(.failed, error: error) }
    }

    private func report(_ change: (inout ProgressState, Duration) -> TransferProgress?) {
        let now = time.elapsed
        // Reports are added to the queue under the lock, so that they stay in order, and delivered after it is
        // released.
        let isReported = state.withLock { state in
            guard let report = change(&state, now) else { return false }
            enqueue(report)
            return true
        }
        guard isReported else { return }
        for observer in observers { observer.deliver() }
    }

    private func enqueue(_ report: TransferProgress) {
        for observer in observers { observer.enqueue(report) }
    }
}
