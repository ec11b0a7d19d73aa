import HTTPChainCore
import HTTPChainRemoteLogging
import HTTPChainSupport

/// Names that are valid in LogQL.
enum LokiName {
    /// Returns a name adapted to LogQL: letters, digits and underscores, beginning with a letter.
    static func of(_ name: String) -> [UInt8] {
        var writer = JSONWriter()
        write(name, to: &writer)
        return writer.bytes
    }

    static func write(_ name: String, to json: inout JSONWriter) {
        var name = name
        name.withUTF8 { bytes in
            switch bytes.first {
            case nil, (UInt8(ascii: "0")...UInt8(ascii: "9"))?: json.raw("key_")
            case let first? where ASCII.isAlphanumeric(first): break
            default: json.raw("key")
            }
            for byte in bytes where byte & 0xC0 != 0x80 {
                // A character outside ASCII is replaced by a single underscore.
                json.byte(ASCII.isAlphanumeric(byte) ? byte : UInt8(ascii: "_"))
            }
        }
    }
}

/// Writes the structured metadata of entries, which is an object of strings.
struct LokiMetadata {
    /// Loki's default limits: `max_structured_metadata_size`, `max_structured_metadata_entries_count`.
    private static let sizeLimit = 64 << 10
    private static let countLimit = 128

    /// The first bytes of every entry's object, and the positions of the names in them.
    private var common: [UInt8] = []
    private var commonNames: [Range<Int>] = []
    private var commonSize = 0
    /// The positions of the names in the current object.
    private var names: [Range<Int>] = []

    init(common members: [(name: String, value: JSONValue)]) {
        var json = JSONWriter()
        var size = 0
        for member in members { write(member.name, member.value, to: &json, size: &size) }
        commonSize = size
        common = json.bytes
        commonNames = names
    }

    /// Appends a comma and the object, unless the object is empty.
    mutating func write(_ attributes: LogAttributes, to json: inout JSONWriter) {
        guard !attributes.list.isEmpty || !commonNames.isEmpty else { return }
        json.raw(",{")
        let start = json.count
        json.raw(common)
        names.removeAll(keepingCapacity: true)
        for name in commonNames { names.append(name.lowerBound + start..<name.upperBound + start) }
        var size = commonSize
        for attribute in attributes.list {
            write(attribute.name, attribute.value, to: &json, size: &size)
        }
        json.raw("}")
    }

    /// Appends a member, within the limits.
    private mutating func write(_ name: String, _ value: JSONValue, to json: inout JSONWriter, size: inout Int) {
        // The size always includes room for a number after the name, even if there is none.
        let nameSize = name.utf8.count + 8
        guard names.count < Self.countLimit, size + nameSize < Self.sizeLimit else { return }
        if case .null = value { return }
        json.raw(names.isEmpty ? "\"" : ",\"")
        let start = json.count
        LokiName.write(name, to: &json)
        makeUnique(from: start, in: &json)
        names.append(start..<json.count)
        json.raw("\":\"")
        size += nameSize
        switch value {
        case .string(let text): size += json.escaped(text, upTo: Self.sizeLimit - size)
        case .integer(let number):
            json.integer(number)
            size += 20
        default: size += json.escaped(value.plainText ?? "", upTo: Self.sizeLimit - size)
        }
        json.raw("\"")
    }

    /// Appends a number to a name that is already used.
    private func makeUnique(from start: Int, in json: inout JSONWriter) {
        let end = json.count
        var number: UInt64 = 2
        while json.withBytes({ bytes in names.contains { bytes[$0].elementsEqual(bytes[start...]) } }) {
            json.truncate(to: end)
            json.raw("_")
            json.integer(number)
            number += 1
        }
    }
}
