#if Macros
package import SwiftSyntax

/// The expansion of `@Service`: a client and a mock, or the mistakes in the declaration.
package struct ServiceExpansion {
    /// The source of the declarations; empty if there are mistakes.
    package private(set) var declarations: [String] = []
    package private(set) var mistakes: [Mistake] = []

    package init(of service: AttributeSyntax, on declaration: some DeclSyntaxProtocol) {
        guard let model = ServiceModel(declaration, service, &mistakes) else { return }
        mistakes += ServiceRules(model).mistakes
        for method in model.methods { mistakes += MethodRules(method).mistakes }
        let names = ExpansionNames(besides: Set(declaration.tokens(viewMode: .sourceAccurate).map(\.text)))
        let calls = Self.named(model.methods, besides: names)
        var seen: Set<String> = []
        for call in calls where !seen.insert(call.name).inserted {
            let text = "another method is called \(call.method.signature) too; give it other labels or another name"
            let names = Set(model.methods.map(\.name))
            let other = (2...99).lazy.map { "\(call.method.name)\($0)" }.first { !names.contains($0) }
            let node = Syntax(call.method.node.name)
            mistakes.append(Mistake(text, at: node, fixes: other.map { [.init("call it \($0)", node, $0)] } ?? []))
        }
        // A mistake in an annotation of the service is found again with each method, but reported once.
        var told: Set<String> = []
        mistakes = mistakes.filter { told.insert("\($0.node.position.utf8Offset) \($0.text)").inserted }
        guard mistakes.isEmpty else { return }
        declarations = [client(model, calls, names), mock(model, calls)]
    }

    private struct NamedMethod {
        var method: MethodModel
        /// The name of the mock's property: the method's name; if that is ambiguous, the labels are added.
        var name: String
        /// The name of the method's request type.
        var type: String

        init(method: MethodModel, labels: String, besides names: ExpansionNames) {
            self.method = method
            name = labels.isEmpty ? method.declaredName : method.name + labels
            type = names.request(of: method.name + labels)
        }
    }

    private static func named(_ methods: [MethodModel], besides names: ExpansionNames) -> [NamedMethod] {
        let counts = Dictionary(grouping: methods, by: \.name).mapValues(\.count)
        return methods.map { method in
            let isAlone = counts[method.name, default: 1] == 1
            let labels = method.parameters.map { parameter in
                let label = (parameter.label ?? parameter.name).replacing("`", with: "")
                return label.prefix(1).uppercased() + label.dropFirst()
            }
            return NamedMethod(method: method, labels: isAlone ? "" : labels.joined(), besides: names)
        }
    }

    private func client(_ model: ServiceModel, _ calls: [NamedMethod], _ names: ExpansionNames) -> String {
        let access = model.access
        var lines = [
            "/// Sends the calls of ``\(model.name)``.",
            "\(access)struct \(model.name)Client: \(model.name), Sendable {",
            "    /// The client that sends the calls.",
            "    \(access)let client: \(names.client)",
            "",
            "    /// Sends the calls with a client.",
            "    \(access)init(_ client: \(names.client)) {",
            "        self.client = client",
            "    }",
            "",
            "    /// Sends the calls through a chain.",
            "    \(access)init(chain: some Transport) {",
            "        client = \(names.client)(over: chain)",
            "    }",
            "",
            "    /// The calls, not sent yet.",
            "    \(access)var calls: \(names.calls) { \(names.calls)(client: client) }",
        ]
        for call in calls {
            lines += [
                "",
                "    \(access)func \(call.method.declaredName)(\(parameters(of: call.method))) async throws\(returned(call.method)) {",
                "        \(sending(call))",
                "    }",
            ]
        }
        lines += [
            "", "    /// Makes calls that are sent when their result is asked for.",
            "    \(access)struct \(names.calls): Sendable {",
            "        fileprivate let client: \(names.client)",
        ]
        for call in calls {
            let request = "\(call.type)(\(arguments(of: call.method)))"
            lines += [
                "",
                "        \(access)func \(call.method.declaredName)(\(parameters(of: call.method))) -> \(names.call)<\(call.type)> {",
            ]
            lines += ["            self.client.makeCall(\(request))", "        }"]
        }
        lines.append("    }")
        for call in calls {
            let writer = RequestWriter(
                method: call.method,
                type: call.type,
                base: model.base,
                access: access,
                names: names
            )
            lines +=
                [""]
                + writer.source.split(separator: "\n", omittingEmptySubsequences: false).map {
                    $0.isEmpty ? "" : "    \($0)"
                }
        }
        return (lines + ["}"]).joined(separator: "\n")
    }

    /// Returns the body of the client's method, which either sends the call or returns a sequence of calls.
    private func sending(_ call: NamedMethod) -> String {
        let arguments = call.method.parameters.map { parameter in
            let label = parameter.label.map { "\($0.asArgumentLabel): " } ?? ""
            return "\(label)\(parameter.declaredName)"
        }
        let unsent = "self.calls.\(call.method.declaredName)(\(arguments.joined(separator: ", ")))"
        switch call.method.result.form {
        case .plain, .jsonValues, .record:
            return "try await self.client.call(\(call.type)(\(self.arguments(of: call.method))))"
        case .pages:
            let style = call.method.annotations("Paged").first?.argument("by")?.trimmedDescription ?? ""
            return "\(unsent).pages(by: \(style))"
        case .events:
            let element = call.method.result.element
            let type = element.split(separator: ".").last == "ServerSentEvent" ? [] : ["of: \(element).self"]
            let options = call.method.annotations("EventOptions").first.map { "options: \($0.source)" }
            return "try \(unsent).eventStream(\((type + (options.map { [$0] } ?? [])).joined(separator: ", ")))"
        }
    }

    private func mock(_ model: ServiceModel, _ calls: [NamedMethod]) -> String {
        let access = model.access
        var lines = [
            "/// Answers the calls of ``\(model.name)`` as a test says, and counts them.",
            "\(access)struct \(model.name)Mock: \(model.name), Sendable {",
            "    /// The methods, to be scripted and counted.",
            "    \(access)struct Methods: Sendable {",
        ]
        for call in calls {
            let name = "\(model.name).\(call.method.signature)"
            let type = "MockMethod<\(input(of: call.method)), \(call.method.result.type)>"
            let begin = "        \(access)let \(call.name) = \(type)("
            let isShort = begin.count + name.count + 3 <= 120
            lines += isShort ? ["\(begin)\"\(name)\")"] : [begin, "            \"\(name)\"", "        )"]
        }
        lines += [
            "    }", "", "    /// The methods, to be scripted and counted.", "    \(access)let on = Methods()", "",
        ]
        lines.append("    \(access)init() {}")
        for call in calls {
            let names = call.method.parameters.map(\.declaredName).joined(separator: ", ")
            let input = call.method.parameters.count == 1 ? names : "(\(names))"
            lines += [
                "",
                "    \(access)func \(call.method.declaredName)(\(parameters(of: call.method, defaults: false))) async throws\(returned(call.method)) {",
            ]
            lines += ["        try await self.on.\(call.name).answer(\(input))", "    }"]
        }
        return (lines + ["}"]).joined(separator: "\n")
    }

    private func input(of method: MethodModel) -> String {
        if method.parameters.count == 1 { return method.parameters[0].type }
        return "(\(method.parameters.map { "\($0.declaredName): \($0.type)" }.joined(separator: ", ")))"
    }

    private func arguments(of method: MethodModel) -> String {
        method.parameters.map { "\($0.stored.asArgumentLabel): \($0.declaredName)" }.joined(separator: ", ")
    }

    private func parameters(of method: MethodModel, defaults: Bool = true) -> String {
        let values = Dictionary(
            method.annotations("Default").compactMap { annotation -> (String, String)? in
                guard let name = annotation.texts.first?.text, annotation.arguments.count == 2 else { return nil }
                return (name, annotation.arguments[1].expression.trimmedDescription)
            },
            uniquingKeysWith: { first, _ in first }
        )
        return method.parameters.map { parameter in
            let label = parameter.label == parameter.declaredName ? "" : "\(parameter.label ?? "_") "
            let type = parameter.node.type.trimmedDescription
            let value =
                defaults ? (values[parameter.name] ?? (parameter.isOptional ? "nil" : nil)).map { " = \($0)" } : nil
            return "\(label)\(parameter.declaredName): \(type)\(value ?? "")"
        }.joined(separator: ", ")
    }

    private func returned(_ method: MethodModel) -> String {
        method.result.type == "Void" ? "" : " -> \(method.result.type)"
    }
}
#endif
