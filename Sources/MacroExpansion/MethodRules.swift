#if Macros
import SwiftSyntax

/// What is wrong with one method of a service.
struct MethodRules {
    private let method: MethodModel
    private(set) var mistakes: [Mistake] = []

    init(_ method: MethodModel) {
        self.method = method
        checkShape()
        checkVerb()
        checkPath()
        checkBindings()
        checkContent()
        checkHeaders()
        checkCache()
        checkRepetitions()
    }

    private mutating func add(_ text: String, at node: some SyntaxProtocol, _ fixes: Mistake.Fix...) {
        var mistake = Mistake(text, at: node)
        mistake.fixes = fixes
        mistakes.append(mistake)
    }

    // MARK: The method itself

    private mutating func checkShape() {
        let function = method.node
        if let modifier = function.modifiers.first(where: { ["static", "class", "mutating"].contains($0.name.text) }) {
            add(
                "a call is no \(modifier.name.text) method",
                at: modifier,
                Mistake.Fix("remove it", Syntax(modifier), "")
            )
        }
        if let clause = function.genericParameterClause {
            add("a call has no generic parameters: its request is a type of its own", at: clause)
        }
        let effects = function.signature.effectSpecifiers
        if effects?.asyncSpecifier == nil || effects?.throwsClause == nil {
            var signature = function.signature
            signature.effectSpecifiers = nil
            let parameters = signature.parameterClause.trimmedDescription
            let returned = signature.returnClause.map { " \($0.trimmedDescription)" } ?? ""
            add(
                "a call is \"async throws\": it waits, and may fail",
                at: function.name,
                Mistake.Fix("write async throws", Syntax(function.signature), "\(parameters) async throws\(returned)")
            )
        }
        if let type = effects?.throwsClause?.type {
            add("a call throws errors of every stage; write \"throws\" without a type", at: type)
        }
        if let type = function.signature.returnClause?.type, !Self.canBeResult(type) {
            add("a response cannot be made a \(type.trimmedDescription); return a type that is Decodable", at: type)
        }
        for parameter in method.parameters {
            if parameter.type.hasPrefix("inout ") {
                let type = String(parameter.type.dropFirst("inout ".count))
                add(
                    "a call takes values",
                    at: parameter.node.type,
                    Mistake.Fix("remove inout", Syntax(parameter.node.type), type)
                )
            }
            if let ellipsis = parameter.node.ellipsis {
                add(
                    "a call takes a number of values as an array",
                    at: ellipsis,
                    Mistake.Fix("write [\(parameter.type)]", Syntax(parameter.node.type), "[\(parameter.type)]")
                )
            }
        }
    }

    private static func canBeResult(_ type: TypeSyntax) -> Bool {
        if let tuple = type.as(TupleTypeSyntax.self) { return tuple.elements.isEmpty }
        if type.is(FunctionTypeSyntax.self) || type.is(AttributedTypeSyntax.self) { return false }
        return !type.is(SomeOrAnyTypeSyntax.self) && !type.is(MetatypeTypeSyntax.self)
    }

    private mutating func checkVerb() {
        let verbs = method.annotations.filter { Annotation.verbs.contains($0.name) }
        if verbs.isEmpty {
            let function = method.node.funcKeyword
            add(
                "\"\(method.name)\" has no method and path",
                at: method.node.name,
                Mistake.Fix("add @GET(\"\(method.name)\")", Syntax(function), "@GET(\"\(method.name)\") func")
            )
        }
        for verb in verbs.dropFirst() {
            add(
                "a call has one method; @\(verbs[0].name) stands here too",
                at: verb.node,
                Mistake.Fix("remove @\(verb.name)", Syntax(verb.node), "")
            )
        }
    }

    private mutating func checkPath() {
        guard let verb = method.verb, let argument = verb.arguments.first else { return }
        guard let path = argument.expression.literalText else {
            return add("write the path as a string, without interpolation", at: argument.expression)
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
        if path.hasPrefix("/") {
            let right = String(path.drop { $0 == "/" })
            add(
                "a path begins behind the base's slash",
                at: node,
                Mistake.Fix("remove the slash", node, "\"\(right)\"")
            )
        }
        guard PathTemplate(path).isBalanced else {
            return add("braces of the path do not go together: a variable is {name}", at: node)
        }
        for (index, variable) in method.variables.enumerated() where method.variables[..<index].contains(variable) {
            add("the variable \"\(variable)\" stands twice in the path", at: node)
        }
    }

    // MARK: Parameters

    private mutating func checkBindings() {
        var roles: [String: String] = [:]
        func known(_ names: [String]) -> String {
            names.isEmpty ? "there are none" : "there are \(names.joined(separator: ", "))"
        }
        let names = method.parameters.map(\.name)
        for annotation in method.annotations where Annotation.roles.contains(annotation.name) {
            if annotation.bindings.isEmpty {
                add("@\(annotation.name) names a parameter, as a string", at: annotation.node)
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
                    add("the path has no variable \"\(binding.wire)\"", at: binding.node)
                }
                if let role = roles.updateValue(annotation.name, forKey: binding.parameter) {
                    add("the parameter \"\(binding.parameter)\" is used by @\(role) already", at: binding.node)
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
                Mistake.Fix("send it in the query", function, "@Query(\"\(parameter.name)\") func"),
                Mistake.Fix("send it as the body", function, "@Body(\"\(parameter.name)\") func")
            )
        }
        for annotation in method.annotations("Default") {
            guard let name = annotation.arguments.first?.expression.literalText else {
                add("@Default names a parameter, as a string", at: annotation.node)
                continue
            }
            guard !names.contains(name) else { continue }
            add("there is no parameter \"\(name)\"; \(known(names))", at: annotation.arguments[0].expression)
        }
    }

    private mutating func checkVariable(_ variable: String, _ name: String, _ role: String?) {
        guard let verb = method.verb, let node = verb.arguments.first?.expression else { return }
        guard let parameter = method.parameter(name) else {
            let clause = method.node.signature.parameterClause
            let others = clause.parameters.map(\.trimmedDescription) + ["\(name): String"]
            let text = "(\(others.map { $0.hasSuffix(",") ? String($0.dropLast()) : $0 }.joined(separator: ", ")))"
            return add(
                "the path has the variable \"\(variable)\", and the method no such parameter",
                at: node,
                Mistake.Fix("add the parameter \(name)", Syntax(clause), text)
            )
        }
        if parameter.isOptional {
            let type = parameter.type.hasSuffix("?") ? String(parameter.type.dropLast()) : parameter.type
            add(
                "a path cannot do without \"\(name)\": it is not optional",
                at: parameter.node.type,
                Mistake.Fix("write \(type)", Syntax(parameter.node.type), type)
            )
        }
    }

    // MARK: What is sent

    private mutating func checkContent() {
        let bodies = method.annotations("Body", "RawBody")
        let fields = method.annotations("Field")
        let parts = method.annotations("Part")
        for body in bodies.dropFirst() {
            add("a call has one body", at: body.node, Mistake.Fix("remove @\(body.name)", Syntax(body.node), ""))
        }
        if let body = bodies.first, let other = (parts + fields).first {
            add(
                "a call with @\(body.name) has no @\(other.name): write all that is sent in one way",
                at: other.node,
                Mistake.Fix("remove @\(other.name)", Syntax(other.node), "")
            )
        } else if let part = parts.first, let field = fields.first {
            let text = field.node.trimmedDescription.replacing("Field", with: "Part")
            add(
                "a call with @\(part.name) is multipart: its fields are parts too",
                at: field.node,
                Mistake.Fix("write @Part", Syntax(field.node), text)
            )
        }
        if let verb = method.verb, ["GET", "HEAD"].contains(verb.name), let content = (bodies + parts + fields).first {
            add(
                "\(verb.name) sends no content",
                at: content.node,
                Mistake.Fix("write @POST", Syntax(verb.node.attributeName), "POST")
            )
        }
        var names: Set<String> = []
        for field in fields.flatMap(\.bindings) where !names.insert(field.wire).inserted {
            add("the field \"\(field.wire)\" is given twice", at: field.node)
        }
        for form in method.annotations("FormURLEncoded") where fields.isEmpty {
            add("a form has fields: name them with @Field", at: form.node)
        }
        for progress in method.annotations("Progress").flatMap(\.bindings) {
            guard let parameter = method.parameter(progress.parameter) else { continue }
            guard !["ProgressHandler", "ProgressHandler?"].contains(parameter.type) else { continue }
            add(
                "progress is told to a ProgressHandler",
                at: parameter.node.type,
                Mistake.Fix("write ProgressHandler?", Syntax(parameter.node.type), "ProgressHandler?")
            )
        }
    }

    private mutating func checkHeaders() {
        var seen: Set<String> = []
        for header in method.headers {
            if header.name.isEmpty || !header.name.utf8.allSatisfy(Self.isTokenCharacter) {
                add("\"\(header.name)\" is no name of a header field", at: header.node)
            } else if !seen.insert(header.name.lowercased()).inserted {
                add("the header field \(header.name) is given twice", at: header.node)
            }
            if let value = header.constant, value.utf8.contains(where: { $0 < 0x20 && $0 != 9 || $0 == 0x7F }) {
                add("this is no value of a header field", at: header.node)
            }
            if let value = header.constant { checkText(value, of: header.name, at: header.node) }
        }
        for annotation in method.annotations("Headers") {
            guard let argument = annotation.arguments.first?.expression else { continue }
            if case .elements(let elements)? = argument.as(DictionaryExprSyntax.self)?.content {
                for element in elements where element.key.literalText == nil || element.value.literalText == nil {
                    add("write the name and the value as strings; \"{name}\" stands for a parameter", at: element)
                }
            } else if argument.as(DictionaryExprSyntax.self) == nil {
                add("write the header fields out, as [\"Name\": \"value\"]", at: argument)
            }
        }
    }

    private mutating func checkCache() {
        for annotation in method.annotations("Cached") {
            if let identifier = annotation.argument("identifier") {
                if let text = identifier.literalText {
                    checkText(text, of: "the identifier", at: Syntax(identifier))
                } else {
                    add("write the identifier as a string; \"{name}\" stands for a parameter", at: identifier)
                }
            }
            if let offline = annotation.argument("offline"), !["true", "false"].contains(offline.trimmedDescription) {
                add("write true or false", at: offline)
            }
        }
    }

    /// Checks the parameters that stand in a constant.
    private mutating func checkText(_ text: String, of what: String, at node: Syntax) {
        let interpolation = Interpolation(text, method.parameters)
        for name in interpolation.unknown {
            add("there is no parameter \"\(name)\" for the value of \(what)", at: node)
        }
        for name in interpolation.used where method.parameter(name)?.isOptional == true {
            add("\"\(name)\" is optional, and \(what) cannot do without it", at: node)
        }
    }

    /// RFC 9110 §5.6.2.
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    /// Annotations that say the opposite of each other.
    private static let opposites: [String: String] = [
        "Unauthenticated": "Authenticator", "WithoutSerialization": "Serializer", "OnlyErrorHandlers": "ErrorHandlers",
    ]

    private mutating func checkRepetitions() {
        for annotation in method.annotations {
            guard let other = Self.opposites[annotation.name], let first = method.annotations(other).first else {
                continue
            }
            add(
                "@\(annotation.name) and @\(first.name) do not go together",
                at: annotation.node,
                Mistake.Fix("remove this one", Syntax(annotation.node), "")
            )
        }
        var seen: [String: AttributeSyntax] = [:]
        let repeatable = Annotation.roles.union(["Default", "Headers", "Option", "Modified", "Tags"]).subtracting([
            "Progress"
        ])
        for annotation in method.annotations
        where !repeatable.contains(annotation.name) && !Annotation.verbs.contains(annotation.name) {
            // Statuses may be replaced and added to.
            let label = annotation.name == "SuccessCodes" ? annotation.arguments.first?.label?.text : nil
            if seen.updateValue(annotation.node, forKey: annotation.name + (label ?? "")) != nil {
                add(
                    "@\(annotation.name) stands here twice",
                    at: annotation.node,
                    Mistake.Fix("remove this one", Syntax(annotation.node), "")
                )
            }
        }
    }
}
#endif
