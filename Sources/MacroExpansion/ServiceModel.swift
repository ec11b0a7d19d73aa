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
    var methods: [MethodModel]
}

/// One call of a service.
struct MethodModel {
    var node: FunctionDeclSyntax
    var name: String
    var annotations: [Annotation]
    var parameters: [Parameter]
    /// What it returns; "Void" where nothing is written.
    var output: String

    /// The annotation that says method and path.
    var verb: Annotation? { annotations.first { Annotation.verbs.contains($0.name) } }

    /// The path, relative to the service's base.
    var path: String { verb?.texts.first?.text ?? "" }

    /// The variables of the path, in order.
    var variables: [String] { PathTemplate(path).variables }

    func parameter(_ name: String) -> Parameter? { parameters.first { $0.name == name } }

    func annotations(_ names: String...) -> [Annotation] { annotations.filter { names.contains($0.name) } }

    /// The name as Swift writes it: "user(id:)".
    var signature: String { "\(name)(\(parameters.map { "\($0.label ?? "_"):" }.joined()))" }
}

struct Parameter {
    var node: FunctionParameterSyntax
    /// What a caller writes; nil for "_".
    var label: String?
    var name: String
    /// The type without `@escaping`.
    var type: String

    var isOptional: Bool { type.hasSuffix("?") || type.hasPrefix("Optional<") }

    /// How the request keeps it: names that a request has already are changed.
    var stored: String { Self.taken.contains(name) ? name + "Value" : name }

    private static let taken: Set = [
        "method", "path", "pathParameters", "query", "headers", "body", "result", "configure", "makeRequest", "request",
        "fields",
    ]
}

/// An annotation of a method.
struct Annotation {
    static let verbs: Set = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"]
    static let roles: Set = ["Path", "Query", "Header", "Field", "Part", "Body", "RawBody", "Progress", "Change"]

    /// A string of an annotation's arguments.
    struct Text {
        var label: String?
        var text: String
        var node: ExprSyntax
    }

    var name: String
    var node: AttributeSyntax

    var arguments: [LabeledExprSyntax] {
        if case .argumentList(let list)? = node.arguments { Array(list) } else { [] }
    }

    /// The arguments as they are written.
    var source: String { arguments.map(\.trimmedDescription).joined(separator: " ") }

    /// The strings among the arguments that are written out.
    var texts: [Text] {
        arguments.compactMap { argument in
            argument.expression.literalText.map {
                Text(label: argument.label?.text, text: $0, node: argument.expression)
            }
        }
    }

    /// The argument with a label.
    func argument(_ label: String) -> ExprSyntax? { arguments.first { $0.label?.text == label }?.expression }

    /// For an annotation that gives parameters a role: the name outside, and the parameter.
    var bindings: [(wire: String, parameter: String, node: ExprSyntax)] {
        if let source = texts.first(where: { $0.label == "from" }), let wire = texts.first(where: { $0.label == nil }) {
            return [(wire.text, source.text, source.node)]
        }
        return texts.filter { $0.label == nil }.map { ($0.text, $0.text, $0.node) }
    }
}

extension ExprSyntax {
    /// The text of a string that is written out, without interpolation.
    var literalText: String? { self.as(StringLiteralExprSyntax.self)?.representedLiteralValue }
}

/// The variables of a path.
struct PathTemplate {
    private(set) var variables: [String] = []
    private(set) var isBalanced = true

    init(_ path: String) {
        var name: String?
        for character in path {
            switch (character, name) {
            case ("{", nil): name = ""
            case ("{", _), ("}", nil): isBalanced = false
            case ("}", let whole?):
                variables += whole.drop { "+#./;?&".contains($0) }.split(separator: ",").map { variable in
                    String(variable.prefix { $0 != ":" && $0 != "*" })
                }
                name = nil
            case (_, .some): name?.append(character)
            default: break
            }
        }
        if name != nil { isBalanced = false }
    }
}
#endif
