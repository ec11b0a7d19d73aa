public import HTTPChainCore

/// A report from ``ProgressMiddleware`` on the progress of one direction of a call.
public struct TransferProgress: Sendable {
    /// The direction of a transfer.
    public enum Direction: Sendable, Hashable {
        /// The request's body.
        case upload
        /// The response's body.
        case download
    }

    /// The bytes that are counted: those of the caller, or those on the wire.
    public enum View: Sendable, Hashable {
        /// The caller's bytes: an upload's body as given, or a download's decoded content.
        case consumer
        /// The bytes that the transport sends and receives: encoded content, counted separately for each attempt.
        case wire
    }

    /// The state of a transfer.
    public enum State: Sendable, Hashable {
        /// The transfer is in progress.
        case running
        /// All bytes were transferred.
        case finished
        /// The transfer was ended early.
        ///
        /// The task was cancelled, the body was dropped before its end, or the server responded before it had received
        /// the whole upload.
        case cancelled
        /// The transfer failed with the error in ``TransferProgress/error``.
        case failed
    }

    /// The number of the call, shared by all its reports and unique in the process.
    public let call: UInt64
    /// The bytes that are counted.
    ///
    /// Numbers of different views can't be compared.
    package let view: View
    /// The direction of the transfer.
    public let direction: Direction
    /// The state of the transfer.
    public let state: State
    /// The number of the attempt, starting with 1.
    ///
    /// Each attempt starts with ``completed`` at 0.
    ///
    /// In the wire's view, each request sent (retry, redirect) is an attempt. In the consumer's view, each reading of
    /// the upload's body from its beginning is one.
    public let attempt: Int
    /// The number of bytes transferred, which never decreases within an attempt.
    public let completed: Int64
    /// The total number of bytes; `nil` if it isn't known before the end, or if the expected number was wrong.
    public let expected: Int64?
    /// The speed in bytes per second, smoothed over the last seconds; `nil` if nothing has been measured yet.
    ///
    /// In the last report, it is the average of the whole transfer.
    public let bytesPerSecond: Double?
    /// The time since this direction began.
    public let elapsed: Duration
    /// Whether this is the last report of this view of the call or, in the wire view, of the attempt.
    package let isLast: Bool
    /// The error that ended the transfer if ``state`` is `failed`; otherwise `nil`.
    public let error: (any Error)?

    /// Makes a report, for previews and tests.
    ///
    /// - Parameters:
    ///   - direction: The direction.
    ///   - completed: The number of bytes transferred.
    ///   - expected: The total number of bytes, if known.
    ///   - state: The state; running by default.
    ///   - view: The view; the consumer's by default.
    ///   - attempt: The number of the attempt; 1 by default.
    ///   - bytesPerSecond: The speed, if known.
    ///   - elapsed: The time since the direction began; zero by default.
    ///   - call: The number of the call. The default, 0, isn't the number of any call.
    ///   - isLast: Whether this is the last report. By default, `true` for a download that isn't running.
    ///   - error: The error that ended the transfer.
    package init(
        _ direction: Direction,
        completed: Int64,
        expected: Int64? = nil,
        state: State = .running,
        view: View = .consumer,
        attempt: Int = 1,
        bytesPerSecond: Double? = nil,
        elapsed: Duration = .zero,
        call: UInt64 = 0,
        isLast: Bool? = nil,
        error: (any Error)? = nil
    ) {
        self.call = call
        self.view = view
        self.direction = direction
        self.state = state
        self.attempt = attempt
        self.completed = completed
        self.expected = expected
        self.bytesPerSecond = bytesPerSecond
        self.elapsed = elapsed
        self.isLast = isLast ?? (direction == .download && state != .running)
        self.error = error
    }

    /// Whether all bytes were transferred.
    public var isFinished: Bool { state == .finished }

    /// The completed fraction, from 0 to 1; `nil` if unknown.
    ///
    /// It is exactly 1 when the transfer has finished, even if its size was unknown before.
    public var fraction: Double? {
        if isFinished { return 1 }
        guard let expected else { return nil }
        return expected > 0 ? Double(completed) / Double(expected) : 0
    }

    /// The estimated remaining time at the current speed; `nil` if the size or speed is unknown, and zero at the end.
    public var estimatedRemaining: Duration? {
        guard state == .running else { return isFinished ? .zero : nil }
        guard let expected, let bytesPerSecond, bytesPerSecond > 0 else { return nil }
        let seconds = Double(expected - completed) / bytesPerSecond
        return seconds < Self.longestEstimate ? .seconds(seconds) : nil
    }

    /// Ten years, in seconds.
    ///
    /// Longer estimates are useless and could overflow.
    private static let longestEstimate: Double = 315_576_000
}

extension TransferProgress: CustomStringConvertible, DescribedValue {
    /// One line, such as "download 512 of 1024 bytes, running (attempt 2, wire)".
    package var words: String {
        let size = expected.map { " of \($0)" } ?? ""
        return "\(direction) \(completed)\(size) bytes, \(state) (attempt \(attempt), \(view))"
    }
}
