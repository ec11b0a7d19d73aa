#if Macros
import SwiftSyntax

/// The result type of a method, and its form in the request.
struct DeclaredResult {
    /// The form of a result; a request has to declare it if it can't be inferred from the type.
    enum Form {
        /// The type's default.
        case plain
        /// JSON values as they arrive.
        case jsonValues
        /// A resource with its version.
        case record
        /// Events as they arrive, over any number of connections.
        case events
        /// The pages of a list.
        case pages
    }

    /// The type; "Void" if none is declared.
    let type: String
    let form: Form
    /// The element of a stream or a list; empty for other types.
    let element: String

    init(_ node: TypeSyntax?) {
        let text = node?.trimmedDescription ?? "Void"
        type = text == "()" ? "Void" : text
        let clause =
            node?.as(IdentifierTypeSyntax.self)?.genericArgumentClause
            ?? node?.as(MemberTypeSyntax.self)?.genericArgumentClause
        let name = node?.as(IdentifierTypeSyntax.self)?.name.text ?? node?.as(MemberTypeSyntax.self)?.name.text
        let arguments = clause?.arguments.map(\.argument.trimmedDescription) ?? []
        element = arguments.count == 1 ? arguments[0] : ""
        form =
            switch (name, arguments.count) {
            case ("JSONValues"?, 1): .jsonValues
            case ("ResourceRecord"?, 1): .record
            case ("EventStream"?, 1): .events
            case ("PageSequence"?, 1): .pages
            default: .plain
            }
    }

    /// Whether the client reads the response itself, so that serializers don't decode it.
    var isUndecoded: Bool {
        let name = output.split(separator: ".").last.map(String.init) ?? output
        return form == .jsonValues || ["HTTPBody", "Response", "TemporaryFile"].contains(name)
    }

    /// The output of one call.
    var output: String {
        switch form {
        case .plain, .jsonValues, .record: type
        case .events: "Response"
        case .pages: element
        }
    }
}
#endif
