extension LogShipper {
    /// Why records are lost.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum DropReason: String, Sendable, Hashable, CaseIterable {
        /// The queue was full of records that are as severe or more so; or the spool was full.
        case full
        /// The queue was full, and a more severe record took the place.
        case displaced
        /// The spool could not write it to the disk.
        case unwritable
        /// The receiver will never take the batch.
        case refused
        /// The batch was sent as often as ``Settings/attempts`` allows, and nobody knows what became of it.
        case gaveUp = "gave_up"
        /// The wire format cannot express the record.
        case unencodable
        /// The shipper was shut down before.
        case shutDown = "shut_down"
        /// The deadline of the shutdown passed before they were sent.
        case abandoned

        /// Whether a later batch tells the receiver of the loss.
        var isReported: Bool {
            switch self {
            case .full, .displaced, .unwritable, .refused, .gaveUp, .unencodable: true
            case .shutDown, .abandoned: false
            }
        }

        var rank: Int {
            switch self {
            case .full: 0
            case .displaced: 1
            case .unwritable: 2
            case .refused: 3
            case .gaveUp: 4
            case .unencodable: 5
            case .shutDown: 6
            case .abandoned: 7
            }
        }
    }

    /// How many records were lost, by reason and level.
    public struct Drops: Sendable, Hashable {
        private var counts = Array(repeating: LogLevelCounts(), count: DropReason.allCases.count)

        /// None.
        public init() {}

        /// The records lost for one reason.
        public internal(set) subscript(reason: DropReason) -> LogLevelCounts {
            get { counts[reason.rank] }
            _modify { yield &counts[reason.rank] }
        }

        /// The number of all of them.
        public var total: Int { counts.reduce(0) { $0 + $1.total } }

        /// All of them by level.
        public var byLevel: LogLevelCounts { counts.reduce(into: LogLevelCounts()) { $0 += $1 } }

        /// Whether nothing was lost.
        public var isEmpty: Bool { counts.allSatisfy(\.isEmpty) }

        static func += (left: inout Drops, right: Drops) {
            for reason in DropReason.allCases { left[reason] += right[reason] }
        }

        static func - (left: Drops, right: Drops) -> Drops {
            var result = left
            for reason in DropReason.allCases { result[reason] = left[reason] - right[reason] }
            return result
        }
    }
}

extension LogShipper.Drops: CustomStringConvertible {
    /// The reasons and levels, such as "full (info: 3, error: 1), refused (info: 512)".
    public var description: String {
        LogShipper.DropReason.allCases.filter { !self[$0].isEmpty }.map { "\($0.rawValue) (\(self[$0]))" }
            .joined(separator: ", ")
    }
}
