import HTTPChainCore

/// The limits and waits for continuing an upload after a failure.
struct UploadPatience: Sendable {
    /// The circumstances of a decision.
    struct Circumstances: Sendable {
        /// The wait that the server requests.
        var asked: Duration?
        /// The time since the call began.
        var elapsed: Duration
        /// The time until the call's deadline.
        var remaining: Duration?
    }

    private let options: ResumableUploadOptions
    /// The number of failures that have been retried.
    private(set) var attempts = 0
    /// The number of such failures since the last progress.
    private var withoutProgress = 0

    init(_ options: ResumableUploadOptions) {
        self.options = options
    }

    mutating func noteProgress() { withoutProgress = 0 }

    /// Returns the wait before the upload continues after a failure, or `nil` to give up.
    mutating func wait(_ circumstances: Circumstances, random: some RandomSource) -> Duration? {
        guard attempts < options.maximumAttempts, withoutProgress < options.maximumAttemptsWithoutProgress,
            circumstances.asked ?? .zero <= options.retryAfterLimit
        else { return nil }
        let drawn = options.backoff.wait(beforeRetry: withoutProgress + 1, random: random)
        let wait = max(circumstances.asked ?? .zero, drawn)
        if let totalTime = options.totalTime, circumstances.elapsed + wait > totalTime { return nil }
        if let remaining = circumstances.remaining, wait >= remaining { return nil }
        attempts += 1
        withoutProgress += 1
        return wait
    }
}
