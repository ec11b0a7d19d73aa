#if Macros
import SwiftSyntax

// The rules for the HTTP method and the path.
extension MethodRules {
    mutating func checkVerb() {
        let verbs = method.annotations.filter { Annotation.verbs.contains($0.name) }
        if verbs.isEmpty {
            let function = method.node.funcKeyword
            add(
                "\"\(method.name)\" has no method and path",
                at: method.node.name,
                Mistake.Fix("add @GET(\"\(method.name)\")", function, "@GET(\"\(method.name)\") func")
            )
        }
        for verb in verbs.dropFirst() {
            add("a call has one method; @\(verbs[0].name) stands here too", at: verb.node, removing(verb))
        }
    }

    mutating func checkPath() {
        guard let verb = method.verb, let argument = verb.arguments.first else { return }
        guard let path = argument.expression.literalText else {
            return add(
                Mistake(
                    "write the path as a string, without interpolation",
                    at: argument.expression,
                    fixes: variables(insteadOf: argument.expression)
                )
            )
        }
        let node = Syntax(argument.expression)
        if path.contains("\\") {
            let right = path.replacing("\\", with: "/")
            add("a path has no backslash", at: node, Mistake.Fix("write /", node, "\"\(right)\""))
        }
        if let mark = path.firstIndex(of: "?"), !path[..<mark].hasSuffix("{") {
            add(
                "the query is no part of the path; declare parameters with @Query",
                at: node,
                Mistake.Fix("remove the query", node, "\"\(path[..<mark])\"")
            )
        }
        if let mark = path.firstIndex(of: "#"), !path[..<mark].hasSuffix("{") {
            add("a fragment is never sent", at: node, Mistake.Fix("remove it", node, "\"\(path[..<mark])\""))
        }
        if path.hasPrefix("//") {
            let right = "/" + path.drop { $0 == "/" }
            add("a path begins with one slash at most", at: node, Mistake.Fix("write \(right)", node, "\"\(right)\""))
        }
        for position in unknownPositions(in: method.path) {
            add("there is no parameter \(position): the first is %%0%%", at: node)
        }
        guard PathTemplate(path).isBalanced else {
            var mistake = Mistake("braces of the path do not go together: a variable is {name}", at: node)
            if PathTemplate(path + "}").isBalanced {
                mistake.fixes = [Mistake.Fix("close the brace", node, "\"\(path)}\"")]
            }
            return add(mistake)
        }
        for (index, variable) in method.variables.enumerated() where method.variables[..<index].contains(variable) {
            let text = "the variable \"\(variable)\" stands twice in the path"
            let renamed = self.renaming(variable, in: path)
            add(Mistake(text, at: node, fixes: renamed.map { [.init("write \($0)", node, "\"\($0)\"")] } ?? []))
        }
    }

    /// Returns the path with a new name for a duplicate variable, or nil if the variable isn't alone in its braces.
    private func renaming(_ variable: String, in path: String) -> String? {
        let (written, taken) = ("{\(variable)}", Set(method.variables + method.parameters.map(\.name)))
        guard let first = path.firstRange(of: written),
            let second = path[first.upperBound...].firstRange(of: written),
            let other = (2...99).lazy.map({ "\(variable)\($0)" }).first(where: { !taken.contains($0) })
        else { return nil }
        return "\(path[..<second.lowerBound]){\(other)}\(path[second.upperBound...])"
    }

    /// Returns the path with variables instead of interpolations, if the interpolations are plain names.
    private func variables(insteadOf expression: ExprSyntax) -> [Mistake.Fix] {
        guard let literal = expression.as(StringLiteralExprSyntax.self) else { return [] }
        var path = ""
        for segment in literal.segments {
            switch segment {
            case .stringSegment(let text): path += text.content.text
            case .expressionSegment(let value):
                guard let name = value.expressions.first?.expression.as(DeclReferenceExprSyntax.self) else { return [] }
                path += "{\(name.baseName.text)}"
            }
        }
        return [Mistake.Fix("write \(path)", expression, "\"\(path)\"")]
    }

    private func unknownPositions(in path: String) -> [Int] {
        path.indices.compactMap { Interpolation.position(in: path[$0...])?.position }
    }

    mutating func checkVariable(_ variable: String, _ name: String) {
        guard let verb = method.verb, let node = verb.arguments.first?.expression else { return }
        guard let parameter = method.parameter(name) else {
            let clause = method.node.signature.parameterClause
            let others = clause.parameters.map(\.trimmedDescription) + ["\(name): String"]
            let text = "(\(others.map { $0.hasSuffix(",") ? String($0.dropLast()) : $0 }.joined(separator: ", ")))"
            return add(
                "the path has the variable \"\(variable)\", and the method no such parameter",
                at: node,
                Mistake.Fix("add the parameter \(name)", clause, text)
            )
        }
        if parameter.isOptional, !PathTemplate(method.path).optional.contains(variable) {
            add(
                "a path cannot do without \"\(name)\": it is not optional",
                at: parameter.node.type,
                makingRequired(parameter)
            )
        }
    }

    func makingRequired(_ parameter: Parameter) -> Mistake.Fix {
        var type = parameter.type
        if type.hasSuffix("?") {
            type.removeLast()
        } else if type.hasPrefix("Optional<") {
            type = String(type.dropFirst("Optional<".count).dropLast())
        }
        return Mistake.Fix("write \(type)", parameter.node.type, type)
    }
}
#endif
