import Foundation
import HTTPChainCore
import Logging

/// The record that tells the receiver what it will never see.
enum DropReport {
    static let component = "HTTPChain.LogShipper"

    static func record(of drops: LogShipper.Drops, date: Date) -> LogRecord {
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
}
