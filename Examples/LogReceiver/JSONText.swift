import Foundation
import HTTPChain

extension JSONValue {
    /// Reads JSON text.
    ///
    /// - Throws: ``Refusal`` if it isn't JSON.
    init(json text: Data) throws(Refusal) {
        do {
            self.init(foundation: try JSONSerialization.jsonObject(with: text, options: .fragmentsAllowed))
        } catch {
            let detail = (error as NSError).userInfo["NSDebugDescription"] as? String
            throw Refusal.malformed("This is not JSON: \(detail ?? error.localizedDescription)")
        }
    }

    private init(foundation value: Any) {
        switch value {
        case let value as String: self = .string(value)
        case let value as [String: Any]: self = .object(value.mapValues(JSONValue.init(foundation:)))
        case let value as [Any]: self = .array(value.map(JSONValue.init(foundation:)))
        case let value as NSNumber:
            if String(cString: value.objCType) == "c" {
                self = .bool(value.boolValue)
            } else if let integer = Int64(exactly: value) {
                self = .integer(integer)
            } else {
                self = .number(value.doubleValue)
            }
        default: self = .null
        }
    }

    /// The number, or the number in a string, as used for 64-bit integers in the JSON mapping of Protocol Buffers.
    var lenientNumber: Double? { number ?? string.flatMap { Double($0) } }

    /// The value as text for people: strings without quotes, and everything else as JSON.
    var text: String {
        if let string { return string }
        var bytes: [UInt8] = []
        bytes.append(json: self)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Appends text unchanged.
    mutating func append(text: String) {
        append(contentsOf: text.utf8)
    }

    /// Appends a value as JSON, without whitespace and so without line breaks.
    mutating func append(json value: JSONValue) {
        switch value {
        case .null: append(text: "null")
        case .bool(let value): append(text: value ? "true" : "false")
        case .integer(let value): append(text: String(value))
        case .number(let value): append(text: value.isFinite ? String(value) : "\"\(value)\"")
        case .decimal(let value): append(text: value.isFinite ? "\(value)" : "\"\(value)\"")
        case .string(let value): append(jsonString: value)
        case .array(let values):
            append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { append(UInt8(ascii: ",")) }
                append(json: value)
            }
            append(UInt8(ascii: "]"))
        case .object(let members):
            append(UInt8(ascii: "{"))
            for (index, name) in members.keys.sorted().enumerated() {
                if index > 0 { append(UInt8(ascii: ",")) }
                append(jsonString: name)
                append(UInt8(ascii: ":"))
                append(json: members[name] ?? .null)
            }
            append(UInt8(ascii: "}"))
        }
    }

    /// Appends text as a JSON string.
    mutating func append(jsonString text: String) {
        append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                append(UInt8(ascii: "\\"))
                append(byte)
            case UInt8(ascii: "\n"): append(text: "\\n")
            case UInt8(ascii: "\r"): append(text: "\\r")
            case UInt8(ascii: "\t"): append(text: "\\t")
            case 0..<32:
                let digits = String(byte, radix: 16)
                append(text: "\\u" + String(repeating: "0", count: 4 - digits.count) + digits)
            default: append(byte)
            }
        }
        append(UInt8(ascii: "\""))
    }
}
