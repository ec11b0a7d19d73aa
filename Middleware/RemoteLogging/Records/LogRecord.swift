public import Foundation
public import Logging

/// One entry of a log: what happened, when, where and how severe it is.
///
/// A record is plain data with nothing secret in it: whoever makes one redacts it.
public struct LogRecord: Sendable, Hashable {
    /// The date when it happened.
    public var date: Date
    /// The severity.
    public var level: Logger.Level
    /// The part of the program that it comes from, such as `http.client`; the label of a `Logger`.
    public var component: String
    /// A description of what happened, for people.
    public var message: String
    /// The attributes that say what happened, for machines.
    public var attributes: LogAttributes

    /// Makes a record.
    public init(
        date: Date,
        level: Logger.Level,
        component: String,
        message: String,
        attributes: LogAttributes = [:]
    ) {
        self.date = date
        self.level = level
        self.component = component
        self.message = message
        self.attributes = attributes
    }
}

/// Takes log records: a shipper, a console, a test.
public protocol LogSink: Sendable {
    /// Whether records of this level from this component are logged; asked before the work of making one.
    ///
    /// A sink that is enabled for a level is enabled for every more severe one.
    func isEnabled(_ level: Logger.Level, for component: String) -> Bool

    /// Takes a record.
    ///
    /// It returns at once: it neither waits nor fails. What it cannot keep it counts.
    func log(_ record: consuming LogRecord)
}

extension LogSink {
    /// Every record is taken.
    public func isEnabled(_ level: Logger.Level, for component: String) -> Bool { true }
}

/// Whether the current task sends log records: what it logs meanwhile would be about itself, and is not logged.
package enum LogShipping {
    @TaskLocal package static var isUnderWay = false
}
