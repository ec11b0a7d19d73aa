import HTTPChainCore
public import Logging

/// Hands what the application logs through swift-log to a ``LogSink``: its own log goes the way of the records of its
/// calls.
///
/// ```swift
/// LoggingSystem.bootstrap(
///     { label, provider in
///         MultiplexLogHandler([
///             StreamLogHandler.standardError(label: label, metadataProvider: provider),
///             RemoteLogHandler(label: label, sink: shipper, metadataProvider: provider),
///         ])
///     },
///     metadataProvider: nil
/// )
/// ```
///
/// With a `MultiplexLogHandler` the console keeps working beside it.
///
/// - The label is the record's component, so that the sink's own levels apply: a record is made when it is as severe as
///   ``logLevel`` says and the sink takes it. To leave the decision to the sink, set the level to `trace`.
/// - Metadata become attributes: the handler's, then the metadata provider's, then those of the call; of a name that
///   stands in several the last value counts. Dictionaries and arrays stay nested; numbers and truth values that are
///   given as such (`.stringConvertible(42)`) keep their types. The handler's own metadata are converted when they are
///   set, not for each record.
/// - An error of the event is `error.type`, as metrics and spans tell it, and `exception.message`; file, function, line and source are `code.*`
///   attributes (``LogCodeAttributes``).
/// - **Secrets**: metadata under a name that ``/HTTPChainCore/Redaction/isSecret(name:)`` knows is redacted, nested
///   too. Messages, errors and texts are searched for secrets; that finds `token=…`, JSON and URLs with credentials, not
///   a password in plain words.
/// - What is logged while records are being shipped is about the shipping, and is not taken.
///
/// It is a value, as swift-log asks: a change to one logger's level or metadata is not seen by another.
///
/// **Options.** ``RemoteLogSettings``.
public struct RemoteLogHandler: LogHandler {
    /// The least severe level that is logged; `info` at first.
    public var logLevel: Logger.Level
    /// Adds metadata at the time of logging.
    public var metadataProvider: Logger.MetadataProvider?
    /// Metadata of every record.
    public var metadata: Logger.Metadata = [:] {
        didSet {
            attributes = LogAttributes()
            MetadataConverter(settings: settings).add(metadata, to: &attributes)
        }
    }

    private let label: String
    private let sink: any LogSink
    private let settings: RemoteLogSettings
    /// ``metadata``, converted.
    private var attributes = LogAttributes()

    /// Makes a handler.
    ///
    /// - Parameters:
    ///   - label: The label of the logger, which becomes the component.
    ///   - sink: Takes the records.
    ///   - level: The least severe level that is logged; `info` by default.
    ///   - metadataProvider: Adds metadata at the time of logging; that of the logging system by default.
    ///   - settings: What is made of an event; everything that a log may show by default.
    public init(
        label: String,
        sink: any LogSink,
        level: Logger.Level = .info,
        metadataProvider: Logger.MetadataProvider? = LoggingSystem.metadataProvider,
        settings: RemoteLogSettings = .standard
    ) {
        self.label = label
        self.sink = sink
        logLevel = level
        self.metadataProvider = metadataProvider
        self.settings = settings
    }

    /// An item of the metadata.
    public subscript(metadataKey key: String) -> Logger.MetadataValue? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Makes a record of the event and hands it to the sink.
    public func log(event: LogEvent) {
        guard !LogShipping.isUnderWay, sink.isEnabled(event.level, for: label) else { return }
        sink.log(
            LogRecord(
                date: settings.environment.time.date,
                level: event.level,
                component: label,
                message: settings.shown(event.message.description),
                attributes: attributes(of: event)
            )
        )
    }

    private func attributes(of event: LogEvent) -> LogAttributes {
        var attributes = self.attributes
        let converter = MetadataConverter(settings: settings)
        if let provided = metadataProvider?.get(), !provided.isEmpty { converter.add(provided, to: &attributes) }
        if let metadata = event.metadata, !metadata.isEmpty { converter.add(metadata, to: &attributes) }
        if let error = event.error {
            attributes["error.type"] = .string(Self.errorType(of: error))
            attributes["exception.message"] = .string(settings.shown("\(error)"))
        }
        addCode(of: event, to: &attributes)
        return attributes
    }

    /// As metrics, spans and the logs of calls tell it; the type's name for what comes of a cancellation.
    private static func errorType(of error: any Error) -> String {
        HTTPSemantics.errorType(of: error) ?? StageSummary.name(of: type(of: error))
    }

    /// Where it was logged; what metadata say under the same name counts.
    private func addCode(of event: LogEvent, to attributes: inout LogAttributes) {
        let code = settings.code
        guard !code.isEmpty else { return }
        attributes.reserveCapacity(attributes.count + 4)
        // Only metadata that have such names cost a search for each of them.
        let isFree = !attributes.contains { $0.name.utf8.starts(with: "code.".utf8) }
        func add(_ name: String, _ value: @autoclosure () -> JSONValue) {
            if isFree || attributes[name] == nil { attributes.append(name, value()) }
        }
        if code.contains(.source) { add("code.namespace", .string(event.source)) }
        if code.contains(.file) { add("code.file.path", .string(event.file)) }
        if code.contains(.function) { add("code.function.name", .string(event.function)) }
        if code.contains(.line) { add("code.line.number", .integer(Int64(clamping: event.line))) }
    }
}
