public import HTTPChainCore

extension LogShipper {
    /// The limits of the queue and of batches, and the rules for retries.
    ///
    /// The defaults are those of the OpenTelemetry batch log record processor, if it has such a setting. Invalid values
    /// are replaced by the nearest valid ones.
    public struct Settings: Sendable, Hashable {
        /// The maximum number of records waiting in memory; 2,048 by default.
        ///
        /// Records of batches in flight aren't included.
        public var queueRecords = 2048
        /// The maximum estimated memory size of the waiting records; 4 MiB by default.
        public var queueBytes: ByteCount = .mebibytes(4)
        /// The maximum number of records in a batch; 512 by default.
        public var batchRecords = 512
        /// The maximum estimated memory size of the records in a batch; 1 MiB by default.
        ///
        /// A larger record is sent alone.
        public var batchBytes: ByteCount = .mebibytes(1)
        /// The time that a record waits for others before it is sent; 1 second by default.
        public var batchAge: Duration = .seconds(1)
        /// The timeout of a request, including its response; 30 seconds by default.
        public var exportTimeout: Duration = .seconds(30)
        /// The maximum number of batches sent concurrently.
        ///
        /// The default is 1, which preserves the order of the records unless a batch fails.
        ///
        /// A batch that is waiting to be retried doesn't delay the others: up to the same number of batches may wait.
        /// If the receiver requests the wait (`Retry-After`) or rejects the credentials (401, 403), the others wait
        /// too. With a spool, they always wait, because later batches would be sent twice after a `kill -9`.
        public var concurrentExports = 1
        /// The longest pause before the first retry.
        ///
        /// It doubles with each retry; 1 second by default.
        ///
        /// The actual pause is random, uniformly distributed between zero and the longest pause.
        package var retryBase: Duration = .seconds(1)
        /// The longest pause, unless the receiver requests a longer one; 30 seconds by default.
        package var retryCap: Duration = .seconds(30)
        /// The maximum `Retry-After`; 5 minutes by default.
        ///
        /// Longer values are reduced to it.
        package var retryAfterCap: Duration = .seconds(300)
        /// The maximum number of times that a batch is sent if the receiver may have received it but didn't respond; 20
        /// by default.
        ///
        /// This keeps a batch that crashes the receiver from blocking the others forever.
        ///
        /// Attempts don't count if the receiver was unreachable, or may accept the batch later. Such a batch is retried
        /// until it is accepted.
        public var attempts = 20

        /// The time limit of a shutdown without a deadline; 30 seconds by default.
        package var shutdownTimeout: Duration = .seconds(30)

        /// The default settings.
        public init() {}

        /// The default settings.
        package static let standard = Settings()

        /// The settings for a command-line tool.
        ///
        /// Records are sent soon, and at the end the program waits for an unresponsive receiver for at most 3 seconds.
        public static let commandLine: Settings = {
            var settings = Settings()
            settings.batchAge = .milliseconds(200)
            settings.exportTimeout = .seconds(2)
            settings.retryBase = .milliseconds(200)
            settings.retryCap = .seconds(1)
            settings.shutdownTimeout = .seconds(3)
            return settings
        }()

        /// The settings, with each value limited to its valid range.
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
