import HTTPChainSupport

/// The state of one view of a call, and the rules for which changes are reported, without I/O.
///
/// An upload, if there is one, is followed by a download. Either may restart with another attempt. No reports follow
/// the end of the download or ``end(_:error:at:)``.
struct ProgressState: Sendable {
    private enum Stage: Sendable {
        case idle
        case running
        /// The upload is complete, and the response hasn't arrived.
        case between
        case over
    }

    private let call: UInt64
    private let view: TransferProgress.View
    private var stage = Stage.idle
    private var throttle: ProgressThrottle
    private var throughput = Throughput(from: .zero)
    private var began = Duration.zero

    private(set) var direction = TransferProgress.Direction.upload
    private(set) var attempt: Int
    private(set) var completed: Int64 = 0
    private(set) var expected: Int64?

    init(call: UInt64, view: TransferProgress.View, attempt: Int = 1, throttle: ProgressThrottle) {
        self.call = call
        self.view = view
        self.attempt = attempt
        self.throttle = throttle
    }

    var isOver: Bool { stage == .over }

    /// Begins or restarts a direction.
    mutating func begin(
        _ direction: TransferProgress.Direction,
        expected: Int64?,
        attempt: Int? = nil,
        at now: Duration
    ) -> TransferProgress? {
        guard stage != .over else { return nil }
        let expected = expected.flatMap { $0 >= 0 ? $0 : nil }
        let attempt = attempt ?? self.attempt
        // A download begins with its call, and again with the head of its response, which may add no information.
        let isKnown =
            stage == .running && completed == 0
            && (self.direction, self.expected, self.attempt) == (direction, expected, attempt)
        stage = .running
        self.direction = direction
        self.expected = expected
        self.attempt = attempt
        completed = 0
        began = now
        throughput = Throughput(from: now)
        return isKnown ? nil : report(.running, at: now)
    }

    /// Advances to a total, and returns a report unless the rate limit prevents it.
    ///
    /// A total smaller than before is ignored. If a total exceeds the expected one, the expectation was wrong.
    ///
    /// - Parameter expected: The expected total, if it has become known only now.
    mutating func advance(
        _ direction: TransferProgress.Direction,
        to total: Int64,
        of expected: Int64? = nil,
        at now: Duration
    ) -> TransferProgress? {
        guard stage == .running, direction == self.direction, total > completed else { return nil }
        if completed == 0, self.expected == nil { self.expected = expected }
        completed = total
        if let known = self.expected, completed > known { self.expected = nil }
        throughput.record(completed, at: now)
        return throttle.admits(at: now) ? report(.running, at: now) : nil
    }

    /// Ends the upload, before the response arrives.
    ///
    /// - Parameter isWhole: Whether the upload was received completely.
    mutating func endUpload(isWhole: Bool, at now: Duration) -> TransferProgress? {
        guard stage == .running, direction == .upload else { return nil }
        stage = .between
        if isWhole {
            // The transport's last report may be late.
            completed = max(completed, expected ?? 0)
            expected = completed
        }
        return report(isWhole ? .finished : .cancelled, at: now)
    }

    /// Ends the progress.
    ///
    /// If it hasn't begun yet, its first report is made too.
    mutating func end(_ state: TransferProgress.State, error: (any Error)? = nil, at now: Duration)
        -> [TransferProgress]
    {
        guard stage != .over else { return [] }
        var reports: [TransferProgress] = []
        // A failure after a complete upload belongs to the response.
        if stage == .between || stage == .idle, let first = begin(.download, expected: nil, at: now) {
            reports.append(first)
        }
        stage = .over
        if state == .finished { expected = completed }
        reports.append(report(state, error: error, at: now))
        return reports
    }

    private mutating func report(
        _ state: TransferProgress.State,
        error: (any Error)? = nil,
        at now: Duration
    ) -> TransferProgress {
        throttle.pass(at: now)
        let elapsed = max(.zero, now - began)
        let average = elapsed > .zero ? Double(completed) / elapsed.inSeconds : nil
        return TransferProgress(
            direction,
            completed: completed,
            expected: expected,
            state: state,
            view: view,
            attempt: attempt,
            bytesPerSecond: state == .running ? throughput.bytesPerSecond : average,
            elapsed: elapsed,
            call: call,
            isLast: stage == .over,
            error: error
        )
    }
}
