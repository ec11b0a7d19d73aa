/// A value with parameters, such as `form-data; name="a"`: the shape that Content-Type, Content-Disposition and others
/// share, RFC 9110 §5.6.6.
package struct ParameterizedValue: Sendable {
    /// The text before the first parameter, in lower case.
    package let value: String
    /// The parameters in order, names in lower case; a value has lost its quotes.
    package let parameters: [(name: String, value: [UInt8])]

    /// Splits the text, leniently: what is not a parameter is skipped, a quoted string without an end goes on to the
    /// end of the text.
    package init(_ text: some Sequence<UInt8>) {
        var scanner = Scanner(bytes: Array(text))
        value = String(decoding: scanner.takeValue(), as: UTF8.self).lowercased()
        var parameters: [(name: String, value: [UInt8])] = []
        while let parameter = scanner.nextParameter() { parameters.append(parameter) }
        self.parameters = parameters
    }

    /// The first parameter of a name.
    package func parameter(_ name: String) -> [UInt8]? {
        parameters.first { $0.name == name }?.value
    }
}

/// Walks through the bytes of a field value.
private struct Scanner {
    let bytes: [UInt8]
    var index = 0

    private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipSpace() {
        _ = take(while: ASCII.isSpace)
    }

    private mutating func take(while condition: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = index
        while let byte = current, condition(byte) {
            Steps.take()
            index += 1
        }
        return bytes[start..<index]
    }

    mutating func takeValue() -> ArraySlice<UInt8> {
        skipSpace()
        let value = take { $0 != UInt8(ascii: ";") }
        return value.prefix(value.lastIndex { !ASCII.isSpace($0) }.map { $0 - value.startIndex + 1 } ?? 0)
    }

    mutating func nextParameter() -> (name: String, value: [UInt8])? {
        while current != nil {
            _ = take { $0 != UInt8(ascii: ";") }
            guard current != nil else { return nil }
            index += 1
            skipSpace()
            let name = take(while: ASCII.isTokenByte)
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
            return Array(take { $0 != UInt8(ascii: ";") && !ASCII.isSpace($0) })
        }
        index += 1
        var result: [UInt8] = []
        while let byte = current {
            Steps.take()
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
