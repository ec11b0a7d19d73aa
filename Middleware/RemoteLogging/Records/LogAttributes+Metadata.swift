import HTTPChainCore
import Logging

extension Logger.Metadata {
    /// The attributes as metadata: arrays and objects keep their shape, all else is text with control characters
    /// escaped.
    init(_ attributes: LogAttributes) {
        self.init(minimumCapacity: attributes.count)
        for attribute in attributes { self[attribute.name] = Logger.MetadataValue(attribute.value) }
    }
}

extension Logger.MetadataValue {
    fileprivate init(_ value: JSONValue) {
        self =
            switch value {
            case .null: .string("null")
            case .bool(let value): .string("\(value)")
            case .integer(let value): .string("\(value)")
            case .number(let value): .string("\(value)")
            case .string(let value): .string(value.escapingControls())
            case .array(let elements): .array(elements.map(Self.init))
            case .object(let members): .dictionary(members.mapValues(Self.init))
            }
    }
}

extension String {
    /// The text with characters that end a line, steer a terminal or turn the direction of writing written as in a
    /// Swift string.
    ///
    /// - Parameter kept: Those that are left.
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
