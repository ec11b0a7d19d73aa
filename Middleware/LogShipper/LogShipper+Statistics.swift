extension LogShipper.FlushResult: CustomStringConvertible {
    /// One line: "complete", or "3 records are left: connection refused".
    public var description: String {
        let cause = lastFailure.map { ": \($0)" } ?? ""
        if !isComplete { return "\(left) \(left == 1 ? "record is" : "records are") left\(cause)" }
        return lastFailure == nil ? "complete" : "complete, with records lost\(cause)"
    }
}

extension LogShipper.Statistics: CustomStringConvertible {
    /// One line: the counts that are not 0, and why a batch failed last.
    public var description: String {
        let counts = [
            (accepted, "accepted"), (unwritten, "unwritten"), (recovered, "recovered"), (sent, "sent"),
            (acknowledged, "acknowledged"), (rejected, "rejected"), (dropped.total, "dropped"), (retries, "retries"),
            (queuedRecords, "queued"),
            (inFlight, "in flight"),
        ]
        let text = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        return (text.isEmpty ? "nothing so far" : text) + (lastFailure.map { "; last failure: \($0)" } ?? "")
    }
}

extension LogShipper {
    /// The numbers of records so far, by what became of them.
    ///
    /// The sums are exact at any moment: what was accepted or recovered is queued, in flight, acknowledged, rejected or
    /// dropped (``DropReason/displaced``, ``DropReason/refused``, ``DropReason/gaveUp``, ``DropReason/unencodable``,
    /// ``DropReason/abandoned``). Records that the shipper makes itself, to report drops, are not counted.
    public struct Statistics: Sendable, Hashable {
        /// Records that were queued; with a spool, those that it has written.
        public internal(set) var accepted = 0
        /// Records that wait to be written to the spool, and are accepted then; 0 without one.
        public internal(set) var unwritten = 0
        /// Records that an earlier process has left in the spool, as far as they were counted, which goes on while the
        /// first of them are sent; an estimate where files were damaged.
        public internal(set) var recovered = 0
        /// Records in the requests that were made, each as often as it was sent.
        public internal(set) var sent = 0
        /// Records that the receiver has taken.
        public internal(set) var acknowledged = 0
        /// Records that the receiver refused while it took the rest of their batch.
        public internal(set) var rejected = 0
        /// Records that are lost, and why.
        public internal(set) var dropped = Drops()
        /// Records not taken because they tell of the shipping itself; not among ``dropped``.
        public internal(set) var ownTraffic = 0
        /// Requests made because one before had failed.
        public internal(set) var retries = 0
        /// Records that wait in the queue; after a shutdown, those that the spool keeps for the next process.
        public internal(set) var queuedRecords = 0
        /// The size of the queued records, in bytes, as ``Settings/queueBytes`` counts it.
        public internal(set) var queuedBytes = 0
        /// Records that were taken from the queue and whose batch is not settled.
        public internal(set) var inFlight = 0
        /// Why a batch failed last, on one line; `nil` while none has.
        ///
        /// A batch that is delivered later leaves it as it is.
        public internal(set) var lastFailure: String?

        /// Nothing so far.
        public init() {}
    }

    /// The result of a flush.
    public struct FlushResult: Sendable, Hashable {
        /// Whether every record that was queued before is settled: acknowledged, or counted among the dropped.
        public let isComplete: Bool
        /// The records that were still queued when the deadline passed, those logged meanwhile included; 0 when complete.
        public let left: Int
        /// Why a batch failed last, on one line, where records are left or lost; `nil` otherwise.
        public let lastFailure: String?

        init(isComplete: Bool, left: Int, lastFailure: String? = nil) {
            self.isComplete = isComplete
            self.left = left
            self.lastFailure = lastFailure
        }
    }

    /// An event in the life of a batch, for an observer.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Event: Sendable {
        /// The receiver took it, but for the records it rejected; what it said, if it said something.
        case acknowledged(records: Int, rejected: Int, message: String?)
        /// It failed, and is sent again after a pause.
        case retrying(records: Int, after: Duration, failure: any Error)
        /// The receiver will never take it: the records are lost.
        case refused(records: Int, failure: any Error)
        /// It was sent as often as ``Settings/attempts`` allows: the records are lost.
        case gaveUp(records: Int, failure: any Error)
        /// The wire format cannot express these records, which are lost; the rest of the batch is sent.
        case unencodable(records: Int, failure: any Error)
    }
}
