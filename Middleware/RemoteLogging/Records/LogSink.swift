public import Logging

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
