package import HTTPChainCore

/// The settings for how a ``RemoteLogHandler`` converts events to records.
package struct RemoteLogSettings: Sendable {
    /// The attributes for the source location; all of them by default.
    package var code: LogCodeAttributes
    /// The rules that define what is secret; ``/HTTPChainCore/Redaction/standard`` by default, `nil` shows everything.
    package var redaction: Redaction?
    /// Whether messages, errors and texts in metadata are searched for secrets too; `true` by default.
    ///
    /// Metadata with the name of a secret is always redacted.
    package var redactsText: Bool
    /// The size to which a message, an error or a text in metadata is cut, in bytes; 32 KiB by default.
    ///
    /// The text is cut before it's searched for secrets, so that long texts don't delay the program.
    package var textLimit: ByteCount
    /// The source of the time of records; the live environment by default.
    package var environment: ChainEnvironment

    package init(
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
    }

    /// Returns a text, redacted and cut.
    func shown(_ text: String) -> String {
        let limit = Int(clamping: textLimit.bytes)
        guard redactsText, let redaction else { return text.beginning(upTo: limit).map { $0 + "…" } ?? text }
        return redaction.text(text, upTo: limit)
    }
}

/// The attributes of a record for its source location.
///
/// Their names follow the OpenTelemetry semantic conventions.
package struct LogCodeAttributes: OptionSet, Sendable, Hashable {
    /// The bits.
    package let rawValue: UInt8

    /// Makes a set from its bits.
    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The source, usually the module, as `code.namespace`.
    package static let source = LogCodeAttributes(rawValue: 1)
    /// The file as `code.file.path`, in the form of `#fileID`.
    package static let file = LogCodeAttributes(rawValue: 2)
    /// The function as `code.function.name`.
    package static let function = LogCodeAttributes(rawValue: 4)
    /// The line as `code.line.number`.
    package static let line = LogCodeAttributes(rawValue: 8)

    /// All of them.
    package static let all: LogCodeAttributes = [.source, .file, .function, .line]
    /// None of them.
    package static let none: LogCodeAttributes = []
}
