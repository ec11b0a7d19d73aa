package import Foundation
import HTTPChainCore
package import HTTPChainRemoteLogging
package import Logging

extension LogShipper {
    /// The reason for which records are lost.
    package enum DropReason: String, Sendable, Hashable, CaseIterable {
        /// The queue was full of records that are at least as severe, or the spool was full.
        ///
        /// With a spool, also the reason if a more severe record displaced it in memory before it was written to disk.
        case full
        /// The queue was full, and a more severe record displaced this one.
        case displaced
        /// The spool couldn't write the record to disk.
        case unwritable
        /// The receiver will never accept the batch.
        case refused
        /// The batch was sent as often as ``Settings/attempts`` allows, with unknown outcome.
        case gaveUp = "gave_up"
        /// The wire format can't express the record.
        case unencodable
        /// The shipper had already been shut down.
        case shutDown = "shut_down"
        /// The deadline of the shutdown passed before the record was delivered.
        case abandoned

        /// Whether a later batch reports the loss to the receiver.
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

    /// The number of records that were lost, by reason and level.
    package struct Drops: Sendable, Hashable {
        private var counts = Array(repeating: LogLevelCounts(), count: DropReason.allCases.count)

        /// Makes counts of zero.
        package init() {}

        /// The number of records lost for one reason, by level.
        package subscript(reason: DropReason) -> LogLevelCounts {
            get { counts[reason.rank] }
            _modify { yield &counts[reason.rank] }
        }

        /// The total number of lost records.
        package var total: Int { counts.reduce(0) { $0 + $1.total } }

        /// The number of lost records by level.
        package var byLevel: LogLevelCounts { counts.reduce(into: LogLevelCounts()) { $0 += $1 } }

        /// Whether nothing was lost.
        package var isEmpty: Bool { counts.allSatisfy(\.isEmpty) }

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
    /// The numbers by reason and level, such as "full (info: 3, error: 1), refused (info: 512)".
    package var description: String {
        LogShipper.DropReason.allCases.filter { !self[$0].isEmpty }.map { "\($0.rawValue) (\(self[$0]))" }
            .joined(separator: ", ")
    }
}

/// The number of records of each level.
package struct LogLevelCounts: Sendable, Hashable {
    private var counts = SIMD8<Int>()

    /// Makes counts of zero.
    package init() {}

    /// The number of records of one level.
    package subscript(level: Logger.Level) -> Int {
        get { counts[level.rank] }
        set { counts[level.rank] = newValue }
    }

    /// The number of records of all levels.
    package var total: Int { counts.wrappedSum() }

    /// Whether all counts are zero.
    package var isEmpty: Bool { counts == SIMD8() }

    package static func += (left: inout LogLevelCounts, right: LogLevelCounts) {
        left.counts &+= right.counts
    }

    static func - (left: LogLevelCounts, right: LogLevelCounts) -> LogLevelCounts {
        var result = left
        result.counts &-= right.counts
        return result
    }
}

extension LogLevelCounts: CustomStringConvertible {
    /// The number for each level that has records, such as "info: 3, error: 1".
    package var description: String {
        Logger.Level.allCases.filter { self[$0] != 0 }.map { "\($0.rawValue): \(self[$0])" }.joined(separator: ", ")
    }
}

extension Logger.Level {
    /// The position among the levels, starting with 0 for the least severe.
    ///
    /// It is also the level's number in a spool.
    package var rank: Int {
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

/// The record (or span) that reports losses to the receiver.
package enum DropReport {
    package static let component = "HTTPChain.LogShipper"

    package static func record(of drops: LogShipper.Drops, date: Date) -> LogRecord {
        let total = drops.total
        var attributes = LogAttributes()
        attributes.append("log.dropped.count", .integer(Int64(total)))
        let levels = drops.byLevel
        for level in Logger.Level.allCases where levels[level] > 0 {
            attributes.append("log.dropped.level.\(level.rawValue)", .integer(Int64(levels[level])))
        }
        for reason in LogShipper.DropReason.allCases where !drops[reason].isEmpty {
            attributes.append("log.dropped.reason.\(reason.rawValue)", .integer(Int64(drops[reason].total)))
        }
        return LogRecord(
            date: date,
            level: .warning,
            component: component,
            message: total == 1 ? "1 log record was dropped" : "\(total) log records were dropped",
            attributes: attributes
        )
    }

    /// Returns the report as a span, or `nil` for any other record.
    ///
    /// The same record always results in the same span, because the span's IDs are derived from its content.
    package static func span(_ record: LogRecord) -> SpanRecord? {
        guard record.component == component, record.attributes["log.dropped.count"] != nil else { return nil }
        let time = UInt64(exactly: (record.date.timeIntervalSince1970 * 1e9).rounded()) ?? 0
        let digits = SHA256Digest.hex(of: "\(time) \(record.attributes.list.map { "\($0.name)=\($0.value)" })")
        var span = SpanRecord(
            "dropped spans",
            traceID: String(digits.unicodeScalars.prefix(32)),
            spanID: String(digits.unicodeScalars.suffix(16)),
            scope: component,
            start: time,
            end: time
        )
        for attribute in record.attributes.list where attribute.name.begins(with: "log.dropped.") {
            guard let name = attribute.name.without(prefix: "log.") else { continue }
            span.attributes.append("span." + name, attribute.value)
        }
        return span
    }
}
