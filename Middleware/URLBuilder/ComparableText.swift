import Foundation
import HTTPChainCore

extension URLArgumentsOption: TargetOption {
    /// Returns the arguments as text, or `nil` if a query value can't be encoded as JSON, or if there are values of any
    /// type.
    package static func comparableText(of value: URLArguments?) -> String? {
        guard let value else { return "" }
        guard value.reservedValues.isEmpty else { return nil }
        var text = ComparableText()
        text.append("path", value.path)
        text.append("reserved", value.reserved)
        for item in value.query.items {
            switch item {
            case .pair(let pair): text.append(pair)
            case .raw(let raw): text.append("raw", raw)
            case .value(let value):
                let encoder = JSONEncoder()
                encoder.outputFormatting = .sortedKeys
                guard let bytes = try? encoder.encode(value) else { return nil }
                text.append("value", String(decoding: bytes, as: UTF8.self))
            }
        }
        for (name, value) in value.replacements.sorted(by: { $0.key < $1.key }) {
            text.append("replaced", name)
            text.append("by", value)
        }
        if let encoder = value.encoder { text.append("encoder", String(reflecting: encoder)) }
        if let syntax = value.syntax { text.append("syntax", "\(syntax)") }
        if let builder = value.builder { text.append("builder", String(reflecting: builder)) }
        return text.text
    }
}

/// Values as unambiguous text, which is equal only for equal values: each piece contains its kind and length.
private struct ComparableText {
    private(set) var text = ""

    mutating func append(_ kind: String, _ piece: String) { text += "\(kind)\(piece.utf8.count):\(piece)" }

    mutating func append(_ kind: String, _ parameters: URLParameters) {
        append(kind, "\(parameters.elements.count)")
        for element in parameters.elements { append(element) }
    }

    mutating func append(_ element: URLParameters.Element) {
        append("name", element.name)
        append(element.value)
    }

    private mutating func append(_ value: URLValue) {
        switch value {
        case .null: append("null", "")
        case .string(let text): append("string", text)
        case .opaque(let text): append("opaque", text)
        case .integer(let number): append("integer", "\(number)")
        case .double(let number): append("double", "\(number)")
        case .bool(let truth): append("bool", "\(truth)")
        case .date(let date): append("date", "\(date.timeIntervalSinceReferenceDate)")
        case .array(let members):
            append("array", "\(members.count)")
            for member in members { append(member) }
        case .dictionary(let parameters): append("dictionary", parameters)
        }
    }
}
