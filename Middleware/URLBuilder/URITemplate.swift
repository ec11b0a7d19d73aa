public import HTTPChainCore

/// A URI template, RFC 6570 at level 4: parsed once, expanded any number of times.
///
/// ```swift
/// let search = try URITemplate("/search{/language}{?q,page,tags*}")
/// try search.expand(["q": "swift 6", "tags": ["a", "b"]])     // /search?q=swift%206&tags=a&tags=b
/// ```
///
/// All operators, prefixes (`{name:3}`, counted in Unicode scalars, of which one that is percent-encoded in a value of
/// `{+name:3}` is one, too: §2.4.1), explosion (`{tags*}`), lists and maps. Undefined variables vanish. Literal
/// characters that no URI may hold are percent-encoded, percent-encoded triplets are kept (§3.1).
public struct URITemplate: Sendable, Hashable, CustomStringConvertible {
    /// The template's text.
    public let description: String
    private let parts: [TemplatePart]
    var templateParts: [TemplatePart] { parts }

    /// Parses a template.
    ///
    /// - Throws: ``URLBuilderError`` with the position of what breaks RFC 6570 §2.
    public init(_ text: String) throws(URLBuilderError) {
        description = text
        parts = try TemplateParser.parse(text, syntax: .templates)
    }

    /// The names of the variables, each once, in the order they appear.
    public var variableNames: [String] { parts.variableNames }

    /// The template with its variables filled in (RFC 6570 §3).
    ///
    /// - Parameters:
    ///   - variables: The values; a missing one, `nil`, an empty list and an empty map are undefined.
    ///   - encoder: How truth values and dates are written.
    /// - Throws: ``URLBuilderError`` that names the variable, for a prefix of a list or map, a list or map inside
    ///   another, and a number or date that cannot be written.
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

extension URLVariableSyntax {
    /// The names of the variables of a reference, in any notation of this syntax, each once, in the order they appear.
    ///
    /// - Throws: ``URLBuilderError`` with the position of what is malformed.
    package func variableNames(in reference: String) throws(URLBuilderError) -> [String] {
        try TemplateParser.parse(reference, syntax: self).variableNames
    }
}

extension [TemplatePart] {
    fileprivate var variableNames: [String] {
        var names: [String] = []
        for case .expression(let expression) in self {
            for variable in expression.variables where !names.contains(variable.name) {
                names.append(variable.name)
            }
        }
        return names
    }
}
