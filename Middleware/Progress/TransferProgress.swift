/// The progress of one direction of a call: one report, as ``ProgressMiddleware`` gives it.
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
        /// The caller's: the body given for an upload, decoded content for a download.
        case consumer
        /// The bytes that the transport sends and receives: encoded content, each attempt on its own.
        case wire
    }

    /// The state of a transfer.
    public enum State: Sendable, Hashable {
        /// It goes on.
        case running
        /// Every byte was transferred.
        case finished
        /// It was given up: the task was cancelled, the body was dropped before its end, or the server answered before
        /// it had all of the upload.
        case cancelled
        /// It broke; ``TransferProgress/error`` tells why.
        case failed
    }

    /// The number of the call, the same in all its reports and different for each call of the process.
    public let call: UInt64
    /// The bytes that are counted; numbers of one view say nothing about the other.
    public let view: View
    /// The direction of the transfer.
    public let direction: Direction
    /// The state of the transfer.
    public let state: State
    /// The number of the attempt, counted from 1: with each one ``completed`` begins at 0 again.
    ///
    /// In the wire view, each request sent (retry, redirect) is one. In the consumer's view, it is each time the
    /// upload's body is read from its beginning.
    public let attempt: Int
    /// The number of bytes transferred; it never goes back within an attempt.
    public let completed: Int64
    /// The number of bytes in all; `nil` when only the end will tell, and for one that turned out to be wrong.
    public let expected: Int64?
    /// The speed in bytes a second, smoothed over the last seconds, and in the last report the average of the whole
    /// transfer; `nil` before there is anything to measure.
    public let bytesPerSecond: Double?
    /// The time since this direction began.
    public let elapsed: Duration
    /// Whether this view of the call, or the attempt where the view is the wire, has nothing to report after this.
    public let isLast: Bool
    /// The error that ended the transfer, where ``state`` is failed; `nil` otherwise.
    public let error: (any Error)?

    /// Makes a report, for previews and for tests of what shows it.
    ///
    /// - Parameters:
    ///   - direction: Which way the bytes go.
    ///   - completed: The number of bytes transferred.
    ///   - expected: The number of bytes in all, where known.
    ///   - state: How it stands; running by default.
    ///   - view: Whose bytes are counted; the consumer's by default.
    ///   - attempt: Which attempt it is; the first by default.
    ///   - bytesPerSecond: The speed, where known.
    ///   - elapsed: The time since the direction began; none by default.
    ///   - call: The number of the call; 0 by default, which no call has.
    ///   - isLast: Whether nothing is reported after this; by default for a download that does not go on.
    ///   - error: What broke the transfer.
    public init(
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

    /// Whether every byte was transferred.
    public var isFinished: Bool { state == .finished }

    /// The part that is done, from 0 to 1; `nil` when it is not known.
    ///
    /// It is exactly 1 when the transfer is finished, also when its size was not known before.
    public var fraction: Double? {
        if isFinished { return 1 }
        guard let expected else { return nil }
        return expected > 0 ? Double(completed) / Double(expected) : 0
    }

    /// The time that the rest will take at this speed; `nil` when size or speed are not known, zero at the end.
    public var estimatedRemaining: Duration? {
        guard state == .running else { return isFinished ? .zero : nil }
        guard let expected, let bytesPerSecond, bytesPerSecond > 0 else { return nil }
        let seconds = Double(expected - completed) / bytesPerSecond
        return seconds < Self.longestEstimate ? .seconds(seconds) : nil
    }

    /// Ten years, in seconds: beyond it nobody can wait, and before it no arithmetic overflows.
    private static let longestEstimate: Double = 315_576_000
}

extension TransferProgress: CustomStringConvertible {
    /// One line: "download 512 of 1024 bytes, running (attempt 2, wire)".
    public var description: String {
        let size = expected.map { " of \($0)" } ?? ""
        return "\(direction) \(completed)\(size) bytes, \(state) (attempt \(attempt), \(view))"
    }
}
