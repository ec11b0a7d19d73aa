import Foundation
import HTTPChainSupport

/// A Content-Disposition field: the purpose of a part, RFC 7578 §4.2 and RFC 6266.
///
/// The parser tolerates differences between senders. It accepts tokens and quoted strings with and without backslashes,
/// unencoded UTF-8, and the percent-encodings of browsers in form data (`%22`, `%0D`, `%0A`). The extended notation
/// `filename*=UTF-8''na%C3%AFve.txt` (RFC 8187) takes precedence over the plain one. If a parameter is repeated, the
/// first one wins.
package struct ContentDisposition: Sendable, Hashable {
    /// The disposition type in lower case: `form-data`, `attachment` or `inline`.
    package let type: String
    /// The name of the form field.
    package let name: String?
    /// The file name as it was sent.
    ///
    /// It's chosen by the sender, and may be a path or contain `..`. Never use it as a destination for writing.
    package let fileName: String?

    /// Parses a field's value, or returns `nil` if it has no disposition type.
    package init?(_ value: String) {
        let field = ParameterizedValue(value.utf8)
        guard !field.value.isEmpty, field.value.utf8.allSatisfy(ASCII.isTokenByte) else { return nil }
        type = field.value
        let isForm = field.value == "form-data"
        name = Self.text("name", in: field, isForm: isForm)
        fileName = Self.text("filename", in: field, isForm: isForm)
    }

    private static func text(_ name: String, in field: ParameterizedValue, isForm: Bool) -> String? {
        if let extended = field.parameter(name + "*").flatMap(extendedValue) { return extended }
        guard let plain = field.parameter(name) else { return nil }
        return String(decoding: isForm ? formDecoded(plain) : plain, as: UTF8.self)
    }

    /// Decodes the percent-encodings that WHATWG's form data uses in names, and no others.
    private static func formDecoded(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if let byte = bytes.percentEncodedByte(at: index), [10, 13, 34].contains(byte) {
                result.append(byte)
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }

    /// Decodes an extended value (RFC 8187 §3.2): charset, language, and percent-encoded bytes.
    ///
    /// Returns `nil` if it's malformed.
    private static func extendedValue(_ bytes: [UInt8]) -> String? {
        let pieces = bytes.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        guard pieces.count == 3 else { return nil }
        let value = pieces[2]
        let isMalformed = value.indices.contains {
            value[$0] == UInt8(ascii: "%") && value.percentEncodedByte(at: $0) == nil
        }
        guard !isMalformed else { return nil }
        let decoded = value.percentDecoded()
        switch String(decoding: pieces[0], as: UTF8.self).lowercased() {
        case "utf-8": return String(bytes: decoded, encoding: .utf8)
        case "iso-8859-1": return String(latin1: decoded)
        default: return nil
        }
    }
}
