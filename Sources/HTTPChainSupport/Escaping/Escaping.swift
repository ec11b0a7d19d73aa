/// Escapes text for other languages.
///
/// All functions work on Unicode scalars or bytes, because a Swift `Character` can hide a delimiter: `"'\u{301}"` and
/// `"\u{600}'"` are one `Character` each, and neither equals `"'"`.
package enum Escaping {
    /// Returns the text with some of its scalars replaced.
    ///
    /// - Parameter replacement: A closure that returns the replacement for a scalar, or `nil` to keep it.
    package static func replacing(
        in text: some StringProtocol,
        _ replacement: (Unicode.Scalar) -> String?
    ) -> String {
        replacing(in: text.unicodeScalars, replacement)
    }

    static func replacing(
        in text: some Sequence<Unicode.Scalar>,
        _ replacement: (Unicode.Scalar) -> String?
    ) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text {
            if let other = replacement(scalar) {
                result.append(contentsOf: other.unicodeScalars)
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }

    /// Escapes text for content or quoted attribute values in HTML, SVG or XML.
    ///
    /// Scalars that XML 1.0 §2.2 excludes become U+FFFD.
    package static func markup(_ text: some StringProtocol) -> String {
        replacing(in: text) { scalar in
            switch scalar.value {
            case 0x26: "&amp;"
            case 0x3C: "&lt;"
            case 0x3E: "&gt;"
            case 0x22: "&quot;"
            case 0x27: "&#39;"
            // Parsers normalize these: CR everywhere, and the others in XML attributes.
            case 0x09, 0x0A, 0x0D: "&#\(scalar.value);"
            case ..<0x20, 0xFFFE...0xFFFF: "\u{FFFD}"
            default: nil
            }
        }
    }

    /// Quotes text as one word of a POSIX shell (POSIX.1-2017, Shell Command Language §2.2.2).
    ///
    /// Control characters other than line feeds and tabs would affect a terminal, so they are written with `printf`.
    /// NUL, which a word can't contain, becomes U+FFFD.
    package static func shellWord(_ text: some StringProtocol) -> String {
        let isPlain = !text.isEmpty && text.utf8.allSatisfy(ASCII.isAlphanumeric)
        if isPlain { return String(text) }
        let content = replacing(in: text) { scalar in
            switch scalar.value {
            case 0: "\u{FFFD}"
            case 0x27: "'\\''"
            case 0x09, 0x0A: nil
            case ..<0x20, 0x7F...0x9F: "'\"$(printf '\(octal(scalar))')\"'"
            default: nil
            }
        }
        return "'\(content)'"
    }

    private static func octal(_ scalar: Unicode.Scalar) -> String {
        scalar.utf8.map { byte in
            let digits = String(byte, radix: 8)
            return "\\" + String(repeating: "0", count: 3 - digits.utf8.count) + digits
        }.joined()
    }

    /// Makes a quoted string, RFC 9110 §5.6.4.
    ///
    /// ASCII control characters that it can't contain become spaces.
    package static func quotedString(_ text: some StringProtocol) -> String {
        let content = replacing(in: text) { scalar in
            switch scalar.value {
            case 0x22: "\\\""
            case 0x5C: "\\\\"
            case 0x09: nil
            case ..<0x20, 0x7F: " "
            default: nil
            }
        }
        return "\"\(content)\""
    }

    /// Quotes the name of a field or file of `multipart/form-data`, HTML Standard §4.10.22.8.
    package static func formDataName(_ text: some StringProtocol) -> String {
        let content = replacing(in: text) { scalar in
            switch scalar.value {
            case 0x0A: "%0A"
            case 0x0D: "%0D"
            case 0x22: "%22"
            default: nil
            }
        }
        return "\"\(content)\""
    }

    /// Makes an OData string (ABNF rule `string`), without percent-encoding.
    package static func odataString(_ text: some StringProtocol) -> String {
        "'" + replacing(in: text) { $0 == "'" ? "''" : nil } + "'"
    }

    /// Makes a phrase of `$search` (ABNF rule `searchPhrase`), without percent-encoding.
    package static func odataPhrase(_ text: some StringProtocol) -> String {
        "\"" + replacing(in: text) { $0 == "\"" ? "\\\"" : $0 == "\\" ? "\\\\" : nil } + "\""
    }

    /// Escapes text as a reference token of a JSON Pointer, RFC 6901 §3.
    package static func jsonPointerToken(_ text: some StringProtocol) -> String {
        replacing(in: text) { $0 == "~" ? "~0" : $0 == "/" ? "~1" : nil }
    }
}

extension UInt8 {
    /// Whether the byte must be escaped in a JSON string, RFC 8259 §7.
    @inlinable
    package var needsJSONEscape: Bool { self < 0x20 || self == UInt8(ascii: "\"") || self == UInt8(ascii: "\\") }

    /// The escape of a byte that needs one in a JSON string.
    package var jsonEscape: String {
        switch self {
        case UInt8(ascii: "\""): "\\\""
        case UInt8(ascii: "\\"): "\\\\"
        case 0x0A: "\\n"
        case 0x0D: "\\r"
        case 0x09: "\\t"
        default: "\\u00" + (self < 0x10 ? "0" : "") + String(self, radix: 16)
        }
    }
}

extension [UInt8] {
    /// Appends text as a JSON string, RFC 8259 §7.
    package mutating func append(jsonString text: some StringProtocol) {
        append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            if byte.needsJSONEscape { append(contentsOf: byte.jsonEscape.utf8) } else { append(byte) }
        }
        append(UInt8(ascii: "\""))
    }
}

extension StringProtocol {
    /// Returns the text with control characters, line separators and characters that change the writing direction
    /// replaced by spaces.
    ///
    /// - Parameter limit: The maximum number of scalars.
    package func printable(upTo limit: Int = .max) -> String {
        if utf8.count <= limit, !unicodeScalars.contains(where: \.isDisruptive) { return String(self) }
        return Escaping.replacing(in: Substring(self).unicodeScalars.prefix(limit)) { $0.isDisruptive ? " " : nil }
    }

    /// Does the same as ``printable(upTo:)``, but adds an ellipsis if the text is cut off.
    package func printable(cutAfter limit: Int) -> String {
        let shown = printable(upTo: limit)
        return unicodeScalars.dropFirst(limit).isEmpty ? shown : shown + "…"
    }

    /// Joins the lines that aren't empty, without their leading spaces.
    package func onOneLine(joinedBy separator: String = " ") -> String {
        Substring(self).unicodeScalars.split(whereSeparator: \.endsLine)
            .map { String($0.drop { $0 == " " }) }
            .joined(separator: separator)
    }

    /// The text as in ``printable(upTo:)``, but with its line breaks.
    package var printableLines: String {
        if !unicodeScalars.contains(where: { $0.isDisruptive && $0 != "\n" }) { return String(self) }
        return Escaping.replacing(in: self) { $0.isDisruptive && $0 != "\n" ? " " : nil }
    }
}

extension Unicode.Scalar {
    /// Whether the scalar ends a line, Unicode Standard §5.8.
    package var endsLine: Bool {
        switch value {
        case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }

    /// Whether the scalar ends a line, controls a terminal or changes the writing direction.
    package var isDisruptive: Bool {
        switch value {
        case ..<0x20, 0x7F...0x9F, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
