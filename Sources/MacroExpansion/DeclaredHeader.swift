#if Macros
import SwiftSyntax

/// A header field that a method sends: a constant, perhaps with parameters in it, or a parameter.
struct DeclaredHeader {
    var name: String
    /// The value as it is written; nil where a parameter is the value.
    var constant: String?
    /// The parameter that is the value.
    var parameter: String?
    var node: Syntax
}

extension MethodModel {
    /// The header fields, constant ones first.
    var headers: [DeclaredHeader] {
        var headers: [DeclaredHeader] = []
        for annotation in annotations("Headers") {
            guard let dictionary = annotation.arguments.first?.expression.as(DictionaryExprSyntax.self),
                case .elements(let elements) = dictionary.content
            else { continue }
            for element in elements {
                guard let name = element.key.literalText, let value = element.value.literalText else { continue }
                headers.append(DeclaredHeader(name: name, constant: value, node: Syntax(element)))
            }
        }
        for binding in annotations("Header").flatMap(\.bindings) {
            headers.append(DeclaredHeader(name: binding.wire, parameter: binding.parameter, node: Syntax(binding.node)))
        }
        return headers
    }

    /// The parameters that stand in constants: values of header fields, identifiers of the cache.
    var interpolated: [String] {
        let texts =
            headers.compactMap(\.constant) + annotations("Cached").compactMap { $0.argument("identifier")?.literalText }
        return texts.flatMap { Interpolation($0, parameters).used }
    }
}

/// Text with parameters in it: `{name}` by name, `%%0%%` by position.
struct Interpolation {
    /// The text as a string of Swift.
    private(set) var swift = "\""
    private(set) var used: [String] = []
    private(set) var unknown: [String] = []

    init(_ text: String, _ parameters: [Parameter]) {
        var rest = text[...]
        while let next = rest.first {
            if let (name, end) = Self.name(in: rest) {
                let parameter = Int(name).flatMap { parameters.indices.contains($0) ? parameters[$0] : nil }
                if let found = parameter ?? parameters.first(where: { $0.name == name }) {
                    used.append(found.name)
                    swift += "\\(\(found.stored))"
                } else {
                    unknown.append(name)
                }
                rest = rest[end...]
                continue
            }
            swift += next == "\"" || next == "\\" ? "\\\(next)" : next == "\n" ? "\\n" : "\(next)"
            rest = rest.dropFirst()
        }
        swift += "\""
    }

    private static func name(in text: Substring) -> (name: String, end: String.Index)? {
        if text.hasPrefix("%%"), let end = text.dropFirst(2).firstRange(of: "%%") {
            let name = text[text.index(text.startIndex, offsetBy: 2)..<end.lowerBound]
            return name.isEmpty || !name.allSatisfy(\.isNumber) ? nil : (String(name), end.upperBound)
        }
        guard text.first == "{", let end = text.firstIndex(of: "}") else { return nil }
        let name = text[text.index(after: text.startIndex)..<end]
        guard let first = name.first, first.isLetter || first == "_",
            name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" })
        else { return nil }
        return (String(name), text.index(after: end))
    }
}
#endif
