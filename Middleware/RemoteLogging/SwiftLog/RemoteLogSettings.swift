public import HTTPChainCore

/// What a ``RemoteLogHandler`` makes of the events that it is given.
///
/// Make it once and give it to every handler: its rules are worked out when it is made.
public struct RemoteLogSettings: Sendable {
    /// Which attributes say where in the code a record was logged; all of them by default.
    public var code: LogCodeAttributes
    /// What counts as a secret; ``/HTTPChainCore/Redaction/standard`` by default, `nil` shows everything.
    public var redaction: Redaction? {
        didSet { rules = redaction.map { LogRedaction($0) } }
    }
    /// Whether messages, errors and texts in metadata are searched for secrets too; `true` by default.
    ///
    /// Metadata under the name of a secret is redacted in any case.
    public var redactsText: Bool
    /// Where the time of records comes from; the live environment by default.
    public var environment: ChainEnvironment

    private(set) var rules: LogRedaction?

    /// Makes settings.
    ///
    /// - Parameters:
    ///   - code: Which attributes say where in the code a record was logged; all of them by default.
    ///   - redaction: What counts as a secret; the standard rules by default, `nil` shows everything.
    ///   - redactsText: Whether messages, errors and texts in metadata are searched for secrets too; `true` by default.
    ///   - environment: Where the time of records comes from; the live environment by default.
    public init(
        code: LogCodeAttributes = .all,
        redaction: Redaction? = .standard,
        redactsText: Bool = true,
        environment: ChainEnvironment = .live
    ) {
        self.code = code
        self.redaction = redaction
        self.redactsText = redactsText
        self.environment = environment
        rules = redaction.map { LogRedaction($0) }
    }

    /// Everything by default.
    public static let standard = RemoteLogSettings()

    /// A text as it may be shown.
    func shown(_ text: String) -> String {
        guard redactsText, let rules else { return text }
        return rules.text(text)
    }
}
