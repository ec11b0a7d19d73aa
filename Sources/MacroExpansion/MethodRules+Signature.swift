#if Macros
import SwiftSyntax

// The rules for the method's signature.
extension MethodRules {
    mutating func checkShape() {
        let function = method.node
        if let modifier = function.modifiers.first(where: { ["static", "class", "mutating"].contains($0.name.text) }) {
            add("a call is no \(modifier.name.text) method", at: modifier, Mistake.Fix("remove it", modifier, ""))
        }
        if let clause = function.genericParameterClause {
            let names = Set(clause.parameters.map(\.name.text))
            let isUsed = function.signature.tokens(viewMode: .sourceAccurate).contains { names.contains($0.text) }
            let fix = Mistake.Fix("remove \(clause.trimmedDescription)", clause, "")
            let isAlone = !isUsed && function.genericWhereClause == nil
            let text = "a call has no generic parameters: its request is a type of its own"
            add(Mistake(text, at: clause, fixes: isAlone ? [fix] : []))
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
                Mistake.Fix("write async throws", function.signature, "\(parameters) async throws\(returned)")
            )
        }
        if let clause = effects?.throwsClause, let type = clause.type {
            add(
                "a call throws errors of every stage; write \"throws\" without a type",
                at: type,
                Mistake.Fix("remove the type", clause, "throws")
            )
        }
        for parameter in method.parameters {
            if parameter.type.hasPrefix("inout ") {
                let type = String(parameter.type.dropFirst("inout ".count))
                add(
                    "a call takes values",
                    at: parameter.node.type,
                    Mistake.Fix("remove inout", parameter.node.type, type)
                )
            }
            if Self.isNonescaping(parameter.node.type) {
                let type = Syntax(parameter.node.type)
                let text = "@escaping \(type.trimmedDescription)"
                add("a call keeps the closure: it is @escaping", at: type, Mistake.Fix("write @escaping", type, text))
            }
            if let ellipsis = parameter.node.ellipsis {
                let names = [parameter.node.firstName.text, parameter.node.secondName?.text].compactMap(\.self)
                let text = "\(names.joined(separator: " ")): [\(parameter.type)]"
                let comma = parameter.node.trailingComma == nil ? "" : ","
                add(
                    "a call takes a number of values as an array",
                    at: ellipsis,
                    Mistake.Fix("write [\(parameter.type)]", parameter.node, text + comma)
                )
            }
        }
    }

    /// Whether a type is a non-escaping closure.
    private static func isNonescaping(_ type: TypeSyntax) -> Bool {
        if let named = type.as(IdentifierTypeSyntax.self) { return named.name.text == "ProgressHandler" }
        guard let attributed = type.as(AttributedTypeSyntax.self) else { return type.is(FunctionTypeSyntax.self) }
        return !attributed.attributes.description.contains("@escaping") && isNonescaping(attributed.baseType)
    }

    mutating func checkResult() {
        let returned = method.node.signature.returnClause?.type
        if let returned, let wrong = Self.undecodable(in: returned, isWhole: true) {
            let text = "a response cannot be made a \(wrong.trimmedDescription); return a type that is Decodable"
            add(Mistake(text, at: wrong, fixes: readable(insteadOf: returned)))
        }
        let paged = method.annotations("Paged").first
        if method.result.form == .pages, paged == nil, let returned {
            add(
                "pages need to know where the next one is: say @Paged(by:)",
                at: returned,
                Mistake.Fix("follow the Link field", method.node.funcKeyword, "@Paged(by: .linkHeader()) func")
            )
        }
        if let paged, method.result.form != .pages {
            add("pages are a PageSequence", at: paged.node, returning("PageSequence", of: returned))
        }
        if let options = method.annotations("EventOptions").first, method.result.form != .events {
            add("events are an EventStream", at: options.node, returning("EventStream", of: returned))
        }
    }

    /// Checks that a method with settings for decoding has a result that is decoded.
    mutating func checkDecoding() {
        for annotation in method.annotations("KeyPath", "Serializer") where !method.uses(annotation) {
            // An annotation of the service applies only to the methods that can use it.
            if annotation.isInherited { continue }
            add(
                "@\(annotation.name) has no effect: a \(method.result.type) is not decoded",
                at: annotation.node,
                removing(annotation)
            )
        }
    }

    /// Returns the fix that wraps the current return type in a sequence.
    private func returning(_ sequence: String, of type: TypeSyntax?) -> Mistake.Fix {
        if let type {
            let text = "\(sequence)<\(type.trimmedDescription)>"
            return Mistake.Fix("return \(text)", type, text)
        }
        let signature = method.node.signature
        let element = sequence == "EventStream" ? "ServerSentEvent" : "Data"
        let text = "\(signature.trimmedDescription) -> \(sequence)<\(element)>"
        return Mistake.Fix("return a \(sequence)", signature, text)
    }

    /// Returns the fixes with types that any response can be converted to.
    private func readable(insteadOf type: TypeSyntax) -> [Mistake.Fix] {
        let types =
            switch method.result.form {
            case .pages: ["PageSequence<Data>"]
            case .events: ["EventStream<ServerSentEvent>"]
            case .plain, .jsonValues, .record: ["Response", "Data"]
            }
        return types.map { Mistake.Fix("return \($0)", type, $0) }
    }

    /// The containers that are decodable if their content is.
    private static let containers: Set = [
        "Array", "Dictionary", "EventStream", "JSONValues", "Optional", "PageSequence", "ResourceRecord", "Set",
    ]

    /// Returns the type, or a type in it, that can't be `Decodable`; nil if all of it may be.
    private static func undecodable(in type: TypeSyntax, isWhole: Bool) -> TypeSyntax? {
        func first(_ types: TypeSyntax...) -> TypeSyntax? {
            types.lazy.compactMap { undecodable(in: $0, isWhole: false) }.first
        }
        switch type.as(TypeSyntaxEnum.self) {
        case .tupleType(let tuple):
            // A single type in parentheses isn't a tuple.
            if tuple.elements.count == 1, let only = tuple.elements.first, only.firstName == nil {
                return undecodable(in: only.type, isWhole: isWhole)
            }
            return isWhole && tuple.elements.isEmpty ? nil : type
        case .arrayType(let array): return first(array.element)
        case .dictionaryType(let dictionary): return first(dictionary.key, dictionary.value)
        case .optionalType(let optional): return first(optional.wrappedType)
        case .identifierType(let named):
            if ["Any", "AnyObject", "AnyClass"].contains(named.name.text) { return type }
            if named.name.text == "Void" { return isWhole ? nil : type }
            guard containers.contains(named.name.text) else { return nil }
            return arguments(of: named.genericArgumentClause)
        case .memberType(let named):
            return containers.contains(named.name.text) ? arguments(of: named.genericArgumentClause) : nil
        case .attributedType, .compositionType, .functionType, .implicitlyUnwrappedOptionalType, .metatypeType,
            .someOrAnyType:
            return type
        default: return nil
        }
    }

    private static func arguments(of clause: GenericArgumentClauseSyntax?) -> TypeSyntax? {
        let types = clause?.arguments.compactMap { $0.argument.as(TypeSyntax.self) } ?? []
        return types.lazy.compactMap { undecodable(in: $0, isWhole: false) }.first
    }
}
#endif
