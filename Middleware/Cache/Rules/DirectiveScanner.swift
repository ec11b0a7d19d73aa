import HTTPChainSupport
import HTTPTypes

/// A directive as written in a `Cache-Control` field.
package struct ScannedDirective: Equatable {
    package enum Argument: Equatable {
        /// There is no equals sign.
        case none
        /// A token or the content of a quoted string; RFC 9111 §5.2 requires recipients to accept both forms.
        case value(String)
        /// The argument isn't allowed by the grammar.
        case malformed
    }

    /// The name in lower case, because names are case-insensitive, RFC 9111 §5.2.
    package var name: String
    package var argument: Argument
}

/// Parses `Cache-Control`: `1#( token [ "=" ( token / quoted-string ) ] )`, RFC 9111 §5.2.
///
/// The grammar has no white space around the equals sign, so a directive with any is malformed. Invalid text between
/// commas is skipped, and doesn't affect the neighbouring directives.
package struct DirectiveScanner {
    private let bytes: [UInt8]
    private var position = 0

    package init(_ line: String) {
        bytes = Array(line.utf8)
    }

    /// The directives of one field line.
    package static func directives(in line: String) -> [ScannedDirective] {
        var scanner = DirectiveScanner(line)
        var result: [ScannedDirective] = []
        while let directive = scanner.next() { result.append(directive) }
        return result
    }

    private mutating func next() -> ScannedDirective? {
        while true {
            skip { ASCII.isSpace($0) || $0 == comma }
            guard position < bytes.count else { return nil }
            let start = position
            skip(ASCII.isTokenByte)
            guard position > start else {
                skipToComma()
                continue
            }
            let name = String(decoding: bytes[start..<position], as: UTF8.self).lowercased()
            return ScannedDirective(name: name, argument: argument())
        }
    }

    private mutating func argument() -> ScannedDirective.Argument {
        if position < bytes.count, bytes[position] == UInt8(ascii: "=") {
            position += 1
            if position < bytes.count, bytes[position] == quote { return quoted() }
            let start = position
            skip(ASCII.isTokenByte)
            let end = position
            return endsHere() && end > start
                ? .value(String(decoding: bytes[start..<end], as: UTF8.self)) : malformed()
        }
        return endsHere() ? .none : malformed()
    }

    private mutating func quoted() -> ScannedDirective.Argument {
        position += 1
        var text: [UInt8] = []
        while position < bytes.count {
            Steps.take()
            let byte = bytes[position]
            position += 1
            if byte == quote {
                return endsHere() ? .value(String(decoding: text, as: UTF8.self)) : malformed()
            }
            if byte == UInt8(ascii: "\\"), position < bytes.count {
                text.append(bytes[position])
                position += 1
            } else {
                text.append(byte)
            }
        }
        return .malformed
    }

    private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
        while position < bytes.count, isSkipped(bytes[position]) {
            Steps.take()
            position += 1
        }
    }

    /// Whether only white space precedes the next comma; if so, skips it.
    private mutating func endsHere() -> Bool {
        var index = position
        while index < bytes.count, ASCII.isSpace(bytes[index]) {
            Steps.take()
            index += 1
        }
        guard index == bytes.count || bytes[index] == comma else { return false }
        position = index
        return true
    }

    private mutating func malformed() -> ScannedDirective.Argument {
        skipToComma()
        return .malformed
    }

    private mutating func skipToComma() {
        var isQuoted = false
        while position < bytes.count, isQuoted || bytes[position] != comma {
            Steps.take()
            if bytes[position] == quote { isQuoted.toggle() }
            if isQuoted, bytes[position] == UInt8(ascii: "\\") { position += 1 }
            position += 1
        }
        position = min(position, bytes.count)
    }
}

private let comma = UInt8(ascii: ",")
private let quote = UInt8(ascii: "\"")

/// A number of seconds, RFC 9111 §1.2.2.
package enum DeltaSeconds: Equatable, Sendable {
    /// There is no such directive or field.
    case absent
    /// The value isn't a number of seconds.
    case invalid
    /// Seconds, at most 2³¹.
    case seconds(Int64)

    /// The value for numbers that are too large, RFC 9111 §1.2.2.
    static let largest: Int64 = 1 << 31

    /// Parses digits only.
    package init(_ text: some StringProtocol) {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            self = .invalid
            return
        }
        var value: Int64 = 0
        for digit in text.utf8 {
            value = min(value * 10 + Int64(digit - 0x30), Self.largest)
        }
        self = .seconds(value)
    }

    package init(_ argument: ScannedDirective.Argument) {
        if case .value(let text) = argument { self.init(text) } else { self = .invalid }
    }

    package var seconds: Int64? { if case .seconds(let value) = self { value } else { nil } }
}
