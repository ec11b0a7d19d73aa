import HTTPChainCore
import HTTPChainRemoteLogging

/// Names that LogQL takes.
enum LokiName {
    /// A name made fit for LogQL: letters, digits and underscores, and a letter first.
    static func of(_ name: String) -> [UInt8] {
        var writer = JSONWriter()
        write(name, to: &writer)
        return writer.bytes
    }

    static func write(_ name: String, to json: inout JSONWriter) {
        var name = name
        name.withUTF8 { bytes in
            switch bytes.first {
            case nil: json.raw("key_")
            case let first? where first.isLetter: break
            case let first?: json.raw(first.isDigit ? "key_" : "key")
            }
            for byte in bytes where byte & 0xC0 != 0x80 {
                // A character outside ASCII counts once.
                json.byte(byte.isLetter || byte.isDigit ? byte : UInt8(ascii: "_"))
            }
        }
    }
}

/// Writes the structured metadata of entries: an object of strings.
struct LokiMetadata {
    /// The limits that Loki comes with: `max_structured_metadata_size`, `max_structured_metadata_entries_count`.
    private static let sizeLimit = 64 << 10
    private static let countLimit = 128

    /// The bytes that begin every entry's object, and where in it the names are.
    private var common: [UInt8] = []
    private var commonNames: [Range<Int>] = []
    private var commonSize = 0
    /// Where the names of the object at hand are.
    private var names: [Range<Int>] = []

    init(common members: [(name: String, value: JSONValue)]) {
        var json = JSONWriter()
        var size = 0
        for member in members { write(member.name, member.value, to: &json, size: &size) }
        commonSize = size
        common = json.bytes
        commonNames = names
    }

    /// Appends a comma and the object, when there is something in it.
    mutating func write(_ attributes: LogAttributes, to json: inout JSONWriter) {
        guard !attributes.isEmpty || !commonNames.isEmpty else { return }
        json.raw(",{")
        let start = json.count
        json.raw(common)
        names.removeAll(keepingCapacity: true)
        for name in commonNames { names.append(name.lowerBound + start..<name.upperBound + start) }
        var size = commonSize
        for attribute in attributes {
            write(attribute.name, attribute.value, to: &json, size: &size)
        }
        json.raw("}")
    }

    /// Appends a member, as far as the limits let it.
    private mutating func write(_ name: String, _ value: JSONValue, to json: inout JSONWriter, size: inout Int) {
        // A number that is put after the name is counted as if it were always there.
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

    /// Puts a number after a name that is taken.
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

extension UInt8 {
    fileprivate var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }

    fileprivate var isLetter: Bool {
        let folded = self | 0x20
        return folded >= UInt8(ascii: "a") && folded <= UInt8(ascii: "z")
    }
}
