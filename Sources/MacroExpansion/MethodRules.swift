#if Macros
import SwiftSyntax

/// What is wrong with one method of a service.
struct MethodRules {
    let method: MethodModel
    private(set) var mistakes: [Mistake] = []

    init(_ method: MethodModel) {
        self.method = method
        checkShape()
        checkVerb()
        checkPath()
        checkBindings()
        checkResult()
        checkContent()
        checkHeaders()
        checkCache()
        mistakes += method.annotations.filter { !$0.isInherited }.repetitions
    }

    mutating func add(_ text: String, at node: some SyntaxProtocol, _ fixes: Mistake.Fix...) {
        mistakes.append(Mistake(text, at: node, fixes: fixes))
    }

    mutating func add(_ mistake: Mistake) { mistakes.append(mistake) }

    mutating func checkBindings() {
        var roles: [String: String] = [:]
        func remove(_ annotation: Annotation) -> [Mistake.Fix] {
            [Mistake.Fix("remove @\(annotation.name)", Syntax(annotation.node), "")]
        }
        func known(_ names: [String]) -> String {
            names.isEmpty ? "there are none" : "there are \(names.joined(separator: ", "))"
        }
        let names = method.parameters.map(\.name)
        for annotation in method.annotations where Annotation.roles.contains(annotation.name) {
            if annotation.bindings.isEmpty {
                let text = "@\(annotation.name) names a parameter, as a string"
                add(Mistake(text, at: annotation.node, fixes: remove(annotation)))
            }
            for binding in annotation.bindings {
                guard names.contains(binding.parameter) else {
                    let near = names.first { roles[$0] == nil && !method.variables.contains($0) } ?? names.first
                    var mistake = Mistake(
                        "there is no parameter \"\(binding.parameter)\"; \(known(names))",
                        at: binding.node
                    )
                    if let near { mistake.fixes = [.init("write \"\(near)\"", Syntax(binding.node), "\"\(near)\"")] }
                    mistakes.append(mistake)
                    continue
                }
                if annotation.name == "Path", !method.variables.contains(binding.wire) {
                    add(
                        Mistake(
                            "the path has no variable \"\(binding.wire)\"",
                            at: annotation.arguments[0].expression,
                            fixes: remove(annotation)
                        )
                    )
                }
                if let role = roles.updateValue(annotation.name, forKey: binding.parameter) {
                    let text = "the parameter \"\(binding.parameter)\" is used by @\(role) already"
                    let isAlone = annotation.bindings.count == 1
                    add(Mistake(text, at: binding.node, fixes: isAlone ? remove(annotation) : []))
                }
            }
        }
        let paths = Dictionary(
            method.annotations("Path").flatMap(\.bindings).map { ($0.wire, $0.parameter) },
            uniquingKeysWith: { first, _ in first }
        )
        for variable in method.variables { checkVariable(variable, paths[variable] ?? variable, roles[variable]) }
        let used = method.variables.map { paths[$0] ?? $0 } + method.interpolated
        for parameter in method.parameters where roles[parameter.name] == nil && !used.contains(parameter.name) {
            let function = Syntax(method.node.funcKeyword)
            add(
                "the parameter \"\(parameter.name)\" is sent nowhere",
                at: parameter.node,
                Mistake.Fix("send it in the query", function, "@Query(\"\(parameter.name)\") func")
            )
            guard let verb = method.verb?.name, !["GET", "HEAD"].contains(verb) else { continue }
            let body = Mistake.Fix("send it as the body", function, "@Body(\"\(parameter.name)\") func")
            mistakes[mistakes.count - 1].fixes.append(body)
        }
        for annotation in method.annotations("Default") {
            guard let name = annotation.arguments.first?.expression.literalText else {
                let text = "@Default names a parameter, as a string"
                add(Mistake(text, at: annotation.node, fixes: remove(annotation)))
                continue
            }
            guard !names.contains(name) else { continue }
            let node = annotation.arguments[0].expression
            let near = names.first.map { Mistake.Fix("write \"\($0)\"", Syntax(node), "\"\($0)\"") }
            let text = "there is no parameter \"\(name)\"; \(known(names))"
            add(Mistake(text, at: node, fixes: near.map { [$0] } ?? remove(annotation)))
        }
    }
}
#endif
