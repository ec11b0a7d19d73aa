import HTTPChainCore

/// Counts the bytes of the caller's content, regardless of how inner stages change it.
///
/// If the transport reports sent bytes, those are counted, because a transport may read a body long before it sends it.
/// Content that is encoded while it is read is counted as it is read, because its encoded size isn't known in advance.
final class ContentCounter: RequestContentObserver {
    private struct State {
        /// The content's size, once known.
        var length: Int64?
        /// Whether bytes are counted as they are read, rather than as they are sent.
        var isRead: Bool
        var attempts = 0
    }

    private let tracker: TransferTracker
    private let first: Int
    private let asRead: Bool
    private let outer: (any RequestContentObserver)?
    private let state: Locked<State>

    init(_ tracker: TransferTracker, length: Int64?, asRead: Bool, outer: (any RequestContentObserver)?) {
        self.tracker = tracker
        self.asRead = asRead
        self.outer = outer
        first = tracker.attempt
        state = Locked(State(length: length, isRead: asRead))
    }

    func contentIsMade(_ content: HTTPBody) -> HTTPBody {
        let content = outer?.contentIsMade(content) ?? content
        state.withLock { $0.length = content.length }
        tracker.begin(.upload, expected: content.length)
        return asRead ? counting(content) : content
    }

    func contentIsEncoded(_ content: HTTPBody) -> HTTPBody {
        let content = outer?.contentIsEncoded(content) ?? content
        if asRead { return content }
        state.withLock { $0.isRead = true }
        return counting(content)
    }

    /// Returns the content.
    ///
    /// Each reading of it counts as an attempt.
    func counting(_ content: HTTPBody) -> HTTPBody {
        content.transformed(length: content.length) { [self] inner in
            let attempt = beginAttempt()
            return CountingReader(
                inner: inner,
                advance: { [tracker] in tracker.advanceUpload(to: $0, attempt: attempt) },
                end: { [tracker] in if $0 == nil { tracker.endUpload(attempt: attempt) } }
            )
        }
    }

    /// Begins another attempt to send the content.
    ///
    /// - Returns: The closure to which the transport reports.
    func beginSending() -> @Sendable (_ sent: Int64, _ expected: Int64?) -> Void {
        if state.withLock({ $0.isRead }) { return { _, _ in } }
        let attempt = beginAttempt()
        return { [self] sent, expected in
            let length = state.withLock { $0.length }
            let count = Self.count(sent: sent, of: expected, for: length)
            tracker.advanceUpload(to: count, of: length ?? expected, attempt: attempt)
        }
    }

    private func beginAttempt() -> Int {
        let (earlier, length) = state.withLock { state in
            defer { state.attempts += 1 }
            return (state.attempts, state.length)
        }
        if earlier > 0 { tracker.beginUploadAgain(expected: length, attempt: first + earlier) }
        return first + earlier
    }

    /// The number of bytes of the content that were sent, scaled if the encoded content has a different size.
    static func count(sent: Int64, of expected: Int64?, for length: Int64?) -> Int64 {
        guard let length, let expected, expected > 0, expected != length else { return sent }
        if sent >= expected { return length }
        return Int64(Double(sent) / Double(expected) * Double(length))
    }
}
