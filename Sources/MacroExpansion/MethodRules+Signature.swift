#if Macros
import SwiftSyntax

// The method itself: what it takes, throws and returns.
extension MethodRules {
    mutating func checkShape() {
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
        if let clause = effects?.throwsClause, let type = clause.type {
            add(
                "a call throws errors of every stage; write \"throws\" without a type",
                at: type,
                Mistake.Fix("remove the type", Syntax(clause), "throws")
            )
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
                let names = [parameter.node.firstName.text, parameter.node.secondName?.text].compactMap(\.self)
                let text = "\(names.joined(separator: " ")): [\(parameter.type)]"
                let comma = parameter.node.trailingComma == nil ? "" : ","
                add(
                    "a call takes a number of values as an array",
                    at: ellipsis,
                    Mistake.Fix("write [\(parameter.type)]", Syntax(parameter.node), text + comma)
                )
            }
        }
    }

    mutating func checkResult() {
        let returned = method.node.signature.returnClause?.type
        if let returned, !Self.canBeResult(returned) {
            add(
                "a response cannot be made a \(returned.trimmedDescription); return a type that is Decodable",
                at: returned
            )
        }
        let paged = method.annotations("Paged").first
        if method.result.form == .pages, paged == nil, let returned {
            add(
                "pages need to know where the next one is: say @Paged(by:)",
                at: returned,
                Mistake.Fix(
                    "follow the Link field",
                    Syntax(method.node.funcKeyword),
                    "@Paged(by: .linkHeader()) func"
                )
            )
        }
        if let paged, method.result.form != .pages {
            add("pages are a PageSequence", at: paged.node, returning("PageSequence", of: returned))
        }
        if let options = method.annotations("EventOptions").first, method.result.form != .events {
            add("events are an EventStream", at: options.node, returning("EventStream", of: returned))
        }
    }

    /// Returns something of what is returned now.
    private func returning(_ sequence: String, of type: TypeSyntax?) -> Mistake.Fix {
        if let type {
            let text = "\(sequence)<\(type.trimmedDescription)>"
            return Mistake.Fix("return \(text)", Syntax(type), text)
        }
        let signature = method.node.signature
        let element = sequence == "EventStream" ? "ServerSentEvent" : "Data"
        let text = "\(signature.trimmedDescription) -> \(sequence)<\(element)>"
        return Mistake.Fix("return a \(sequence)", Syntax(signature), text)
    }

    private static func canBeResult(_ type: TypeSyntax) -> Bool {
        if let tuple = type.as(TupleTypeSyntax.self) { return tuple.elements.isEmpty }
        if type.is(FunctionTypeSyntax.self) || type.is(AttributedTypeSyntax.self) { return false }
        return !type.is(SomeOrAnyTypeSyntax.self) && !type.is(MetatypeTypeSyntax.self)
    }
}
#endif
