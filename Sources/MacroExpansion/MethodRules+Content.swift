#if Macros
import SwiftSyntax

// The rules for the content and the cache.
extension MethodRules {
    mutating func checkContent() {
        let bodies = method.annotations("Body", "RawBody")
        let fields = method.annotations("Field")
        let parts = method.annotations("Part")
        for body in bodies.dropFirst() {
            add("a call has one body", at: body.node, removing(body))
        }
        if let body = bodies.first, let other = (parts + fields).first {
            add(
                "a call with @\(body.name) has no @\(other.name): write all that is sent in one way",
                at: other.node,
                removing(other)
            )
        } else if let part = parts.first, let field = fields.first {
            let text = field.node.trimmedDescription.replacing("Field", with: "Part")
            add(
                "a call with @\(part.name) is multipart: its fields are parts too",
                at: field.node,
                Mistake.Fix("write @Part", field.node, text)
            )
        }
        if let verb = method.verb, ["GET", "HEAD"].contains(verb.name), let content = (bodies + parts + fields).first {
            add(
                "\(verb.name) sends no content",
                at: content.node,
                Mistake.Fix("write @POST", verb.node.attributeName, "POST")
            )
        }
        if let form = method.annotations("Multipart").first, parts.isEmpty {
            add("a multipart form has parts: name them with @Part", at: form.node, removing(form))
        }
        for form in method.annotations("FormURLEncoded") where fields.isEmpty {
            add("a form has fields: name them with @Field", at: form.node, removing(form))
        }
        for progress in method.annotations("Progress").flatMap(\.bindings) {
            guard let parameter = method.parameter(progress.parameter) else { continue }
            guard !["ProgressHandler", "ProgressHandler?"].contains(parameter.type) else { continue }
            add(
                "progress is told to a ProgressHandler",
                at: parameter.node.type,
                Mistake.Fix("write ProgressHandler?", parameter.node.type, "ProgressHandler?")
            )
        }
    }

    mutating func checkCache() {
        for annotation in method.annotations("Caching") {
            if let identifier = annotation.argument("identifier") {
                if let text = identifier.literalText {
                    let node = annotation.isInherited ? Syntax(method.node.name) : Syntax(identifier)
                    checkText(text, of: "the identifier", at: node)
                } else {
                    add("write the identifier as a string; \"{name}\" stands for a parameter", at: identifier)
                }
            }
            if let offline = annotation.argument("offline"), !["true", "false"].contains(offline.trimmedDescription) {
                add("write true or false", at: offline, Mistake.Fix("write true", offline, "true"))
            }
        }
    }

    /// Checks the parameters used in a constant.
    mutating func checkText(_ text: String, of what: String, at node: Syntax) {
        let interpolation = Interpolation(text, method.parameters)
        for name in interpolation.unknown {
            add("there is no parameter \"\(name)\" for the value of \(what)", at: node)
        }
        for parameter in interpolation.used.compactMap({ method.parameter($0) }) where parameter.isOptional {
            add(
                "\"\(parameter.name)\" is optional, and \(what) cannot do without it",
                at: node,
                makingRequired(parameter)
            )
        }
    }
}
#endif
