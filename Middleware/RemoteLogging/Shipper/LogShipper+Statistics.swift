public import HTTPChainCore

extension LogShipper.FlushResult: CustomStringConvertible, DescribedValue {
    /// One line: "complete", or "3 records are left: connection refused".
    package var words: String {
        let cause = lastFailure.map { ": \($0)" } ?? ""
        if !isComplete { return "\(left) \(left == 1 ? "record is" : "records are") left\(cause)" }
        return lastFailure == nil ? "complete" : "complete, with records lost\(cause)"
    }
}

extension LogShipper.Statistics: CustomStringConvertible, DescribedValue {
    /// One line: the counts that aren't 0, and the last failure.
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
    /// rejected or dropped. The shipper's own records, which report drops, aren't counted.
    public struct Statistics: Sendable, Hashable {
        /// Records that were queued; with a spool, those that were written to it.
        public internal(set) var accepted = 0
        /// Records waiting to be written to the spool, which are accepted once they are written; 0 without a spool.
        public internal(set) var unwritten = 0
        /// Records left in the spool by an earlier process, as far as counted.
        ///
        /// Counting continues while the first ones are sent. The number is an estimate if files were damaged.
        package internal(set) var recovered = 0
        /// Records in all requests, each counted as often as it was sent.
        package internal(set) var sent = 0
        /// Records that the receiver has accepted.
        public internal(set) var acknowledged = 0
        /// Records that the receiver rejected while accepting the rest of their batch.
        package internal(set) var rejected = 0
        /// Records that are lost, by reason and level.
        package internal(set) var drops = Drops()
        /// Records that are lost.
        public var dropped: Int { drops.total }
        /// Records about the shipping itself, which were ignored and aren't included in ``dropped``.
        package internal(set) var ownTraffic = 0
        /// Requests that retried a failed one.
        package internal(set) var retries = 0
        /// Records in the queue; after a shutdown, those that the spool keeps for the next process.
        package internal(set) var queuedRecords = 0
        /// The size of the queued records, in bytes, as ``Settings/queueBytes`` counts it.
        package internal(set) var queuedBytes = 0
        /// Records of batches that were taken from the queue and aren't settled.
        package internal(set) var inFlight = 0
        /// The last failure of a batch, on one line; `nil` if none has failed.
        ///
        /// A later success doesn't reset it.
        public internal(set) var lastFailure: String?

        package init() {}
    }

    /// The result of a flush.
    public struct FlushResult: Sendable, Hashable {
        /// Whether every record queued before is settled: acknowledged, or counted as dropped.
        public let isComplete: Bool
        /// The number of records still queued at the deadline, including those logged meanwhile; 0 if complete.
        public let left: Int
        /// The last failure of a batch, on one line, if records are left or lost; otherwise `nil`.
        package var lastFailure: String?
    }

    /// An event in the life of a batch, passed to an observer.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Event: Sendable {
        /// The receiver accepted it, except for the rejected records; with its message, if any.
        case acknowledged(records: Int, rejected: Int, message: String?)
        /// It failed, and will be retried after a pause.
        case retrying(records: Int, after: Duration, failure: any Error)
        /// The receiver will never accept it: the records are lost.
        case refused(records: Int, failure: any Error)
        /// It was sent as often as ``Settings/attempts`` allows: the records are lost.
        case gaveUp(records: Int, failure: any Error)
        /// The wire format can't express these records, which are lost; the rest of the batch is sent.
        case unencodable(records: Int, failure: any Error)
    }
}
