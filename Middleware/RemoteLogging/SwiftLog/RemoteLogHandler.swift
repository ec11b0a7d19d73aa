public import HTTPChainCore
public import Logging

/// Passes the application's own log, written with swift-log, to a ``LogSink``, just as stages do with the records of
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
/// The `MultiplexLogHandler` ensures that messages still appear in the console.
///
/// - The label is the record's component, so the sink's own levels apply. An event is logged if both ``logLevel`` and
///   the sink are enabled for its level. To leave the decision to the sink, set the level to `trace`.
/// - Metadata becomes attributes: Metadata becomes attributes: that of the handler, then that of the metadata provider,
///   and then that of the call. If a name is repeated, the last value wins. Dictionaries and arrays stay nested.
///   Numbers and Booleans passed as such (`.stringConvertible(42)`) keep their types. The handler's own metadata is
///   converted when it is set, not for each record.
/// - An error of the event becomes `error.type`, as in metrics and spans, and `exception.message`. File, function, line
///   and source become `code.*` attributes.
/// - **Secrets**: **Secrets**: metadata with a secret's name (``/HTTPChainCore/Redaction``) is redacted, even if
///   nested. Messages, errors and texts are searched for secrets. The search finds `token=…`, JSON, and URLs with
///   credentials, but not a password in prose.
/// - Events logged while records are being shipped are about the shipping, and are ignored.
///
/// A handler is a value type, as swift-log requires: changing one logger's level or metadata doesn't affect another.
public struct RemoteLogHandler: LogHandler {
    /// The least severe level that is logged; initially `info`.
    public var logLevel: Logger.Level
    /// A provider of additional metadata at the time of logging.
    public var metadataProvider: Logger.MetadataProvider?
    /// Metadata added to every record.
    public var metadata: Logger.Metadata = [:] {
        didSet {
            attributes = LogAttributes()
            MetadataConverter(settings: settings).add(metadata, to: &attributes)
        }
    }

    private let label: String
    private let sink: any LogSink
    private let settings: RemoteLogSettings
    /// The converted ``metadata``.
    private var attributes = LogAttributes()

    /// Makes a handler.
    ///
    /// - Parameters:
    ///   - label: The label of the logger, which becomes the component.
    ///   - sink: The sink that receives the records.
    ///   - level: The least severe level that is logged; `info` by default.
    ///   - metadataProvider: The provider of additional metadata at the time of logging; the logging system's by
    ///     default.
    ///   - includesSource: Whether records have attributes for their source location: the source, usually the module
    ///     (`code.namespace`), the file, function and line; `true` by default.
    ///   - redaction: The rules that define which values are secret; the standard rules by default. `nil` shows
    ///     everything.
    ///   - redactsText: Whether messages, errors and texts in metadata are also searched for secrets; `true` by
    ///     default. Metadata with the name of a secret is always redacted.
    ///   - textLimit: The size to which a message, an error or a text in metadata is truncated; 32 KiB by default. It
    ///     is truncated before it is searched for secrets, so that long texts don't delay the program.
    ///   - environment: The source of the time of records; the live environment by default.
    public init(
        label: String,
        sink: any LogSink,
        level: Logger.Level = .info,
        metadataProvider: Logger.MetadataProvider? = LoggingSystem.metadataProvider,
        includesSource: Bool = true,
        redaction: Redaction? = .standard,
        redactsText: Bool = true,
        textLimit: ByteCount = .kibibytes(32),
        environment: ChainEnvironment = .live
    ) {
        self.init(
            label: label,
            sink: sink,
            level: level,
            metadataProvider: metadataProvider,
            settings: RemoteLogSettings(
                includesSource: includesSource,
                redaction: redaction,
                redactsText: redactsText,
                textLimit: textLimit,
                environment: environment
            )
        )
    }

    package init(
        label: String,
        sink: any LogSink,
        level: Logger.Level = .info,
        metadataProvider: Logger.MetadataProvider? = LoggingSystem.metadataProvider,
        settings: RemoteLogSettings
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

    /// Makes a record of the event and passes it to the sink.
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

    /// Returns the same type as in metrics, spans and call logs.
    ///
    /// For cancellations, it is the name of the type.
    private static func errorType(of error: any Error) -> String {
        HTTPSemantics.errorType(of: error) ?? StageSummary.name(of: type(of: error))
    }

    /// Adds the source location.
    ///
    /// Metadata of the same name takes precedence.
    ///
    /// The names follow the OpenTelemetry semantic conventions.
    private func addCode(of event: LogEvent, to attributes: inout LogAttributes) {
        guard settings.includesSource else { return }
        attributes.reserveCapacity(attributes.list.count + 4)
        // Names are compared only if the metadata contains names with this prefix.
        let isFree = !attributes.list.contains { $0.name.utf8.starts(with: "code.".utf8) }
        func add(_ name: String, _ value: @autoclosure () -> JSONValue) {
            if isFree || attributes[name] == nil { attributes.append(name, value()) }
        }
        add("code.namespace", .string(event.source))
        add("code.file.path", .string(event.file))
        add("code.function.name", .string(event.function))
        add("code.line.number", .integer(Int64(clamping: event.line)))
    }
}
