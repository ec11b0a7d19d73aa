public import HTTPChainCore

/// The settings with which a ``RemoteLogHandler`` turns events into records.
///
/// Make it once and give it to every handler: its rules are worked out when it is made.
public struct RemoteLogSettings: Sendable {
    /// The attributes that say where in the code a record was logged; all of them by default.
    public var code: LogCodeAttributes
    /// The rules that say what is secret; ``/HTTPChainCore/Redaction/standard`` by default, `nil` shows everything.
    public var redaction: Redaction? {
        didSet { rules = redaction.map { LogRedaction($0) } }
    }
    /// Whether messages, errors and texts in metadata are searched for secrets too; `true` by default.
    ///
    /// Metadata under the name of a secret is redacted in any case.
    public var redactsText: Bool
    /// The size of the part of a message, an error or a text in metadata that is kept, in bytes; 32 KiB by default.
    ///
    /// A longer one is cut before it is searched for secrets, so that no text makes a program wait for the search.
    public var textLimit: ByteCount
    /// The source of the time of records; the live environment by default.
    public var environment: ChainEnvironment

    private(set) var rules: LogRedaction?

    /// Makes settings.
    ///
    /// - Parameters:
    ///   - code: Which attributes say where in the code a record was logged; all of them by default.
    ///   - redaction: What counts as a secret; the standard rules by default, `nil` shows everything.
    ///   - redactsText: Whether messages, errors and texts in metadata are searched for secrets too; `true` by default.
    ///   - textLimit: How much of a message, an error or a text in metadata is kept; 32 KiB by default.
    ///   - environment: Where the time of records comes from; the live environment by default.
    public init(
        code: LogCodeAttributes = .all,
        redaction: Redaction? = .standard,
        redactsText: Bool = true,
        textLimit: ByteCount = .kibibytes(32),
        environment: ChainEnvironment = .live
    ) {
        self.code = code
        self.redaction = redaction
        self.redactsText = redactsText
        self.textLimit = textLimit
        self.environment = environment
        rules = redaction.map { LogRedaction($0) }
    }

    /// Everything by default.
    public static let standard = RemoteLogSettings()

    /// A text as it may be shown.
    func shown(_ text: String) -> String {
        let limit = Int(clamping: textLimit.bytes)
        guard redactsText, let rules else { return text.beginning(upTo: limit).map { $0 + "…" } ?? text }
        return rules.text(text, upTo: limit)
    }
}

/// The attributes of a record that say where in the code it was logged.
///
/// Their names are those of the OpenTelemetry semantic conventions.
public struct LogCodeAttributes: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt8

    /// Makes a set from its bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The source, mostly the module, as `code.namespace`.
    public static let source = LogCodeAttributes(rawValue: 1)
    /// The file as `code.file.path`, in the form of `#fileID`.
    public static let file = LogCodeAttributes(rawValue: 2)
    /// The function as `code.function.name`.
    public static let function = LogCodeAttributes(rawValue: 4)
    /// The line as `code.line.number`.
    public static let line = LogCodeAttributes(rawValue: 8)

    /// All of them.
    public static let all: LogCodeAttributes = [.source, .file, .function, .line]
    /// None of them.
    public static let none: LogCodeAttributes = []
}
