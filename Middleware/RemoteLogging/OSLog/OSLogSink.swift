#if canImport(os)
import HTTPChainCore
public import Logging
import os

/// Passes records to the system log of Apple platforms, which Console and `log stream` show.
///
/// ```
/// RemoteLoggingMiddleware(OSLogSink(subsystem: "com.example.shop"))
/// ```
///
/// The category is the record's component. The attributes follow the message as `name=value`. The text is logged as
/// public, because records contain no secrets. `trace` and `debug` are logged as debug, `notice` as default, `warning`
/// as error, and `critical` as fault.
public struct OSLogSink: LogSink {
    private let subsystem: String

    /// Makes a sink.
    ///
    /// - Parameter subsystem: The name of the program, such as its bundle identifier.
    public init(subsystem: String) {
        self.subsystem = subsystem
    }

    /// Returns whether the system logs this level for the component.
    public func isEnabled(_ level: Logging.Logger.Level, for component: String) -> Bool {
        OSLog(subsystem: subsystem, category: component).isEnabled(type: OSLogType(level))
    }

    /// Logs a record.
    public func log(_ record: consuming LogRecord) {
        let line = record.line
        os.Logger(subsystem: subsystem, category: record.component)
            .log(level: OSLogType(record.level), "\(line, privacy: .public)")
    }
}

extension OSLogType {
    fileprivate init(_ level: Logging.Logger.Level) {
        self =
            switch level {
            case .trace, .debug: .debug
            case .info: .info
            case .notice: .default
            case .warning, .error: .error
            case .critical: .fault
            }
    }
}
#endif
