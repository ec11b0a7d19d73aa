#if Macros
import SwiftSyntax

// The rules for the roles of parameters.
extension MethodRules {
    /// Checks that each role names an existing parameter, and that each parameter has one role.
    mutating func checkRoles() {
        var roles: [String: String] = [:]
        let variables = method.pathParameters.values
        for annotation in method.annotations where Annotation.roles.contains(annotation.name) {
            if annotation.bindings.isEmpty {
                let text = "@\(annotation.name) names a parameter, as a string"
                add(Mistake(text, at: annotation.node, fixes: [removing(annotation)]))
            }
            if let source = annotation.argument("from"), annotation.texts.count > 2 {
                add(Mistake("from: renames one parameter; write @\(annotation.name) once for each", at: source))
            }
            for binding in annotation.bindings {
                guard names.contains(binding.parameter) else {
                    let near = names.first { roles[$0] == nil && !method.variables.contains($0) } ?? names.first
                    let text = "there is no parameter \"\(binding.parameter)\"; \(known)"
                    let fix = near.map { Mistake.Fix("write \"\($0)\"", binding.node, "\"\($0)\"") }
                    add(Mistake(text, at: binding.node, fixes: fix.map { [$0] } ?? []))
                    continue
                }
                if annotation.name == "Path", !method.variables.contains(binding.wire) {
                    let text = "the path has no variable \"\(binding.wire)\""
                    add(Mistake(text, at: annotation.arguments[0].expression, fixes: [removing(annotation)]))
                }
                let without = removing(binding.node, from: annotation)
                if let role = roles.updateValue(annotation.name, forKey: binding.parameter) {
                    let text = "the parameter \"\(binding.parameter)\" is used by @\(role) already"
                    add(Mistake(text, at: binding.node, fixes: [without]))
                } else if annotation.name != "Path", variables.contains(binding.parameter) {
                    let text =
                        "\"\(binding.parameter)\" is a variable of the path: @\(annotation.name) would use it twice"
                    add(Mistake(text, at: binding.node, fixes: [without]))
                }
            }
        }
        for variable in method.variables { checkVariable(variable, method.pathParameters[variable] ?? variable) }
    }

    /// Checks that each parameter is sent.
    mutating func checkUse() {
        let roles = method.annotations.filter { Annotation.roles.contains($0.name) }
        let used = Set(roles.flatMap(\.bindings).map(\.parameter)).union(method.pathParameters.values)
            .union(method.interpolated)
        let hasContent = !method.annotations("Body", "RawBody", "Field", "Part").isEmpty
        for parameter in method.parameters where !used.contains(parameter.name) {
            let function = Syntax(method.node.funcKeyword)
            var fixes = [Mistake.Fix("send it in the query", function, "@Query(\"\(parameter.name)\") func")]
            if let verb = method.verb?.name, !["GET", "HEAD"].contains(verb), !hasContent {
                fixes.append(Mistake.Fix("send it as the body", function, "@Body(\"\(parameter.name)\") func"))
            }
            add(Mistake("the parameter \"\(parameter.name)\" is sent nowhere", at: parameter.node, fixes: fixes))
        }
    }

    /// Checks that no two parameters are sent under the same name.
    mutating func checkNames() {
        for (role, what) in [
            ("Query", "query parameter"), ("Field", "field"), ("Part", "part"), ("Reserved", "argument"),
        ] {
            var seen: [String: (annotation: Annotation, parameter: String)] = [:]
            let wires = Set(method.annotations(role).flatMap(\.bindings).map(\.wire))
            for annotation in method.annotations(role) {
                for binding in annotation.bindings {
                    let first = seen.updateValue((annotation, binding.parameter), forKey: binding.wire)
                    guard let first, first.parameter != binding.parameter else { continue }
                    let renamed = [(annotation, binding.parameter), first].first { annotation, parameter in
                        annotation.argument("from") != nil && !wires.contains(parameter)
                    }
                    let fixes = renamed.map { annotation, parameter in
                        let text = "@\(annotation.node.attributeName.trimmedDescription)(\"\(parameter)\")"
                        return [Mistake.Fix("name it \"\(parameter)\"", annotation.node, text)]
                    }
                    let several = ["Query", "Part"].contains(role) ? "; several values are an array" : ""
                    let text = "the \(what) \"\(binding.wire)\" is given twice\(several)"
                    add(Mistake(text, at: binding.node, fixes: fixes ?? []))
                }
            }
        }
    }

    /// Checks that each default value belongs to a parameter.
    mutating func checkDefaults() {
        for annotation in method.annotations("Default") {
            guard let name = annotation.arguments.first?.expression.literalText else {
                let text = "@Default names a parameter, as a string"
                add(Mistake(text, at: annotation.node, fixes: [removing(annotation)]))
                continue
            }
            guard !names.contains(name) else { continue }
            let node = annotation.arguments[0].expression
            let near = names.first.map { Mistake.Fix("write \"\($0)\"", node, "\"\($0)\"") }
            let text = "there is no parameter \"\(name)\"; \(known)"
            add(Mistake(text, at: node, fixes: [near ?? removing(annotation)]))
        }
    }

    private var names: [String] { method.parameters.map(\.name) }

    private var known: String {
        names.isEmpty ? "there are none" : "there are \(names.joined(separator: ", "))"
    }

    func removing(_ annotation: Annotation) -> Mistake.Fix {
        Mistake.Fix("remove @\(annotation.name)", annotation.node, "")
    }

    /// Returns the fix that removes a parameter from an annotation.
    ///
    /// If it has no other parameter, the fix removes the whole annotation.
    private func removing(_ node: ExprSyntax, from annotation: Annotation) -> Mistake.Fix {
        guard annotation.bindings.count > 1 else { return removing(annotation) }
        let others = annotation.arguments.map(\.expression).filter { $0.id != node.id }.map(\.trimmedDescription)
        let name = annotation.node.attributeName.trimmedDescription
        let text = "@\(name)(\(others.joined(separator: ", ")))"
        return Mistake.Fix("remove \(node.trimmedDescription)", annotation.node, text)
    }
}
#endif
