public import HTTPChainCore

extension LogShipper {
    /// The limits of the queue and of batches, and the rules for failures.
    ///
    /// Defaults are those of the OpenTelemetry batch log record processor where it has one. Values that make no sense
    /// are taken for the nearest that do.
    public struct Settings: Sendable, Hashable {
        /// The number of records that wait in memory at most; 2,048 by default.
        ///
        /// Those of a batch in flight come on top.
        public var queueRecords = 2048
        /// The memory that the waiting records take at most, by estimate; 4 MiB by default.
        public var queueBytes: ByteCount = .mebibytes(4)
        /// The number of records that are sent at once at most; 512 by default.
        public var batchRecords = 512
        /// The memory that the records sent at once take at most, by estimate; 1 MiB by default.
        ///
        /// A larger record is sent alone.
        public var batchBytes: ByteCount = .mebibytes(1)
        /// The time that a record waits for others before it is sent; 1 second by default.
        public var batchAge: Duration = .seconds(1)
        /// The time that one request may take, its answer included; 30 seconds by default.
        public var exportTimeout: Duration = .seconds(30)
        /// The number of batches that are sent at once, at most; 1 by default, which keeps the order of the records as
        /// long as none fails.
        ///
        /// A batch that waits before a retry does not hold up the others: as many again may wait so. Where the receiver
        /// itself asks to wait (`Retry-After`), or does not know who sends (401, 403), the others wait too; and so they do
        /// with a spool, where what passed would come twice after a `kill -9`.
        public var concurrentExports = 1
        /// The longest pause before the first retry, which doubles with each; 1 second by default.
        ///
        /// The pause itself is drawn evenly from zero to the longest.
        public var retryBase: Duration = .seconds(1)
        /// The longest pause, unless the receiver asks for a longer one; 30 seconds by default.
        public var retryCap: Duration = .seconds(30)
        /// The longest `Retry-After` that is honoured, a longer one being cut to it; 5 minutes by default.
        public var retryAfterCap: Duration = .seconds(300)
        /// The number of times at most that a batch is sent which may have reached the receiver without an answer; 20
        /// by default, so that a batch which breaks the receiver does not hold up the others for good.
        ///
        /// A receiver that cannot be reached, or that answers that it may take the batch later, does not count: such a
        /// batch is sent until it is taken.
        public var attempts = 20

        /// The time that a shutdown may take that is given no deadline; 30 seconds by default.
        public var shutdownTimeout: Duration = .seconds(30)

        /// The default settings.
        public init() {}

        /// The default settings.
        public static let standard = Settings()

        /// The settings of a command-line tool: what it logs is sent soon, and when it ends nobody waits longer than 3
        /// seconds for a receiver that does not answer.
        public static let commandLine: Settings = {
            var settings = Settings()
            settings.batchAge = .milliseconds(200)
            settings.exportTimeout = .seconds(2)
            settings.retryBase = .milliseconds(200)
            settings.retryCap = .seconds(1)
            settings.shutdownTimeout = .seconds(3)
            return settings
        }()

        /// The settings with each value in its range.
        package var bounded: Settings {
            var result = self
            result.queueRecords = min(max(1, queueRecords), 1 << 30)
            result.batchRecords = min(max(1, batchRecords), result.queueRecords)
            result.batchAge = batchAge.bounded
            result.exportTimeout = max(.milliseconds(1), exportTimeout.bounded)
            result.concurrentExports = min(max(1, concurrentExports), 1 << 20)
            result.retryBase = retryBase.bounded
            result.retryCap = retryCap.bounded
            result.retryAfterCap = retryAfterCap.bounded
            result.attempts = max(1, attempts)
            return result
        }
    }
}
