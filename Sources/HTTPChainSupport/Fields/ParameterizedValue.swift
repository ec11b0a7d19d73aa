/// A value with parameters, such as `form-data; name="a"`, in the syntax of Content-Type, Content-Disposition and other
/// fields (RFC 9110 §5.6.6).
package struct ParameterizedValue: Sendable {
    /// The text before the first parameter, in lower case.
    package let value: String
    /// The parameters in order, with names in lower case and values without quotes.
    package let parameters: [(name: String, value: [UInt8])]

    /// Parses the text leniently: skips anything that isn't a parameter, and treats an unterminated quoted string as
    /// extending to the end of the text.
    package init(_ text: some Sequence<UInt8>) {
        var scanner = Scanner(bytes: Array(text))
        value = String(decoding: scanner.takeValue(), as: UTF8.self).lowercased()
        var parameters: [(name: String, value: [UInt8])] = []
        while let parameter = scanner.nextParameter() { parameters.append(parameter) }
        self.parameters = parameters
    }

    /// Returns the first parameter with a name.
    package func parameter(_ name: String) -> [UInt8]? {
        parameters.first { $0.name == name }?.value
    }
}

/// A scanner for the bytes of a field value.
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
        take { $0 != UInt8(ascii: ";") }.trimmingSpace()
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
            // Browsers don't escape backslashes in file names, so a backslash that escapes nothing is literal.
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
