import Foundation

/// Writes messages in OTLP's variant of the JSON mapping of Protocol Buffers: 64-bit integers are strings, enumerations
/// are numbers, and identifiers are hexadecimal.
struct OTLPJSONEncoder: OTLPEncoder, ~Copyable {
    private var json: JSONWriter
    /// Whether the next member is the first.
    private var isFirst = true

    init(capacity: Int) {
        json = JSONWriter(capacity: capacity)
    }

    /// Returns the written bytes.
    consuming func data() -> Data { json.data() }

    /// Writes the complete message.
    mutating func write(_ body: (inout Self) -> Void) {
        json.byte(UInt8(ascii: "{"))
        isFirst = true
        body(&self)
        json.byte(UInt8(ascii: "}"))
        isFirst = false
    }

    @inline(__always)
    private mutating func name(_ name: StaticString) {
        json.raw(isFirst ? "\"" : ",\"")
        json.raw(name)
        json.raw("\":")
        isFirst = false
    }

    mutating func string(_ name: StaticString, _ number: Int, _ value: String) {
        self.name(name)
        json.string(value)
    }

    mutating func bool(_ name: StaticString, _ number: Int, _ value: Bool) {
        self.name(name)
        json.raw(value ? "true" : "false")
    }

    mutating func int64(_ name: StaticString, _ number: Int, _ value: Int64) {
        self.name(name)
        json.byte(UInt8(ascii: "\""))
        json.integer(value)
        json.byte(UInt8(ascii: "\""))
    }

    mutating func double(_ name: StaticString, _ number: Int, _ value: Double) {
        self.name(name)
        if value.isFinite { return json.number(value) }
        json.byte(UInt8(ascii: "\""))
        json.raw(value.nonFiniteName)
        json.byte(UInt8(ascii: "\""))
    }

    mutating func uint32(_ name: StaticString, _ number: Int, _ value: UInt32) {
        self.name(name)
        json.integer(UInt64(value))
    }

    mutating func fixed32(_ name: StaticString, _ number: Int, _ value: UInt32) {
        uint32(name, number, value)
    }

    mutating func fixed64(_ name: StaticString, _ number: Int, _ value: UInt64) {
        self.name(name)
        json.byte(UInt8(ascii: "\""))
        json.integer(value)
        json.byte(UInt8(ascii: "\""))
    }

    mutating func identifier(_ name: StaticString, _ number: Int, _ digits: String) {
        string(name, number, digits)
    }

    mutating func message(_ name: StaticString, _ number: Int, _ body: (inout Self) -> Void) {
        self.name(name)
        write(body)
    }

    mutating func messages(_ name: StaticString, _ number: Int, count: Int, _ body: (inout Self, Int) -> Void) {
        self.name(name)
        json.byte(UInt8(ascii: "["))
        for position in 0..<count {
            if position > 0 { json.byte(UInt8(ascii: ",")) }
            write { body(&$0, position) }
        }
        json.byte(UInt8(ascii: "]"))
    }
}
