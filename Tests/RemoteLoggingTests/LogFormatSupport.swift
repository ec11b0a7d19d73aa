#if AllTests
import Foundation
import HTTPChainCore
import HTTPChainLogShipper
import HTTPChainRemoteLogging
import Logging

/// A batch as a format writes it.
func logText(
    _ format: some LogWireFormat,
    _ records: [LogRecord],
    of resource: LogResource = LogResource(serviceName: "shop")
)
    throws -> String
{
    try String(decoding: format.encode(LogBatch(resource: resource, records: records)), as: UTF8.self)
}

/// A record that says as little as can be.
func logRecord(
    at time: Double = 0,
    _ level: Logger.Level = .info,
    _ component: String = "shop",
    _ message: String = "m",
    _ attributes: LogAttributes = [:]
) -> LogRecord {
    LogRecord(
        date: Date(timeIntervalSince1970: time),
        level: level,
        component: component,
        message: message,
        attributes: attributes
    )
}

/// JSON read by Foundation.
func parsedJSON(_ text: String) throws -> JSONValue {
    try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
}

extension JSONValue {
    /// Whether it is what another value became in JSON.
    ///
    /// Numbers may have lost their kind, and those that are not finite are null. Strings are compared byte by byte.
    func isWritten(as other: JSONValue) -> Bool {
        switch (self, other) {
        case (.string(let one), .string(let other)): one.utf8.elementsEqual(other.utf8)
        case (.number(let one), .null): !one.isFinite
        case (.number(let one), _): other.number == one
        case (.array(let one), .array(let other)):
            one.count == other.count && zip(one, other).allSatisfy { $0.isWritten(as: $1) }
        case (.object(let one), .object(let other)):
            one.count == other.count
                && one.allSatisfy { name, value in other[name].map { value.isWritten(as: $0) } ?? false }
        default: self == other
        }
    }
}
#endif
