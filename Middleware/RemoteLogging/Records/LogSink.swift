public import Logging

/// Takes log records: a shipper, a console, a test.
public protocol LogSink: Sendable {
    /// Whether records of this level from this component are taken; asked before the work of making one.
    ///
    /// A sink that takes a level takes every graver one.
    func takes(_ level: Logger.Level, from component: String) -> Bool

    /// Takes a record.
    ///
    /// It returns at once: it neither waits nor fails. What it cannot keep it counts.
    func log(_ record: consuming LogRecord)
}

extension LogSink {
    /// Every record is taken.
    public func takes(_ level: Logger.Level, from component: String) -> Bool { true }
}
