#if Macros
import SwiftSyntax

extension ServiceModel {
    private static let levels: Set = ["public", "package", "private", "fileprivate"]

    /// Reads a protocol; what cannot be read of it is a mistake.
    init?(_ declaration: some DeclSyntaxProtocol, _ service: AttributeSyntax, _ mistakes: inout [Mistake]) {
        guard let declaration = declaration.as(ProtocolDeclSyntax.self) else {
            mistakes.append(Mistake("@Service stands on a protocol", at: service))
            return nil
        }
        name = declaration.name.text
        access =
            switch declaration.modifiers.map(\.name.text).first(where: Self.levels.contains) {
            case "private"?, "fileprivate"?: "fileprivate "
            case let level?: "\(level) "
            case nil: ""
            }
        let annotation = Annotation(name: "Service", node: service)
        base = annotation.texts.first?.text ?? ""
        if base.isEmpty, !annotation.arguments.isEmpty {
            mistakes.append(Mistake("write the base as a string, without interpolation", at: service))
        }
        while base.hasSuffix("/") { base.removeLast() }
        methods = []
        for member in declaration.memberBlock.members {
            guard let function = member.decl.as(FunctionDeclSyntax.self) else {
                let fix = Mistake.Fix("remove it", Syntax(member), "")
                mistakes.append(Mistake("a service declares methods alone", at: member.decl, fix))
                continue
            }
            methods.append(MethodModel(function))
        }
    }
}

extension MethodModel {
    init(_ node: FunctionDeclSyntax) {
        self.node = node
        name = node.name.text
        annotations = node.attributes.compactMap { element in
            guard case .attribute(let attribute) = element else { return nil }
            let name = attribute.attributeName.trimmedDescription
            return Annotation(name: name.split(separator: ".").last.map(String.init) ?? name, node: attribute)
        }
        parameters = node.signature.parameterClause.parameters.map { parameter in
            let name = (parameter.secondName ?? parameter.firstName).text
            let type = parameter.type.trimmedDescription.replacing("@escaping ", with: "")
            return Parameter(
                node: parameter,
                label: parameter.firstName.text == "_" ? nil : parameter.firstName.text,
                name: name,
                type: type
            )
        }
        let returned = node.signature.returnClause?.type.trimmedDescription ?? "Void"
        output = returned == "()" ? "Void" : returned
    }
}
#endif
