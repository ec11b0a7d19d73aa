public import HTTPChainCore

extension LogShipper.FlushResult: CustomStringConvertible, DescribedValue {
    /// One line, such as "complete" or "3 records are left: connection refused".
    package var words: String {
        let cause = lastFailure.map { ": \($0)" } ?? ""
        if !isComplete { return "\(left) \(left == 1 ? "record is" : "records are") left\(cause)" }
        return lastFailure == nil ? "complete" : "complete, with records lost\(cause)"
    }
}

extension LogShipper.Statistics: CustomStringConvertible, DescribedValue {
    /// One line with the counts that aren't 0, and the last failure.
    package var words: String {
        let counts = [
            (accepted, "accepted"), (unwritten, "unwritten"), (recovered, "recovered"), (sent, "sent"),
            (acknowledged, "acknowledged"), (rejected, "rejected"), (dropped, "dropped"), (retries, "retries"),
            (queuedRecords, "queued"),
            (inFlight, "in flight"),
        ]
        let text = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        return (text.isEmpty ? "nothing so far" : text) + (lastFailure.map { "; last failure: \($0)" } ?? "")
    }
}

extension LogShipper {
    /// The numbers of records so far, by outcome.
    ///
    /// The sums are always exact: each record that was accepted or recovered is queued, in flight, acknowledged,
    /// rejected or dropped. Records of the shipper itself, which report drops, aren't counted.
    public struct Statistics: Sendable, Hashable {
        /// The number of records that were queued.
        ///
        /// With a spool, the number of those that were written to it.
        public internal(set) var accepted = 0
        /// The number of records waiting to be written to the spool.
        ///
        /// They count as accepted once they are written. Without a spool, 0.
        public internal(set) var unwritten = 0
        /// The number of records left in the spool by an earlier process, as far as they have been counted.
        ///
        /// Counting continues while the first ones are sent. If files were damaged, the number is an estimate.
        package internal(set) var recovered = 0
        /// The number of records in all requests.
        ///
        /// Each record is counted as often as it was sent.
        package internal(set) var sent = 0
        /// The number of records that the receiver has accepted.
        public internal(set) var acknowledged = 0
        /// The number of records that the receiver rejected while it accepted the rest of their batch.
        package internal(set) var rejected = 0
        /// The number of records that are lost, by reason and level.
        package internal(set) var drops = Drops()
        /// The number of records that are lost.
        public var dropped: Int { drops.total }
        /// The number of records about the shipping itself.
        ///
        /// They were ignored, and aren't included in ``dropped``.
        package internal(set) var ownTraffic = 0
        /// The number of requests that retried a failed one.
        package internal(set) var retries = 0
        /// The number of records in the queue.
        ///
        /// After a shutdown, the number of those that the spool keeps for the next process.
        package internal(set) var queuedRecords = 0
        /// The estimated size of the queued records in bytes, as limited by ``Settings/queueBytes``.
        package internal(set) var queuedBytes = 0
        /// The number of records in batches that were taken from the queue and aren't settled yet.
        package internal(set) var inFlight = 0
        /// The last failure of a batch as one line, or `nil` if none has failed.
        ///
        /// A later success doesn't reset it.
        public internal(set) var lastFailure: String?

        package init() {}
    }

    /// The result of a flush.
    public struct FlushResult: Sendable, Hashable {
        /// Whether all records queued before are settled, that is, acknowledged or counted as dropped.
        public let isComplete: Bool
        /// The number of records still queued at the deadline, including those logged in the meantime; 0 if the flush
        /// is complete.
        public let left: Int
        /// The last failure of a batch as one line, if records are left or lost; otherwise `nil`.
        package var lastFailure: String?
    }

    /// An event about a batch, passed to an observer.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Event: Sendable {
        /// The receiver accepted the batch, except for the rejected records.
        ///
        /// Contains its message, if any.
        case acknowledged(records: Int, rejected: Int, message: String?)
        /// The batch failed, and will be retried after a pause.
        case retrying(records: Int, after: Duration, failure: any Error)
        /// The receiver will never accept the batch, so its records are lost.
        case refused(records: Int, failure: any Error)
        /// The batch was sent as often as ``Settings/attempts`` allows, so its records are lost.
        case gaveUp(records: Int, failure: any Error)
        /// The wire format can't express these records, so they are lost.
        ///
        /// The rest of the batch is sent.
        case unencodable(records: Int, failure: any Error)
    }
}
