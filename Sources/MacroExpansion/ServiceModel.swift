#if Macros
import SwiftParser
import SwiftSyntax

/// A protocol that declares a client, as it is written.
struct ServiceModel {
    var name: String
    /// "public ", "package ", "fileprivate " or nothing.
    var access: String
    /// The address that all paths are relative to; empty where the chain has it.
    var base: String
    /// The annotations that hold for each method that says nothing else.
    var annotations: [Annotation]
    var methods: [MethodModel]
}

/// One call of a service.
struct MethodModel {
    var node: FunctionDeclSyntax
    var name: String
    /// The service's first.
    var annotations: [Annotation]
    var parameters: [Parameter]
    var result: DeclaredResult

    /// The name as it is declared: in backticks where it is a keyword.
    var declaredName: String { node.name.text }

    /// The annotation that says method and path.
    var verb: Annotation? { annotations.first { Annotation.verbs.contains($0.name) } }

    /// The path, relative to the service's base; a parameter that is named by its position is named in it.
    ///
    /// Without the slash that it may begin with: every path is below the base.
    var path: String {
        let written = verb?.texts.first?.text ?? ""
        return Interpolation.naming(written.hasPrefix("/") ? String(written.dropFirst()) : written, parameters)
    }

    /// The variables of the path, in order.
    var variables: [String] { PathTemplate(path).variables }

    /// The names of the parameters that variables of the path have, by the variables.
    var pathParameters: [String: String] {
        let named = annotations("Path").flatMap(\.bindings).map { ($0.wire, $0.parameter) }
        let parameters = Dictionary(named, uniquingKeysWith: { first, _ in first })
        let pairs = variables.map { ($0, parameters[$0] ?? $0) }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    /// Whether an annotation stands on the method itself.
    func declares(_ annotation: String) -> Bool { annotations.contains { $0.name == annotation && !$0.isInherited } }

    func parameter(_ name: String) -> Parameter? { parameters.first { $0.name == name } }

    func annotations(_ names: String...) -> [Annotation] { annotations.filter { names.contains($0.name) } }

    /// The name as Swift writes it: "user(id:)".
    var signature: String { "\(name)(\(parameters.map { "\($0.label ?? "_"):" }.joined()))" }
}

struct Parameter {
    var node: FunctionParameterSyntax
    /// The label that a caller writes; nil for "_".
    var label: String?
    /// The name without backticks.
    var name: String
    /// The type without `@escaping`.
    var type: String

    var isOptional: Bool { type.hasSuffix("?") || type.hasPrefix("Optional<") }

    /// The name as it is declared: in backticks where it is a keyword.
    var declaredName: String { (node.secondName ?? node.firstName).text }

    /// How the request keeps it: names that a request has already are changed.
    var stored: String { Self.taken.contains(name) ? name + "Value" : declaredName }

    private static let taken: Set = [
        "method", "path", "pathParameters", "query", "headers", "body", "result", "configure", "makeRequest", "request",
        "fields", "self", "init",
    ]
}

extension ExprSyntax {
    /// The text of a string that is written out, without interpolation.
    var literalText: String? { self.as(StringLiteralExprSyntax.self)?.representedLiteralValue }
}

extension String {
    /// The name as it is written before the colon of an argument, where nearly all keywords stand without backticks.
    var asArgumentLabel: String {
        let name = replacing("`", with: "")
        return ["inout", "let", "var"].contains(name) ? "`\(name)`" : name
    }
}

/// The variables of a path.
struct PathTemplate {
    private(set) var variables: [String] = []
    /// Those that are left out where they have no value: all that stand behind an operator, RFC 6570 §3.2.
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
