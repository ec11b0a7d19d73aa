import HTTPChainCore

/// A record in the `key=value` pairs that are called logfmt.
struct LogfmtLine {
    private let common: [UInt8]

    /// Makes a writer that adds the same pairs to each line.
    init(members: [(name: String, value: JSONValue)]) {
        var writer = JSONWriter()
        for member in members { Self.write(member.name, member.value, to: &writer) }
        common = writer.bytes
    }

    /// Appends `msg="…"` and the attributes; what is null is left out.
    func write(_ record: LogRecord, to writer: inout JSONWriter) {
        writer.raw("msg=")
        Self.write(record.message, to: &writer)
        for attribute in record.attributes {
            Self.write(attribute.name, attribute.value, to: &writer)
        }
        writer.raw(common)
    }

    private static func write(_ name: String, _ value: JSONValue, to writer: inout JSONWriter) {
        guard let text = value.plainText else { return }
        writer.raw(" ")
        writeName(name == "msg" ? "attributes.msg" : name, to: &writer)
        writer.raw("=")
        write(text, to: &writer)
    }

    /// A name ends at a space, an equals sign or a quote.
    private static func writeName(_ name: String, to writer: inout JSONWriter) {
        if name.isEmpty { writer.raw("_") }
        for byte in name.utf8 {
            writer.byte(byte.isPlain && byte != UInt8(ascii: "=") ? byte : UInt8(ascii: "_"))
        }
    }

    /// A value stands in quotes, with the escapes of JSON, where it could be read as something else.
    private static func write(_ text: String, to writer: inout JSONWriter) {
        if !text.isEmpty, text.utf8.allSatisfy({ $0.isPlain && $0 != UInt8(ascii: "=") }) {
            writer.escaped(text)
        } else {
            writer.string(text)
        }
    }
}

extension UInt8 {
    /// Whether it is no space, no control character, no quote and no backslash.
    fileprivate var isPlain: Bool {
        self > 0x20 && self != 0x7F && self != UInt8(ascii: "\"") && self != UInt8(ascii: "\\")
    }
}
