import HTTPChainCore
package import Logging

/// Passes records to a `Logger`, with the attributes as metadata and the component as the source.
///
/// The logger's backend adds the date. Control characters, which could forge lines or control a terminal, are escaped.
/// Line breaks within a message are kept.
package struct LoggerSink: LogSink {
    private let logger: Logger

    /// Makes a sink.
    package init(_ logger: Logger) {
        self.logger = logger
    }

    /// Returns whether the logger is enabled for this level, regardless of the component.
    package func isEnabled(_ level: Logger.Level, for component: String) -> Bool {
        level >= logger.logLevel
    }

    /// Logs a record.
    package func log(_ record: consuming LogRecord) {
        let record = record
        logger.log(
            level: record.level,
            "\(record.message.escapingControls(but: "\n\t"))",
            metadata: record.attributes.list.isEmpty ? nil : Logger.Metadata(record.attributes),
            source: record.component
        )
    }
}

extension LogRecord {
    /// The message and the attributes as `name=value`, on one line.
    package var line: String {
        let values = attributes.list.map { "\($0.name.escapingControls())=\(Logger.MetadataValue($0.value))" }
        return ([message.escapingControls()] + values).joined(separator: " ")
    }
}

extension Logger.Metadata {
    /// Converts attributes to metadata.
    ///
    /// Arrays and objects keep their structure; everything else becomes escaped text.
    init(_ attributes: LogAttributes) {
        self.init(minimumCapacity: attributes.list.count)
        for attribute in attributes.list { self[attribute.name] = Logger.MetadataValue(attribute.value) }
    }
}

extension Logger.MetadataValue {
    init(_ value: JSONValue) {
        self =
            switch value {
            case .null: .string("null")
            case .bool(let value): .string("\(value)")
            case .integer(let value): .string("\(value)")
            case .number(let value): .string("\(value)")
            case .decimal(let value): .string("\(value)")
            case .string(let value): .string(value.escapingControls())
            case .array(let elements): .array(elements.map(Self.init))
            case .object(let members): .dictionary(members.mapValues(Self.init))
            }
    }
}

extension String {
    /// Returns the text with line endings, terminal controls and characters that change the writing direction escaped
    /// as in Swift.
    ///
    /// - Parameter kept: The characters that aren't escaped.
    func escapingControls(but kept: String = "") -> String {
        guard unicodeScalars.contains(where: \.isDisruptive) else { return self }
        var result = ""
        for scalar in unicodeScalars {
            if scalar.isDisruptive, !kept.unicodeScalars.contains(scalar) {
                result += scalar.escaped(asASCII: true)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
