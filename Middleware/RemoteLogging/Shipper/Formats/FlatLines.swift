import HTTPChainCore
import HTTPChainRemoteLogging

/// Writes a record in logfmt, as `key=value` pairs.
struct LogfmtLine {
    private let common: [UInt8]

    /// Makes a writer that adds the same pairs to each line.
    init(members: [(name: String, value: JSONValue)]) {
        var writer = JSONWriter()
        for member in members { Self.write(member.name, member.value, to: &writer) }
        common = writer.bytes
    }

    /// Appends `msg="…"` and the attributes.
    ///
    /// Null values are omitted.
    func write(_ record: LogRecord, to writer: inout JSONWriter) {
        writer.raw("msg=")
        Self.write(record.message, to: &writer)
        for attribute in record.attributes.list {
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

    /// Appends a name.
    ///
    /// Characters that would end it, such as spaces, equals signs and quotes, are replaced.
    private static func writeName(_ name: String, to writer: inout JSONWriter) {
        if name.isEmpty { writer.raw("_") }
        for byte in name.utf8 {
            writer.byte(byte.isPlain && byte != UInt8(ascii: "=") ? byte : UInt8(ascii: "_"))
        }
    }

    /// Appends a value.
    ///
    /// It is quoted with JSON escapes if it would otherwise be ambiguous.
    private static func write(_ text: String, to writer: inout JSONWriter) {
        if !text.isEmpty, text.utf8.allSatisfy({ $0.isPlain && $0 != UInt8(ascii: "=") }) {
            writer.escaped(text)
        } else {
            writer.string(text)
        }
    }
}

extension UInt8 {
    /// Whether the byte isn't a space, a control character, a quote or a backslash.
    fileprivate var isPlain: Bool {
        self > 0x20 && self != 0x7F && self != UInt8(ascii: "\"") && self != UInt8(ascii: "\\")
    }
}

/// Writes attributes as members of an object that already has members, keeping names unique.
struct FlatLogObject {
    /// The names in use, grouped by length, because nearly every attribute has a name of a different length.
    private let taken: [Int: [String]]
    private let common: [UInt8]

    /// Makes a writer.
    ///
    /// - Parameters:
    ///   - taken: The names of existing members.
    ///   - members: The members added to each object.
    init(taken: [String], members: [(name: String, value: JSONValue)]) {
        let reserved = Set(taken)
        var json = JSONWriter()
        for (name, value) in members { json.member(Self.name(name, isTaken: reserved.contains(name)), value) }
        common = json.bytes
        self.taken = Dictionary(grouping: taken + members.map(\.name), by: \.utf8.count)
    }

    /// Appends members, with a comma before each.
    func write(_ attributes: LogAttributes, to json: inout JSONWriter) {
        for attribute in attributes.list {
            let isTaken = taken[attribute.name.utf8.count]?.contains(attribute.name) ?? false
            json.member(Self.name(attribute.name, isTaken: isTaken), attribute.value)
        }
        json.raw(common)
    }

    private static func name(_ name: String, isTaken: Bool) -> String { isTaken ? "attributes.\(name)" : name }
}
