public import Logging

/// Hands records to a `Logger`, with their attributes as metadata and their component as the source.
///
/// The logger's backend dates them by itself. Control characters, which could forge lines or steer a terminal, are
/// escaped; line breaks within a message are left.
public struct LoggerSink: LogSink {
    private let logger: Logger

    /// Makes a sink.
    public init(_ logger: Logger) {
        self.logger = logger
    }

    /// Whether the logger takes records of this level; of the component it knows nothing.
    public func isEnabled(_ level: Logger.Level, for component: String) -> Bool {
        level >= logger.logLevel
    }

    /// Logs a record.
    public func log(_ record: consuming LogRecord) {
        let record = record
        logger.log(
            level: record.level,
            "\(record.message.escapingControls(but: "\n\t"))",
            metadata: record.attributes.isEmpty ? nil : Logger.Metadata(record.attributes),
            source: record.component
        )
    }
}
