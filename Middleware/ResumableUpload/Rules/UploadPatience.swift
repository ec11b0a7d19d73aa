import HTTPChainCore

/// The limits and the waits within which an upload continues after a failure.
struct UploadPatience: Sendable {
    /// The circumstances of one decision.
    struct Circumstances: Sendable {
        /// The wait that the server asks for.
        var asked: Duration?
        /// Since the call began.
        var elapsed: Duration
        /// Until the deadline of the call.
        var remaining: Duration?
    }

    private let options: ResumableUploadOptions
    /// The number of failures that were gone on after.
    private(set) var attempts = 0
    /// Those of them since the server had more than before.
    private var withoutProgress = 0

    init(_ options: ResumableUploadOptions) {
        self.options = options
    }

    mutating func noteProgress() { withoutProgress = 0 }

    /// The wait before the upload goes on after a failure; nil when it is given up.
    mutating func wait(_ circumstances: Circumstances, random: some RandomSource) -> Duration? {
        guard attempts < options.maximumAttempts, withoutProgress < options.maximumAttemptsWithoutProgress,
            circumstances.asked ?? .zero <= options.retryAfterLimit
        else { return nil }
        let drawn = Backoff(base: options.firstWait, cap: options.longestWait)
            .wait(beforeRetry: withoutProgress + 1, random: random)
        let wait = max(circumstances.asked ?? .zero, drawn)
        if let totalTime = options.totalTime, circumstances.elapsed + wait > totalTime { return nil }
        if let remaining = circumstances.remaining, wait >= remaining { return nil }
        attempts += 1
        withoutProgress += 1
        return wait
    }
}
