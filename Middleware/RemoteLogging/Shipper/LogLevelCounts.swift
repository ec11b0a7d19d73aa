public import Logging

/// How many records there are of each level.
public struct LogLevelCounts: Sendable, Hashable {
    private var counts = SIMD8<Int>()

    /// No records.
    public init() {}

    /// The number of records of one level.
    public internal(set) subscript(level: Logger.Level) -> Int {
        get { counts[level.rank] }
        set { counts[level.rank] = newValue }
    }

    /// The number of records of all levels.
    public var total: Int { counts.wrappedSum() }

    /// Whether there is no record.
    public var isEmpty: Bool { counts == SIMD8() }

    static func += (left: inout LogLevelCounts, right: LogLevelCounts) {
        left.counts &+= right.counts
    }

    static func - (left: LogLevelCounts, right: LogLevelCounts) -> LogLevelCounts {
        var result = left
        result.counts &-= right.counts
        return result
    }
}

extension LogLevelCounts: CustomStringConvertible {
    /// The levels of which there are records, such as "info: 3, error: 1".
    public var description: String {
        Logger.Level.allCases.filter { self[$0] != 0 }.map { "\($0.rawValue): \(self[$0])" }.joined(separator: ", ")
    }
}

extension Logger.Level {
    /// The place among the levels: 0 for the least severe.
    var rank: Int {
        switch self {
        case .trace: 0
        case .debug: 1
        case .info: 2
        case .notice: 3
        case .warning: 4
        case .error: 5
        case .critical: 6
        }
    }
}
