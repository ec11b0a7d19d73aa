package import HTTPChainCore

/// The settings for converting events to records in a ``RemoteLogHandler``.
package struct RemoteLogSettings: Sendable {
    /// Whether records have attributes for the source location; `true` by default.
    package var includesSource: Bool
    /// The rules that define which values are secret; ``/HTTPChainCore/Redaction/standard`` by default.
    ///
    /// `nil` shows everything.
    package var redaction: Redaction?
    /// Whether messages, errors and texts in metadata are also searched for secrets; `true` by default.
    ///
    /// Metadata with the name of a secret is always redacted.
    package var redactsText: Bool
    /// The size in bytes to which a message, an error or a text in metadata is truncated; 32 KiB by default.
    ///
    /// The text is truncated before it is searched for secrets, so that long texts don't delay the program.
    package var textLimit: ByteCount
    /// The source of the time of records; the live environment by default.
    package var environment: ChainEnvironment

    package init(
        includesSource: Bool = true,
        redaction: Redaction? = .standard,
        redactsText: Bool = true,
        textLimit: ByteCount = .kibibytes(32),
        environment: ChainEnvironment = .live
    ) {
        self.includesSource = includesSource
        self.redaction = redaction
        self.redactsText = redactsText
        self.textLimit = textLimit
        self.environment = environment
    }

    /// Returns a text, redacted and truncated.
    func shown(_ text: String) -> String {
        let limit = Int(clamping: textLimit.bytes)
        guard redactsText, let redaction else { return text.beginning(upTo: limit).map { $0 + "…" } ?? text }
        return redaction.text(text, upTo: limit)
    }
}
