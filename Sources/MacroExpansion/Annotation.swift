#if Macros
import SwiftSyntax

/// An annotation of a method or a service.
struct Annotation {
    static let verbs: Set = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"]
    static let roles: Set = [
        "Path", "Query", "Reserved", "Header", "Field", "Part", "Body", "RawBody", "Progress", "Change",
        "OData",
    ]

    /// The annotations whose arguments are passed unchanged to a method of the request.
    static let options: [String: (call: String, label: String)] = [
        "Authentication": ("authentication", ""), "Coalescing": ("coalescing", ""), "Cookies": ("cookies", ""),
        "ErrorHandlers": ("errorHandlers", ""), "Gzip": ("compression", ""), "Hedging": ("hedging", ""),
        "KeyPath": ("decoding", "at: "), "Logged": ("logging", ""), "Processing": ("processing", ""),
        "RateLimit": ("rateLimit", ""), "Redirects": ("redirects", ""), "Retry": ("retry", ""),
        "RootKey": ("encoding", "under: "), "Serializer": ("serializer", ""), "Tags": ("callTags", ""),
        "Timeout": ("timeout", ""), "URLBuiltBy": ("url", "builtBy: "),
    ]

    /// The annotations that may be repeated, because each one adds to the others.
    static let additive: Set = ["Headers", "Modified", "Option", "Processing", "Tags"]

    /// The labels of arguments that make the annotation set something else than it does without them.
    private static let aspects: Set = ["attempt", "idempotencyKey", "invalidating"]

    /// The annotations that are allowed on a service, and then apply to all of its methods.
    static let shared: Set = Set(options.keys).union(additive).union(["Caching", "Statuses"])

    /// The annotations that are allowed only on methods.
    static let forMethods: Set = verbs.union(roles).union([
        "Default", "EventOptions", "FormURLEncoded", "Multipart", "Paged",
    ])

    /// A string argument of an annotation.
    struct Text {
        var label: String?
        var text: String
        var node: ExprSyntax
    }

    var name: String
    var node: AttributeSyntax
    /// Whether the annotation is on the service, and not on the method.
    var isInherited = false

    var arguments: [LabeledExprSyntax] {
        if case .argumentList(let list)? = node.arguments { Array(list) } else { [] }
    }

    /// The setting that the annotation sets: its name, with the label of an argument that makes it set something else.
    var aspect: String {
        guard let label = arguments.first?.label?.text, Self.aspects.contains(label) else { return name }
        return "\(name)(\(label):)"
    }

    /// Whether the annotation turns its setting off.
    var isOff: Bool { source == "false" }

    /// The source of the arguments.
    var source: String { arguments.map(\.trimmedDescription).joined(separator: " ") }

    /// The string literals among the arguments.
    var texts: [Text] {
        arguments.compactMap { argument in
            argument.expression.literalText.map {
                Text(label: argument.label?.text, text: $0, node: argument.expression)
            }
        }
    }

    /// Returns the argument with a label.
    func argument(_ label: String) -> ExprSyntax? { arguments.first { $0.label?.text == label }?.expression }

    /// The external names with their parameters, for an annotation that gives parameters a role.
    var bindings: [(wire: String, parameter: String, node: ExprSyntax)] {
        if let source = texts.first(where: { $0.label == "from" }), let wire = texts.first(where: { $0.label == nil }) {
            return [(wire.text, source.text, source.node)]
        }
        return texts.filter { $0.label == nil }.map { ($0.text, $0.text, $0.node) }
    }
}
#endif
