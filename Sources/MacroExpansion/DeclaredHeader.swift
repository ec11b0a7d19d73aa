#if Macros
import SwiftSyntax

/// A header field that a method sends: a constant, which may contain parameters, or a parameter.
struct DeclaredHeader {
    var name: String
    /// The constant value in the source; nil if a parameter is the value.
    var constant: String?
    /// The parameter that is the value.
    var parameter: String?
    /// The node at which mistakes are reported.
    var node: Syntax
    /// The name as written in the source.
    var written: ExprSyntax
    /// Whether the annotation is on the service, and not on the method.
    var isInherited = false

    /// The fix that removes the field.
    ///
    /// It removes the element of a literal, or the whole annotation if there is no other element.
    var removal: Mistake.Fix {
        let annotation = node.ancestorOrSelf { $0.as(AttributeSyntax.self) }
        let list = node.parent?.as(DictionaryElementListSyntax.self)
        guard let list, list.count > 1, let element = node.as(DictionaryElementSyntax.self) else {
            let what = annotation?.attributeName.trimmedDescription ?? "Header"
            return Mistake.Fix("remove @\(what)", annotation.map { Syntax($0) } ?? node, "")
        }
        var rest = Array(list)
        if let index = rest.firstIndex(of: element) { rest.remove(at: index) }
        if element.trailingComma == nil { rest[rest.count - 1].trailingComma = nil }
        let text = rest.map(\.description).joined().trimming { $0.isWhitespace }
        return Mistake.Fix("remove \(element.key.trimmedDescription)", list, text)
    }
}

extension String {
    /// Returns the text without leading and trailing characters that match a condition.
    fileprivate func trimming(_ isDropped: (Character) -> Bool) -> String {
        let begin = drop(while: isDropped)
        return String(String(begin.reversed().drop(while: isDropped)).reversed())
    }
}

extension MethodModel {
    /// The header fields, constant ones first.
    ///
    /// A service's field is included only if the method has none with the same name.
    var headers: [DeclaredHeader] {
        var own: [DeclaredHeader] = []
        var inherited: [DeclaredHeader] = []
        for annotation in annotations("Headers") {
            for (name, value, element) in annotation.constants {
                let header = DeclaredHeader(
                    name: name,
                    constant: value,
                    node: Syntax(element),
                    written: element.key,
                    isInherited: annotation.isInherited
                )
                if annotation.isInherited { inherited.append(header) } else { own.append(header) }
            }
        }
        for annotation in annotations("Header") {
            for binding in annotation.bindings {
                let written = annotation.texts.first { $0.label == nil }?.node ?? binding.node
                let (node, parameter) = (Syntax(binding.node), binding.parameter)
                own.append(DeclaredHeader(name: binding.wire, parameter: parameter, node: node, written: written))
            }
        }
        let names = Set(own.map { $0.name.lowercased() })
        return inherited.filter { !names.contains($0.name.lowercased()) } + own
    }

    /// The parameters in values of header fields, in the order of their declaration.
    var headerParameters: [Parameter] {
        let names = headers.flatMap { header in
            header.parameter.map { [$0] } ?? Interpolation(header.constant ?? "", parameters).used
        }
        return parameters.filter { names.contains($0.name) }
    }

    /// The parameters used in constants: values of header fields and identifiers for the cache.
    var interpolated: [String] {
        let texts =
            headers.compactMap(\.constant)
            + annotations("Caching").compactMap { $0.argument("identifier")?.literalText }
        return texts.flatMap { Interpolation($0, parameters).used }
    }
}

extension Annotation {
    /// The header fields that are literals.
    fileprivate var constants: [(name: String, value: String, node: DictionaryElementSyntax)] {
        guard let dictionary = arguments.first?.expression.as(DictionaryExprSyntax.self),
            case .elements(let elements) = dictionary.content
        else { return [] }
        return elements.compactMap { element in
            guard let name = element.key.literalText, let value = element.value.literalText else { return nil }
            return (name, value, element)
        }
    }
}

/// Text that contains parameters: `{name}` by name, `%%0%%` by position.
struct Interpolation {
    /// The text as a Swift string literal.
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

    /// Returns the text with `{name}` for each `%%0%%` that refers to an existing parameter.
    static func naming(_ text: String, _ parameters: [Parameter]) -> String {
        var named = ""
        var rest = text[...]
        while let next = rest.first {
            if let (position, end) = position(in: rest), parameters.indices.contains(position) {
                named += "{\(parameters[position].name)}"
                rest = rest[end...]
            } else {
                named.append(next)
                rest = rest.dropFirst()
            }
        }
        return named
    }

    /// Returns the position at the beginning of a text: 0 for `%%0%%`.
    static func position(in text: Substring) -> (position: Int, end: String.Index)? {
        guard text.hasPrefix("%%"), let end = text.dropFirst(2).firstRange(of: "%%"),
            let position = Int(text[text.index(text.startIndex, offsetBy: 2)..<end.lowerBound]), position >= 0
        else { return nil }
        return (position, end.upperBound)
    }

    private static func name(in text: Substring) -> (name: String, end: String.Index)? {
        if let (position, end) = position(in: text) { return (String(position), end) }
        guard text.first == "{", let end = text.firstIndex(of: "}") else { return nil }
        let name = text[text.index(after: text.startIndex)..<end]
        guard let first = name.first, first.isLetter || first == "_",
            name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" })
        else { return nil }
        return (String(name), text.index(after: end))
    }
}
#endif
