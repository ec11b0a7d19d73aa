#if Macros
import SwiftParser
import SwiftSyntax

/// A protocol that declares a client, as in the source.
struct ServiceModel {
    var name: String
    /// The access modifier: "public ", "package ", "fileprivate ", or empty.
    var access: String
    /// The base address of all paths; empty if the chain has it.
    var base: String
    /// The annotations that apply to each method that doesn't replace them.
    var annotations: [Annotation]
    var methods: [MethodModel]
}

/// A call of a service.
struct MethodModel {
    var node: FunctionDeclSyntax
    var name: String
    /// The annotations, the service's first.
    var annotations: [Annotation]
    var parameters: [Parameter]
    var result: DeclaredResult

    /// The name as declared, in backticks if it is a keyword.
    var declaredName: String { node.name.text }

    /// The annotation with the HTTP method and the path.
    var verb: Annotation? { annotations.first { Annotation.verbs.contains($0.name) } }

    /// The path, relative to the service's base, with positional parameters replaced by their names.
    ///
    /// It has no leading slash, because every path is relative to the base.
    var path: String {
        let written = verb?.texts.first?.text ?? ""
        return Interpolation.naming(written.hasPrefix("/") ? String(written.dropFirst()) : written, parameters)
    }

    /// The variables of the path, in order.
    var variables: [String] { PathTemplate(path).variables }

    /// The names of the parameters for path variables, by variable.
    var pathParameters: [String: String] {
        let named = annotations("Path").flatMap(\.bindings).map { ($0.wire, $0.parameter) }
        let parameters = Dictionary(named, uniquingKeysWith: { first, _ in first })
        let pairs = variables.map { ($0, parameters[$0] ?? $0) }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    /// Whether an annotation for decoding has an effect on the method; `true` for other annotations.
    func uses(_ annotation: Annotation) -> Bool {
        guard result.isUndecoded else { return true }
        return switch annotation.name {
        case "KeyPath": annotation.texts.first?.text == ""
        // A serializer also encodes the content, and decodes the values of a sequence.
        case "Serializer":
            annotation.isOff || !annotations("Body", "Field").isEmpty
                || result.form == .jsonValues && annotation.texts.isEmpty
        default: true
        }
    }

    func parameter(_ name: String) -> Parameter? { parameters.first { $0.name == name } }

    func annotations(_ names: String...) -> [Annotation] { annotations.filter { names.contains($0.name) } }

    /// The full name in Swift: "user(id:)".
    var signature: String { "\(name)(\(parameters.map { "\($0.label ?? "_"):" }.joined()))" }
}

struct Parameter {
    var node: FunctionParameterSyntax
    /// The argument label; nil for "_".
    var label: String?
    /// The name without backticks.
    var name: String
    /// The type without `@escaping`.
    var type: String

    var isOptional: Bool { type.hasSuffix("?") || type.hasPrefix("Optional<") }

    /// The name as declared, in backticks if it is a keyword.
    var declaredName: String { (node.secondName ?? node.firstName).text }

    /// The name of the property in the request type.
    ///
    /// It differs if that type already has a property with the parameter's name.
    var stored: String { Self.taken.contains(name) ? name + "Value" : declaredName }

    private static let taken: Set = [
        "method", "path", "pathParameters", "query", "headers", "body", "result", "configure", "makeRequest", "request",
        "fields", "self", "init",
    ]
}

extension ExprSyntax {
    /// The text of a string literal without interpolation.
    var literalText: String? { self.as(StringLiteralExprSyntax.self)?.representedLiteralValue }
}

extension String {
    /// The name as an argument label; nearly all keywords need no backticks there.
    var asArgumentLabel: String {
        let name = replacing("`", with: "")
        return ["inout", "let", "var"].contains(name) ? "`\(name)`" : name
    }
}

/// The variables of a path.
struct PathTemplate {
    private(set) var variables: [String] = []
    /// The variables that are omitted if they have no value; these follow an operator other than `+`, RFC 6570 §3.2.
    private(set) var optional: Set<String> = []
    private(set) var isBalanced = true

    init(_ path: String) {
        var name: String?
        for character in path {
            switch (character, name) {
            case ("{", nil): name = ""
            case ("{", _), ("}", nil): isBalanced = false
            case ("}", let whole?):
                let list = whole.drop { "+#./;?&".contains($0) }.split(separator: ",")
                let names = list.map { variable in String(variable.prefix { $0 != ":" && $0 != "*" }) }
                variables += names
                if "#./;?&".contains(whole.first ?? " ") { optional.formUnion(names) }
                name = nil
            case (_, .some): name?.append(character)
            default: break
            }
        }
        if name != nil { isBalanced = false }
    }
}
#endif
