#if Macros
import SwiftSyntax

// The rules for header fields.
extension MethodRules {
    mutating func checkHeaders() {
        var seen: [String: DeclaredHeader] = [:]
        for header in method.headers {
            if header.name.isEmpty || !header.name.utf8.allSatisfy(Self.isTokenCharacter) {
                let fixes = token(of: header.name).map {
                    [Mistake.Fix("write \($0)", header.written, "\"\($0)\"")]
                }
                add(Mistake("\"\(header.name)\" is no name of a header field", at: header.node, fixes: fixes ?? []))
            } else if let first = seen.updateValue(header, forKey: header.name.lowercased()) {
                // The parameter is probably intended, and the constant a leftover.
                let isConstant = first.constant != nil && header.constant == nil
                let fixes = isConstant ? [first.removal, header.removal] : [header.removal]
                add(Mistake("the header field \(header.name) is given twice", at: header.node, fixes: fixes))
            }
            if let value = header.constant, value.utf8.contains(where: { $0 < 0x20 && $0 != 9 || $0 == 0x7F }) {
                add("this is no value of a header field", at: header.node)
            }
            if let value = header.constant {
                checkText(value, of: header.name, at: header.isInherited ? Syntax(method.node.name) : header.node)
            }
        }
        for annotation in method.annotations("Headers") {
            guard let argument = annotation.arguments.first?.expression else { continue }
            if case .elements(let elements)? = argument.as(DictionaryExprSyntax.self)?.content {
                for element in elements where element.key.literalText == nil || element.value.literalText == nil {
                    add("write the name and the value as strings; \"{name}\" stands for a parameter", at: element)
                }
            } else if argument.as(DictionaryExprSyntax.self) == nil {
                add("write the header fields out, as [\"Name\": \"value\"]", at: argument)
            }
        }
    }

    /// Returns the name with hyphens instead of invalid characters, or nil if no valid character is left.
    private func token(of name: String) -> String? {
        let bytes = name.utf8.map { Self.isTokenCharacter($0) ? $0 : UInt8(ascii: "-") }
        return bytes.allSatisfy { $0 == UInt8(ascii: "-") } ? nil : String(decoding: bytes, as: UTF8.self)
    }

    /// Whether a byte is allowed in a token, RFC 9110 §5.6.2.
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
#endif
