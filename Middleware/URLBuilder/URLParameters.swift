import HTTPChainCore
import HTTPChainSupport

/// Named values in order, for path variables, templates and queries.
///
/// ```swift
/// let variables: URLParameters = ["id": 42, "tags": ["a", "b"], "since": lastVisit]
/// let positional: URLParameters = [42, "x"]       // named "0", "1"
/// ```
public struct URLParameters: Sendable, Hashable {
    /// A name and its value.
    package struct Element: Sendable, Hashable {
        /// The name.
        package var name: String
        /// The value.
        package var value: URLValue
    }

    /// The named values in order.
    ///
    /// A query may repeat a name.
    package var elements: [Element]

    /// Makes parameters from names and values, in order.
    public init(_ pairs: some Sequence<(String, URLValue)>) {
        elements = pairs.map { Element(name: $0.0, value: $0.1) }
    }

    /// Makes parameters from a dictionary, sorted by name.
    public init(_ dictionary: [String: some URLValueConvertible]) {
        self.init(dictionary.sorted { $0.key < $1.key }.map { ($0.key, $0.value.urlValue) })
    }

    /// Whether there are no parameters.
    package var isEmpty: Bool { elements.isEmpty }

    /// The value of a name, or the last value if the name is repeated.
    ///
    /// Setting it to `nil` removes the name.
    public subscript(name: String) -> URLValue? {
        get { elements.last { $0.name.hasSameBytes(as: name) }?.value }
        set {
            guard let newValue else {
                elements.removeAll { $0.name.hasSameBytes(as: name) }
                return
            }
            if let index = elements.lastIndex(where: { $0.name.hasSameBytes(as: name) }) {
                elements[index].value = newValue
            } else {
                elements.append(Element(name: name, value: newValue))
            }
        }
    }
}

extension URLParameters: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
    /// Makes parameters from names and values, in order.
    ///
    /// `nil` becomes ``URLValue/null``.
    public init(dictionaryLiteral elements: (String, (any URLValueConvertible)?)...) {
        self.init(elements.map { ($0.0, $0.1?.urlValue ?? .null) })
    }

    /// Makes parameters named "0", "1", and so on, for positional variables.
    public init(arrayLiteral elements: (any URLValueConvertible)?...) {
        self.init(elements.enumerated().map { ("\($0.offset)", $0.element?.urlValue ?? .null) })
    }
}

extension URLParameters: VariableTexts {
    /// Returns the text of a value as in a query, but without escapes, or `nil` for a list, and if there is no value.
    package func text(of variable: String) -> String? {
        self[variable].flatMap { ParameterEncoder().text(of: $0.parameterValue) }
    }
}

extension URLParameters: URLValueConvertible, BuiltInURLValue {
    /// The parameters as a single value.
    package var valueInURL: URLValue { .dictionary(self) }
}
