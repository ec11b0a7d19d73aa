/// Which attributes of a record say where in the code it was logged.
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
