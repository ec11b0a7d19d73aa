#if Macros
package import SwiftSyntax

/// What `@Service` makes of a protocol: a client and a mock, or what is wrong with it.
package struct ServiceExpansion {
    /// The declarations, as source; none where there are mistakes.
    package private(set) var declarations: [String] = []
    package private(set) var mistakes: [Mistake] = []

    package init(of service: AttributeSyntax, on declaration: some DeclSyntaxProtocol) {
        guard let model = ServiceModel(declaration, service, &mistakes) else { return }
        for method in model.methods { mistakes += MethodRules(method).mistakes }
        let names = Set(declaration.tokens(viewMode: .sourceAccurate).map(\.text))
        let calls = Self.named(model.methods, besides: names)
        var seen: Set<String> = []
        for call in calls where !seen.insert(call.name).inserted {
            let text = "another method is called \(call.method.signature) too; give it other labels or another name"
            mistakes.append(Mistake(text, at: call.method.node.name))
        }
        guard mistakes.isEmpty else { return }
        declarations = [client(model, calls), mock(model, calls)]
    }

    private struct NamedMethod {
        var method: MethodModel
        /// The name of what stands for the method: that of the method, with its labels where that is not enough.
        var name: String
        /// The name of its request type, which is none that the declaration uses for a type of its own.
        var type: String

        init(method: MethodModel, name: String, besides taken: Set<String>) {
            self.method = method
            self.name = name
            let begin = name.prefix(1).uppercased() + name.dropFirst()
            type = begin + "Request"
            if taken.contains(type) { type = begin + "CallRequest" }
        }
    }

    private static func named(_ methods: [MethodModel], besides taken: Set<String>) -> [NamedMethod] {
        let counts = Dictionary(grouping: methods, by: \.name).mapValues(\.count)
        return methods.map { method in
            guard counts[method.name, default: 1] > 1 else {
                return NamedMethod(method: method, name: method.name, besides: taken)
            }
            let labels = method.parameters.map {
                ($0.label ?? $0.name).prefix(1).uppercased() + ($0.label ?? $0.name).dropFirst()
            }
            return NamedMethod(method: method, name: method.name + labels.joined(), besides: taken)
        }
    }

    private func client(_ model: ServiceModel, _ calls: [NamedMethod]) -> String {
        let access = model.access
        var lines = [
            "/// Sends the calls of ``\(model.name)``.",
            "\(access)struct \(model.name)Client: \(model.name), Sendable {",
            "    /// The client that sends the calls.",
            "    \(access)let client: Client",
            "",
            "    /// Sends the calls with a client.",
            "    \(access)init(_ client: Client) {",
            "        self.client = client",
            "    }",
            "",
            "    /// Sends the calls through a chain.",
            "    \(access)init(chain: some Transport) {",
            "        client = Client(over: chain)",
            "    }",
            "",
            "    /// The calls, not sent yet.",
            "    \(access)var calls: Calls { Calls(client: client) }",
        ]
        for call in calls {
            let request = "\(call.type)(\(arguments(of: call.method)))"
            lines += [
                "",
                "    \(access)func \(call.method.name)(\(parameters(of: call.method))) async throws\(returned(call.method)) {",
            ]
            lines += ["        try await self.client.call(\(request))", "    }"]
        }
        lines += [
            "", "    /// Makes calls that are sent when their result is asked for.",
            "    \(access)struct Calls: Sendable {",
        ]
        lines.append("        fileprivate let client: Client")
        for call in calls {
            let request = "\(call.type)(\(arguments(of: call.method)))"
            lines += [
                "", "        \(access)func \(call.method.name)(\(parameters(of: call.method))) -> Call<\(call.type)> {",
            ]
            lines += ["            self.client.makeCall(\(request))", "        }"]
        }
        lines.append("    }")
        for call in calls {
            let writer = RequestWriter(method: call.method, type: call.type, base: model.base, access: access)
            lines +=
                [""]
                + writer.source.split(separator: "\n", omittingEmptySubsequences: false).map {
                    $0.isEmpty ? "" : "    \($0)"
                }
        }
        return (lines + ["}"]).joined(separator: "\n")
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
            lines.append(
                "        \(access)let \(call.name) = MockMethod<\(input(of: call.method)), \(call.method.output)>(\"\(name)\")"
            )
        }
        lines += [
            "    }", "", "    /// The methods, to be scripted and counted.", "    \(access)let on = Methods()", "",
        ]
        lines.append("    \(access)init() {}")
        for call in calls {
            let names = call.method.parameters.map(\.name).joined(separator: ", ")
            let input = call.method.parameters.count == 1 ? names : "(\(names))"
            lines += [
                "",
                "    \(access)func \(call.method.name)(\(parameters(of: call.method, defaults: false))) async throws\(returned(call.method)) {",
            ]
            lines += ["        try await self.on.\(call.name).answer(\(input))", "    }"]
        }
        return (lines + ["}"]).joined(separator: "\n")
    }

    private func input(of method: MethodModel) -> String {
        if method.parameters.count == 1 { return method.parameters[0].type }
        return "(\(method.parameters.map { "\($0.name): \($0.type)" }.joined(separator: ", ")))"
    }

    private func arguments(of method: MethodModel) -> String {
        method.parameters.map { "\($0.stored): \($0.name)" }.joined(separator: ", ")
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
            let label = parameter.label == parameter.name ? "" : "\(parameter.label ?? "_") "
            let type = parameter.node.type.trimmedDescription
            let value =
                defaults ? (values[parameter.name] ?? (parameter.isOptional ? "nil" : nil)).map { " = \($0)" } : nil
            return "\(label)\(parameter.name): \(type)\(value ?? "")"
        }.joined(separator: ", ")
    }

    private func returned(_ method: MethodModel) -> String {
        method.output == "Void" ? "" : " -> \(method.output)"
    }
}
#endif
