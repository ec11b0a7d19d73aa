import Foundation
import HTTPChain
import Logging

/// A record as the page shows it, whichever way it came.
struct ReceivedRecord: Sendable {
    /// How it came: `otlp`, `loki`, `ndjson` or `har`; `span` and `metric` for what is no record of a log.
    var format: String
    /// When it happened, in milliseconds since 1970.
    var time: Double
    var level: Logger.Level
    /// The part of the program that it comes from.
    var component: String
    /// The program that it comes from.
    var service: String
    var message: String
    var attributes: [(name: String, value: JSONValue)] = []

    /// The most bytes of a message and of a value.
    static let textLimit = 65_536
    /// The most bytes of the names of components, services and attributes.
    static let nameLimit = 256
    /// The most attributes.
    static let attributeLimit = 256
    /// The most bytes of all attributes.
    static let sizeLimit = 262_144

    /// The record as a JSON object; what is beyond the limits is cut off, and said to be.
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

    /// A time that a calendar can show: 1970 to 2286.
    private static func plausible(_ time: Double) -> Double {
        time.isFinite ? min(max(time, 0), 9_999_999_999_999) : 0
    }

    /// Milliseconds of nanoseconds, to the microsecond: a `Double` of today's nanoseconds is no more exact.
    static func milliseconds(nanoseconds: Double) -> Double {
        (nanoseconds / 1000).rounded() / 1000
    }

    /// Now, in milliseconds since 1970.
    static var now: Double { Date().timeIntervalSince1970 * 1000 }
}

extension Logger.Level {
    /// The level that a word names, in any of the usual vocabularies.
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

    /// The level of an OpenTelemetry severity number, 1 to 24.
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
