#if Macros
import SwiftSyntax

/// An annotation of a method or a service.
struct Annotation {
    static let verbs: Set = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"]
    static let roles: Set = [
        "Path", "Query", "Reserved", "Header", "Field", "Part", "Body", "RawBody", "Progress", "Change",
        "OData",
    ]

    /// Annotations whose arguments are passed unchanged to a method of the request.
    static let options: [String: (call: String, label: String)] = [
        "AttemptTimeout": ("attemptTimeout", ""), "Authenticator": ("authenticated", "by: "),
        "Coalesced": ("coalesced", ""), "Cookies": ("cookies", ""), "ErrorHandlers": ("handlingErrors", ""),
        "Gzip": ("compressed", ""), "Hedged": ("hedging", ""), "Idempotent": ("idempotent", ""),
        "Invalidates": ("invalidating", ""), "KeyPath": ("decoded", "at: "), "Logged": ("logging", ""),
        "OnlyErrorHandlers": ("handlingErrorsOnly", ""), "Processed": ("processed", "by: "),
        "RateLimitWeight": ("rateLimitWeight", ""), "Redirects": ("redirects", ""), "Retry": ("retry", ""),
        "RootKey": ("encoded", "under: "), "Serializer": ("serialized", "by: "), "Tags": ("callTags", ""),
        "Timeout": ("timeout", ""), "Unauthenticated": ("unauthenticated", ""), "URLBuiltBy": ("url", "builtBy: "),
        "WithoutSerialization": ("withoutSerialization", ""),
    ]

    /// Annotations that may be repeated, because each adds to the others.
    static let additive: Set = ["Headers", "Modified", "Option", "Processed", "Tags"]

    /// Annotations that contradict each other.
    static let opposites: [String: String] = [
        "Unauthenticated": "Authenticator", "WithoutSerialization": "Serializer", "OnlyErrorHandlers": "ErrorHandlers",
    ]

    /// Annotations that are allowed on a service, and apply to all of its methods.
    static let shared: Set = Set(options.keys).union(additive).union(["Cached", "SuccessCodes"])

    /// Annotations that are only allowed on methods.
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
    /// Whether the annotation is on the service, not on the method.
    var isInherited = false

    var arguments: [LabeledExprSyntax] {
        if case .argumentList(let list)? = node.arguments { Array(list) } else { [] }
    }

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

    /// The external names and the parameters, for an annotation that gives parameters a role.
    var bindings: [(wire: String, parameter: String, node: ExprSyntax)] {
        if let source = texts.first(where: { $0.label == "from" }), let wire = texts.first(where: { $0.label == nil }) {
            return [(wire.text, source.text, source.node)]
        }
        return texts.filter { $0.label == nil }.map { ($0.text, $0.text, $0.node) }
    }
}
#endif
