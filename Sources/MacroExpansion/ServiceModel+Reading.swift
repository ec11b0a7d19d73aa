#if Macros
import SwiftSyntax

extension ServiceModel {
    private static let levels: Set = ["public", "package", "private", "fileprivate"]

    /// Reads a protocol; reports mistakes for parts that aren't supported.
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
            let text = "@\(service.attributeName.trimmedDescription)"
            let fix = Mistake.Fix("leave it to the chain", service, text)
            mistakes.append(Mistake("write the base as a string, without interpolation", at: service, fix))
        }
        while base.hasSuffix("/") { base.removeLast() }
        annotations = Annotation.all(on: declaration.attributes).filter { $0.name != "Service" }
        methods = []
        for member in declaration.memberBlock.members {
            guard let function = member.decl.as(FunctionDeclSyntax.self) else {
                let fix = Mistake.Fix("remove it", member, "")
                mistakes.append(Mistake("a service declares methods alone", at: member.decl, fix))
                continue
            }
            methods.append(MethodModel(function, in: annotations))
        }
    }
}

extension MethodModel {
    init(_ node: FunctionDeclSyntax, in service: [Annotation]) {
        self.node = node
        name = node.name.withoutBackticks
        let own = Annotation.all(on: node.attributes)
        annotations = service.compactMap { $0.inherited(beside: own) } + own
        parameters = node.signature.parameterClause.parameters.map { parameter in
            let name = (parameter.secondName ?? parameter.firstName).withoutBackticks
            let type = parameter.type.trimmedDescription.replacing("@escaping ", with: "")
            return Parameter(
                node: parameter,
                label: parameter.firstName.text == "_" ? nil : parameter.firstName.text,
                name: name,
                type: type
            )
        }
        result = DeclaredResult(node.signature.returnClause?.type)
    }
}

extension Annotation {
    /// Returns the annotations among the attributes; the other attributes are Swift's.
    static func all(on attributes: AttributeListSyntax) -> [Annotation] {
        attributes.compactMap { element in
            guard case .attribute(let attribute) = element else { return nil }
            let name = attribute.attributeName.trimmedDescription
            return Annotation(name: name.split(separator: ".").last.map(String.init) ?? name, node: attribute)
        }
    }

    /// Returns the service's annotation as a method inherits it, or nil if the method's own annotations replace it.
    fileprivate func inherited(beside own: [Annotation]) -> Annotation? {
        guard Self.shared.contains(name) else { return nil }
        let replacing = own.first { $0.aspect == aspect && $0.argument("adding") == nil }
        guard replacing == nil || Self.additive.contains(name) else { return nil }
        var copy = self
        copy.isInherited = true
        return copy
    }
}

extension TokenSyntax {
    fileprivate var withoutBackticks: String { text.replacing("`", with: "") }
}
#endif
