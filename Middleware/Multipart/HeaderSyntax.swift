/// The characters and parameters that header fields are made of, RFC 9110 §5.6.
enum HeaderSyntax {
    static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }

    static func isTokenByte(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }
}

/// A value with parameters, such as `form-data; name="a"`: the shape that Content-Type and Content-Disposition share.
struct ParameterizedValue {
    /// What stands before the first parameter, in lower case.
    let value: String
    /// The parameters in order, names in lower case; the value is that within the quotes.
    let parameters: [(name: String, value: [UInt8])]

    /// Splits the text, leniently: what is not a parameter is passed over, a quoted string that does not end goes on
    /// to the end of the text.
    init(_ text: some Sequence<UInt8>) {
        var scanner = Scanner(bytes: Array(text))
        value = String(decoding: scanner.takeValue(), as: UTF8.self).lowercased()
        var parameters: [(name: String, value: [UInt8])] = []
        while let parameter = scanner.nextParameter() { parameters.append(parameter) }
        self.parameters = parameters
    }

    /// The first parameter of a name.
    func parameter(_ name: String) -> [UInt8]? {
        parameters.first { $0.name == name }?.value
    }
}

/// Walks through the bytes of a field value.
private struct Scanner {
    let bytes: [UInt8]
    var index = 0

    private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipSpace() {
        while let byte = current, HeaderSyntax.isSpace(byte) { index += 1 }
    }

    private mutating func take(while condition: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = index
        while let byte = current, condition(byte) { index += 1 }
        return bytes[start..<index]
    }

    mutating func takeValue() -> ArraySlice<UInt8> {
        skipSpace()
        let value = take { $0 != UInt8(ascii: ";") }
        return value.prefix(value.lastIndex { !HeaderSyntax.isSpace($0) }.map { $0 - value.startIndex + 1 } ?? 0)
    }

    mutating func nextParameter() -> (name: String, value: [UInt8])? {
        while current != nil {
            _ = take { $0 != UInt8(ascii: ";") }
            guard current != nil else { return nil }
            index += 1
            skipSpace()
            let name = take(while: HeaderSyntax.isTokenByte)
            skipSpace()
            guard !name.isEmpty, current == UInt8(ascii: "=") else { continue }
            index += 1
            skipSpace()
            return (String(decoding: name, as: UTF8.self).lowercased(), takeParameterValue())
        }
        return nil
    }

    private mutating func takeParameterValue() -> [UInt8] {
        guard current == UInt8(ascii: "\"") else {
            return Array(take { $0 != UInt8(ascii: ";") && !HeaderSyntax.isSpace($0) })
        }
        index += 1
        var result: [UInt8] = []
        while let byte = current {
            index += 1
            if byte == UInt8(ascii: "\"") { break }
            // Browsers send the backslashes of a file name as they are, so one that escapes nothing stands for itself.
            if byte == UInt8(ascii: "\\"), let next = current, next == UInt8(ascii: "\"") || next == byte {
                index += 1
                result.append(next)
            } else {
                result.append(byte)
            }
        }
        return result
    }
}
