public import Foundation
public import Logging

/// An entry of a log, which describes an event.
///
/// A record is plain data without secrets. Whoever creates it must redact it.
public struct LogRecord: Sendable, Hashable {
    /// The date of the event.
    public var date: Date
    /// The severity.
    public var level: Logger.Level
    /// The part of the program that logs, such as `http.client`.
    ///
    /// For a `Logger`, its label.
    public var component: String
    /// A description of what happened, for people.
    public var message: String
    /// Attributes that describe what happened, for machines.
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

/// A receiver of log records, such as a shipper, a console, or a test.
public protocol LogSink: Sendable {
    /// Returns whether records of this level from this component are logged.
    ///
    /// Called before a record is made.
    ///
    /// A sink that is enabled for a level must be enabled for every more severe one.
    func isEnabled(_ level: Logger.Level, for component: String) -> Bool

    /// Logs a record.
    ///
    /// This must return immediately, without waiting or failing. Records that can't be kept are counted.
    func log(_ record: consuming LogRecord)
}

extension LogSink {
    /// `true`: every record is logged.
    public func isEnabled(_ level: Logger.Level, for component: String) -> Bool { true }
}

/// Whether the current task is sending log records.
///
/// Anything that it logs is about the sending itself, so it isn't logged.
package enum LogShipping {
    @TaskLocal package static var isUnderWay = false
}
