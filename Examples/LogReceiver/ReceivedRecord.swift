import Foundation
import HTTPChain
import Logging

/// A record in the form in which the page shows it, regardless of its format.
struct ReceivedRecord: Sendable {
    /// The format: `otlp`, `loki`, `ndjson` or `har`; `span` or `metric` if it isn't a log record.
    var format: String
    /// The time of the event, in milliseconds since 1970.
    var time: Double
    var level: Logger.Level
    /// The component of the program that sent the record.
    var component: String
    /// The program that sent the record.
    var service: String
    var message: String
    var attributes: [(name: String, value: JSONValue)] = []

    /// The maximum size of a message or a value, in bytes.
    static let textLimit = 65_536
    /// The maximum size of the names of components, services and attributes, in bytes.
    static let nameLimit = 256
    /// The maximum number of attributes.
    static let attributeLimit = 256
    /// The maximum size of all attributes, in bytes.
    static let sizeLimit = 262_144

    /// Returns the record as a JSON object.
    ///
    /// Text beyond the limits is truncated and marked.
    func json(number: Int64) -> [UInt8] {
        var text: [UInt8] = []
        text.append(text: "{\"seq\":\(number),\"time\":\(Self.plausible(time)),\"level\":\"\(level.rawValue)\"")
        text.append(text: ",\"format\":\"\(format)\",\"component\":")
        text.append(jsonString: Self.cut(component, Self.nameLimit))
        text.append(text: ",\"service\":")
        text.append(jsonString: Self.cut(service, Self.nameLimit))
        text.append(text: ",\"message\":")
        text.append(jsonString: Self.cut(message, Self.textLimit))
        text.append(text: ",\"attributes\":[")
        var left = 0
        for (index, attribute) in attributes.enumerated() {
            guard index < Self.attributeLimit, text.count < Self.sizeLimit else {
                left += 1
                continue
            }
            if index > 0 { text.append(UInt8(ascii: ",")) }
            text.append(UInt8(ascii: "["))
            text.append(jsonString: Self.cut(attribute.name, Self.nameLimit))
            text.append(UInt8(ascii: ","))
            Self.append(attribute.value, to: &text)
            text.append(UInt8(ascii: "]"))
        }
        text.append(text: "],\"left\":\(left)}")
        return text
    }

    private static func append(_ value: JSONValue, to text: inout [UInt8]) {
        if let string = value.string {
            text.append(jsonString: cut(string, textLimit))
            return
        }
        let start = text.count
        text.append(json: value)
        if text.count - start > textLimit {
            text.removeSubrange(start...)
            text.append(jsonString: cut(value.text, textLimit))
        }
    }

    private static func cut(_ text: String, _ limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        return String(decoding: text.utf8.prefix(limit), as: UTF8.self) + "… (cut off)"
    }

    /// Limits a time to the years from 1970 to 2286, which calendars can show.
    private static func plausible(_ time: Double) -> Double {
        time.isFinite ? min(max(time, 0), 9_999_999_999_999) : 0
    }

    /// Converts nanoseconds to milliseconds, rounded to microseconds.
    ///
    /// For current times, a `Double` isn't more precise.
    static func milliseconds(nanoseconds: Double) -> Double {
        (nanoseconds / 1000).rounded() / 1000
    }

    /// The current time, in milliseconds since 1970.
    static var now: Double { Date().timeIntervalSince1970 * 1000 }
}

extension Logger.Level {
    /// Makes the level for a word of any of the usual vocabularies.
    init?(word: String) {
        switch word.lowercased() {
        case "trace", "verbose": self = .trace
        case "debug", "fine": self = .debug
        case "info", "information", "informational": self = .info
        case "notice": self = .notice
        case "warning", "warn": self = .warning
        case "error", "err", "severe": self = .error
        case "critical", "fatal", "alert", "emergency", "panic", "crit", "emerg": self = .critical
        default: return nil
        }
    }

    /// Makes the level for an OpenTelemetry severity number, 1 to 24.
    init?(severityNumber number: Double) {
        switch number {
        case 1..<5: self = .trace
        case 5..<9: self = .debug
        case 9..<10: self = .info
        case 10..<13: self = .notice
        case 13..<17: self = .warning
        case 17..<21: self = .error
        case 21..<25: self = .critical
        default: return nil
        }
    }
}
