import Foundation

/// Copies text and puts a placeholder in place of what follows the name of a secret.
///
/// It is not a parser: the text may be cut off, or be no document at all, and nothing that follows a secret's name may
/// pass for that reason.
struct SecretScanner {
    private let bytes: [UInt8]
    private let names: SecretNames
    private let isPropertyList: Bool
    private var output: [UInt8] = []
    private var index = 0

    private static let placeholder = Array(Redaction.placeholder.utf8)

    init(_ bytes: [UInt8], names: SecretNames) {
        self.bytes = bytes
        self.names = names
        isPropertyList = bytes.containsSequence("<plist") || bytes.containsSequence("<dict")
    }

    mutating func redacted() -> [UInt8] {
        output.reserveCapacity(bytes.count)
        var afterWord = false
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") {
                copyString()
                afterWord = false
            } else if byte == UInt8(ascii: "<") {
                copyTag()
                afterWord = false
            } else if byte.isNameByte, !afterWord {
                copyWord()
                afterWord = true
            } else {
                afterWord = byte.isNameByte
                copy(to: index + 1)
            }
        }
        return output
    }

    private mutating func copy(to end: Int) {
        output += bytes[index..<end]
        index = end
    }

    // MARK: JSON

    /// A string is a member's name, or text that may hold more of the same.
    private mutating func copyString() {
        let end = endOfString(at: index)
        let isClosed = end - index >= 2 && bytes[end - 1] == UInt8(ascii: "\"")
        let content = bytes[(index + 1)..<(isClosed ? end - 1 : end)]
        let afterSpace = bytes[end...].firstIndex { !$0.isSpace } ?? bytes.count
        if afterSpace < bytes.count, bytes[afterSpace] == UInt8(ascii: ":") {
            copy(to: afterSpace + 1)
            guard names.contains(JSONText.unescaped(content)) else { return }
            copy(to: bytes[index...].firstIndex { !$0.isSpace } ?? bytes.count)
            redactValue()
            return
        }
        let text = JSONText.unescaped(content)
        var inner = SecretScanner(Array(text.utf8), names: names)
        let redacted = inner.redacted()
        if redacted.elementsEqual(text.utf8) {
            copy(to: end)
        } else {
            let quote = [UInt8(ascii: "\"")]
            output += quote + JSONText.escaped(redacted) + (isClosed ? quote : [])
            index = end
        }
    }

    /// The value of a member whose name is that of a secret; `null` and truth values tell nothing and are kept.
    private mutating func redactValue() {
        guard index < bytes.count else { return }
        let end: Int
        switch bytes[index] {
        case let quote where quote.isQuote: end = endOfString(at: index)
        case UInt8(ascii: "{"), UInt8(ascii: "["): end = endOfNested(at: index)
        default:
            end = bytes[index...].firstIndex { $0.isSpace || ",}]".utf8.contains($0) } ?? bytes.count
            if ["null", "true", "false", ""].contains(String(decoding: bytes[index..<end], as: UTF8.self)) {
                return copy(to: end)
            }
        }
        output += [UInt8(ascii: "\"")] + Self.placeholder + [UInt8(ascii: "\"")]
        index = end
    }

    private func endOfString(at start: Int) -> Int {
        var position = start + 1
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\\"): position += 2
            case bytes[start]: return position + 1
            default: position += 1
            }
        }
        return bytes.count
    }

    private func endOfNested(at start: Int) -> Int {
        var depth = 0
        var position = start
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                position = endOfString(at: position)
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
            position += 1
            if depth == 0 { return position }
        }
        return bytes.count
    }

    // MARK: Forms, queries, attributes

    private mutating func copyWord() {
        let end = bytes[index...].firstIndex { !$0.isNameByte } ?? bytes.count
        let word = String(decoding: bytes[index..<end], as: UTF8.self)
        copy(to: end)
        guard index < bytes.count, names.contains(word.removingPercentEncoding ?? word) else { return }
        if bytes[index].isQuote {
            // A member's name after a quote that was taken for the end of another string.
            let colon = bytes[(index + 1)...].firstIndex { !$0.isSpace } ?? bytes.count
            guard colon < bytes.count, bytes[colon] == UInt8(ascii: ":") else { return }
            copy(to: bytes[(colon + 1)...].firstIndex { !$0.isSpace } ?? bytes.count)
            return redactValue()
        }
        guard bytes[index] == UInt8(ascii: "=") else { return }
        copy(to: index + 1)
        guard index < bytes.count else { return }
        if bytes[index].isQuote {
            let quote = bytes[index]
            let close = bytes[(index + 1)...].firstIndex(of: quote)
            output += [quote] + Self.placeholder + (close == nil ? [] : [quote])
            index = close.map { $0 + 1 } ?? bytes.count
            return
        }
        let valueEnd = bytes[index...].firstIndex { $0.isSpace || "&\"<>".utf8.contains($0) } ?? bytes.count
        guard valueEnd > index else { return }
        output += Self.placeholder
        index = valueEnd
    }

    // MARK: XML

    private mutating func copyTag() {
        let start = index
        let stop = bytes[(start + 1)...].firstIndex { $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "<") }
        let end = stop.map { bytes[$0] == UInt8(ascii: ">") ? $0 + 1 : $0 } ?? bytes.count
        let name = bytes[(start + 1)..<end].prefix { $0.isNameByte || $0 == UInt8(ascii: ":") }
        guard !name.isEmpty else { return copy(to: start + 1) }
        var attributes = SecretScanner(Array(bytes[(start + 1)..<end]), names: names)
        output += [UInt8(ascii: "<")] + attributes.redacted()
        index = end
        guard end >= 2, bytes[end - 1] == UInt8(ascii: ">"), bytes[end - 2] != UInt8(ascii: "/") else { return }
        let text = String(decoding: name, as: UTF8.self)
        if isPropertyList {
            if text == "key" { copyPropertyListKey() }
        } else if names.contains(text) {
            redactElement(name)
        }
    }

    /// The content of the element that was just opened.
    private mutating func redactElement(_ name: ArraySlice<UInt8>) {
        var depth = 1
        var position = index
        while position < bytes.count {
            guard let open = bytes[position...].firstIndex(of: UInt8(ascii: "<")) else { break }
            position = open + 1
            let isClosing = position < bytes.count && bytes[position] == UInt8(ascii: "/")
            let rest = bytes[(isClosing ? position + 1 : position)...]
            guard rest.starts(with: name), rest.dropFirst(name.count).first.map({ !$0.isNameByte }) ?? true else {
                continue
            }
            depth += isClosing ? -1 : 1
            if depth == 0 {
                if open > index { output += Self.placeholder }
                index = open
                return
            }
        }
        if index < bytes.count { output += Self.placeholder }
        index = bytes.count
    }

    private mutating func copyPropertyListKey() {
        let end = bytes[index...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
        let isSecret = names.contains(String(decoding: bytes[index..<end], as: UTF8.self))
        copy(to: bytes[end...].firstIndex(of: UInt8(ascii: ">")).map { $0 + 1 } ?? bytes.count)
        guard isSecret else { return }
        copy(to: bytes[index...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count)
        let name = bytes[index...].dropFirst().prefix { $0.isNameByte }
        guard let close = bytes[index...].firstIndex(of: UInt8(ascii: ">")) else { return }
        let isEmpty = bytes[close - 1] == UInt8(ascii: "/")
        copy(to: close + 1)
        if !isEmpty { redactElement(name) }
    }
}

/// The escapes of JSON strings, RFC 8259 §7.
private enum JSONText {
    /// The text of a string without its quotes, whole or cut off.
    static func unescaped(_ content: ArraySlice<UInt8>) -> String {
        guard content.contains(UInt8(ascii: "\\")) else { return String(decoding: content, as: UTF8.self) }
        var units: [UInt16] = []
        var rest = Substring(String(decoding: content, as: UTF8.self)).utf16
        while let unit = rest.popFirst() {
            guard unit == 0x5C else {
                units.append(unit)
                continue
            }
            guard let escape = rest.popFirst() else { break }
            switch Unicode.Scalar(escape) {
            case "n": units.append(0x0A)
            case "r": units.append(0x0D)
            case "t": units.append(0x09)
            case "b": units.append(0x08)
            case "f": units.append(0x0C)
            case "u":
                let digits = String(rest.prefix(4)) ?? ""
                rest = rest.dropFirst(4)
                if let value = UInt16(digits, radix: 16) { units.append(value) }
            default: units.append(escape)
            }
        }
        return String(decoding: units, as: UTF16.self)
    }

    static func escaped(_ bytes: [UInt8]) -> [UInt8] {
        bytes.flatMap { byte -> [UInt8] in
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): [UInt8(ascii: "\\"), byte]
            case 0x0A: Array("\\n".utf8)
            case 0x0D: Array("\\r".utf8)
            case 0x09: Array("\\t".utf8)
            case ..<0x20: Array("\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8)
            default: [byte]
            }
        }
    }
}

extension UInt8 {
    fileprivate var isSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }

    fileprivate var isQuote: Bool { self == UInt8(ascii: "\"") || self == UInt8(ascii: "'") }

    /// What names are made of in forms (percent-encoded or with brackets), attributes and elements.
    fileprivate var isNameByte: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...0xFF:
            true
        default: "_-.%[]".utf8.contains(self)
        }
    }
}

extension [UInt8] {
    fileprivate func containsSequence(_ text: String) -> Bool {
        let wanted = Array(text.utf8)
        return indices.contains { self[$0...].starts(with: wanted) }
    }
}
