public import HTTPChainCore
import HTTPChainSupport

/// A URI template, RFC 6570 at level 4.
///
/// It is parsed once, and can be expanded any number of times.
///
/// ```swift
/// let search = try URITemplate("/search{/language}{?q,page,tags*}")
/// try search.expand(["q": "swift 6", "tags": ["a", "b"]])     // /search?q=swift%206&tags=a&tags=b
/// ```
///
/// All operators are supported, as are prefixes (`{name:3}`), explosion (`{tags*}`), lists and maps. Prefixes are
/// counted in Unicode scalars; in `{+name:3}`, a percent-encoded scalar also counts as one (§2.4.1). Undefined
/// variables are removed. Literal characters that are invalid in URIs are percent-encoded, and percent-encoded triplets
/// are kept (§3.1).
public struct URITemplate: Sendable, Hashable, CustomStringConvertible, DescribedValue {
    /// The template's text.
    package let words: String
    let parts: [TemplatePart]
    /// Parses a template.
    ///
    /// - Throws: ``URLBuilderError`` with the position of a violation of RFC 6570 §2.
    public init(_ text: String) throws(URLBuilderError) {
        words = text
        parts = try TemplateParser.parse(text, syntax: .templates)
    }

    /// The names of the variables, without duplicates, in order of appearance.
    package var variableNames: [String] { parts.variableNames }

    /// Expands the template with values for its variables (RFC 6570 §3).
    ///
    /// - Parameters:
    ///   - variables: The values. Missing values, `nil`, empty lists and empty maps are undefined.
    ///   - encoder: The encoder for Booleans and dates.
    /// - Throws: ``URLBuilderError`` with the variable's name, for a prefix of a list or map, for a list or map inside
    ///   another one, and for a number or date that can't be encoded.
    public func expand(
        _ variables: URLParameters,
        encoder: ParameterEncoder = ParameterEncoder()
    ) throws(URLBuilderError) -> String {
        var expansion = TemplateExpansion(
            lookup: VariableLookup(first: variables),
            encoder: encoder,
            rules: .rfc6570
        )
        try expansion.append(parts)
        return String(decoding: expansion.output, as: UTF8.self)
    }
}

extension VariableNotations {
    /// Returns the names of a reference's variables in this syntax, without duplicates, in order of appearance.
    ///
    /// - Throws: ``URLBuilderError`` with the position of the problem.
    package func variableNames(in reference: String) throws(URLBuilderError) -> [String] {
        try TemplateParser.parse(reference, syntax: self).variableNames
    }
}

extension [TemplatePart] {
    /// Returns whether an expression contains a variable.
    func hasVariable(_ name: String) -> Bool {
        for case .expression(let expression) in self {
            Steps.take()
            for variable in expression.variables where variable.name == name { return true }
        }
        return false
    }

    /// The names of the variables, without duplicates, in order of appearance.
    var variableNames: [String] {
        var names: [String] = []
        var known: Set<ExactText> = []
        for case .expression(let expression) in self {
            for variable in expression.variables where known.insert(ExactText(variable.name)).inserted {
                names.append(variable.name)
            }
        }
        return names
    }
}
