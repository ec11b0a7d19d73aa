import HTTPChainCore

extension JSONWriter {
    /// Nested deeper than this a value is left out: parsers of protocol buffers, for one, go a hundred messages deep,
    /// and a value of OTLP takes three for each level.
    static let deepest = 16
    /// What stands in place of a value that is nested too deep.
    static let elision = "…"

    /// Appends any value; numbers that are not finite are `null`, which is all that JSON has for them.
    mutating func value(_ value: JSONValue, depth: Int = 0) {
        guard depth <= Self.deepest else { return string(Self.elision) }
        switch value {
        case .null: raw("null")
        case .bool(let value): raw(value ? "true" : "false")
        case .integer(let value): integer(value)
        case .number(let value) where value.isFinite: number(value)
        case .number: raw("null")
        case .string(let value): string(value)
        case .array(let elements):
            raw("[")
            for (index, element) in elements.enumerated() {
                if index > 0 { raw(",") }
                self.value(element, depth: depth + 1)
            }
            raw("]")
        case .object(let members):
            raw("{")
            // In one order always, which a dictionary has not.
            for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { raw(",") }
                string(member.key)
                raw(":")
                self.value(member.value, depth: depth + 1)
            }
            raw("}")
        }
    }
}

extension Double {
    /// What stands for a number that is not finite where a string may stand for it, as in the JSON mapping of protocol
    /// buffers.
    var nonFiniteName: StaticString { isNaN ? "NaN" : self < 0 ? "-Infinity" : "Infinity" }
}
