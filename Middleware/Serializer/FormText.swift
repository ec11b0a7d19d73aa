import Foundation

/// The text of a form, WHATWG URL Standard §5.
enum FormText {
    /// How deep names may nest; deeper ones come from an attack, not from a form.
    static let depthLimit = 64

    static func write(_ pairs: [(name: String, value: String)]) -> String {
        pairs.map { escaped($0.name) + "=" + escaped($0.value) }.joined(separator: "&")
    }

    /// The pairs in order; a `%` that begins no escape stands for itself, and bytes that are not UTF-8 become U+FFFD.
    static func read(_ data: Data) -> [(name: String, value: String)] {
        data.split(separator: UInt8(ascii: "&")).map { pair in
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            return (unescaped(pair[..<equals]), unescaped(pair[equals...].dropFirst()))
        }
    }

    /// The keys of a name: `a[b][]` is a, b and an empty key, which appends.
    static func path(of name: String, nesting: FormSerializer.Nesting) throws -> [String] {
        guard let open = name.firstIndex(of: "["), open > name.startIndex, name.hasSuffix("]") else {
            return try limited(nesting == .dots ? split(name) : [name], name)
        }
        let head = String(name[..<open])
        let tail = name[name.index(after: open)...].dropLast()
        let keys = tail.split(separator: "][", omittingEmptySubsequences: false).map(String.init)
        // What is no row of brackets is a name that happens to hold some.
        guard !keys.contains(where: { $0.contains("[") || $0.contains("]") }) else { return [name] }
        return try limited((nesting == .dots ? split(head) : [head]) + keys, name)
    }

    private static func split(_ name: String) -> [String] {
        let keys = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        return keys.contains("") ? [name] : keys
    }

    private static func limited(_ keys: [String], _ name: String) throws -> [String] {
        guard keys.count <= depthLimit else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: [AnyCodingKey(String(name.prefix(64)))],
                    debugDescription: "the name nests deeper than \(depthLimit) levels"
                )
            )
        }
        return keys
    }

    private static func escaped(_ text: String) -> String {
        var result: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "*"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"):
                result.append(byte)
            case 0x20:
                result.append(UInt8(ascii: "+"))
            default:
                result += [UInt8(ascii: "%"), hexDigit(byte >> 4), hexDigit(byte & 0xF)]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func unescaped(_ bytes: Data.SubSequence) -> String {
        var result: [UInt8] = []
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            if byte == UInt8(ascii: "%"), bytes.endIndex - index > 2, let high = value(ofHexDigit: bytes[index + 1]),
                let low = value(ofHexDigit: bytes[index + 2])
            {
                result.append(high << 4 | low)
                index += 3
            } else {
                result.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    private static func value(ofHexDigit digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
